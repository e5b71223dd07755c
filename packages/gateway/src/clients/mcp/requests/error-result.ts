import { ERROR_META_KEY } from '../../../calls/mistake-result.ts'
import type { GatewayError } from '../../../errors.ts'
import type { RawResult } from '../../../servers/server.ts'

/** A failure of ours as a tool result that a model can act on. */
export function errorResult({ code, message, details }: GatewayError): RawResult {
  return {
    isError: true,
    content: [{ type: 'text', text: `${code}: ${message}` }],
    _meta: { [ERROR_META_KEY]: { ...details, code } },
  }
}
