import type { Problem } from '@tooldex/contract/admin'
import { RpcError } from '../../clients/mcp/requests/request-handler.ts'
import { httpStatusOf } from '../../clients/mcp/rpc-errors.ts'
import { GatewayError, type GatewayErrorCode, ServerReplyError, titleOf } from '../../errors.ts'
import { FieldRefusal } from '../changes/invalid-request.ts'
import type { AdminLog } from './admin-context.ts'

/** Answers any failure with problem details. Unexpected errors are logged and answered as INTERNAL. */
export function problemResponse(
  error: unknown,
  log: AdminLog,
  headersFor: (error: GatewayError) => Record<string, string> = () => ({}),
): Response {
  const known = asGatewayError(error, log)
  const status = httpStatusOf(known.code)
  const { reason: _reason, remedy, ...details } = known.details
  const problem: Problem = {
    type: `urn:tooldex:problem:${known.code}`,
    title: titleOf(known.code),
    status,
    code: known.code,
    detail: known.message,
    ...(remedy !== undefined && { remedy: String(remedy) }),
    ...(known instanceof FieldRefusal && { problems: [...known.problems] }),
    ...(Object.keys(details).length > 0 && { details }),
  }
  return new Response(JSON.stringify(problem), {
    status,
    headers: {
      ...headersFor(known),
      'content-type': 'application/problem+json',
      'cache-control': 'no-store',
      ...challenge(known.code),
      ...allowed(known),
    },
  })
}

function asGatewayError(error: unknown, log: AdminLog): GatewayError {
  if (error instanceof GatewayError) return error
  if (error instanceof RpcError) {
    const code = (error.data as { code?: GatewayErrorCode } | undefined)?.code ?? 'REQUEST_INVALID'
    return new GatewayError(code, { reason: error.message })
  }
  // The message of the server itself, for the admin who tries out a tool.
  if (error instanceof ServerReplyError)
    return new GatewayError('REPLY_INVALID', { reason: error.message.slice(0, 500) })
  const at = error instanceof Error ? (error.stack ?? '').split('\n').slice(1, 7) : []
  log.error({ error: error instanceof Error ? error.name : typeof error, at }, 'an admin request failed unexpectedly')
  return new GatewayError('INTERNAL')
}

function allowed({ code, details }: GatewayError): Record<string, string> {
  const methods = details['allowed']
  return code === 'METHOD_NOT_ALLOWED' && Array.isArray(methods) ? { allow: methods.join(', ') } : {}
}

function challenge(code: GatewayErrorCode): Record<string, string> {
  if (code === 'TOKEN_MISSING') return { 'www-authenticate': 'Bearer realm="tooldex admin"' }
  if (code === 'TOKEN_INVALID' || code === 'TOKEN_EXPIRED')
    return { 'www-authenticate': 'Bearer realm="tooldex admin", error="invalid_token"' }
  if (code === 'ADMIN_REQUIRED' || code === 'ROLE_REQUIRED')
    return { 'www-authenticate': 'Bearer realm="tooldex admin", error="insufficient_scope"' }
  return {}
}
