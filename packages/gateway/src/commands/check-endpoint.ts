import type { GatewayModel } from '../model/gateway-model.ts'
import { GatewayError } from '../errors.ts'

/** @throws GatewayError ENDPOINT_NOT_FOUND, with those that there are */
export function checkEndpoint({ endpoints }: Pick<GatewayModel, 'endpoints'>, endpoint: string): void {
  if (endpoints.has(endpoint)) return
  throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint, remedy: `There are: ${[...endpoints.keys()].join(', ')}` })
}
