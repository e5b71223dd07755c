import { isRecord } from '@tooldex/http-kit/json'

/** As tools named their resource before the extension was settled. */
const EARLIER_KEY = 'ui/resourceUri'

/** The URI of the resource that shows the results of a tool (MCP Apps), if it has one. */
export function uiResourceOf(definition: object): string | undefined {
  const { _meta: meta } = definition as { readonly _meta?: unknown }
  if (!isRecord(meta)) return undefined
  const uri = isRecord(meta['ui']) ? meta['ui']['resourceUri'] : meta[EARLIER_KEY]
  return typeof uri === 'string' ? uri : undefined
}
