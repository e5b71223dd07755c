import type { GatewayModel, ModelSource } from '../model/gateway-model.ts'

/** A source of one model that never changes. */
export function fixedModelSource(model: GatewayModel): ModelSource {
  return { current: () => model, onChange: () => () => {} }
}
