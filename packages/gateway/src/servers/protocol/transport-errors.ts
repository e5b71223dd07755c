import { parseJson } from '@tooldex/http-kit/json'
import { SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client'
import { GatewayError, type ServerReplyError } from '../../errors.ts'
import {
  BodyTooLarge,
  crashed,
  firstLine,
  HttpStatusError,
  invalidReply,
  lastWords,
  named,
  needsLogin,
  networkReason,
  replyFailure,
  type ServerLabel,
  StartEnded,
  tooLarge,
} from './errors.ts'

/** The HTTP status behind a failure, if there was one. */
export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.status
  if (error instanceof UnauthorizedError) return 401
  if (error instanceof SdkHttpError) return error.status
  return undefined
}

/** The sending of a request failed. The server may have received it all the same. */
export function sendFailure(server: ServerLabel, error: unknown): GatewayError | ServerReplyError {
  if (error instanceof GatewayError) return named(server, error)
  const status = httpStatusOf(error)
  if (status === 401) return needsLogin(server)
  if (status !== undefined) return httpFailure(server, status, error)
  if (error instanceof BodyTooLarge) return tooLarge(server, error.maxBytes)
  if (error instanceof SyntaxError) return invalidReply(server, 'it is not JSON')
  if (error instanceof SdkError && error.code === SdkErrorCode.ClientHttpUnexpectedContent) {
    return invalidReply(server, 'it is neither JSON nor an event stream')
  }
  return crashed(server, networkReason(error) ?? 'cannot be reached')
}

/** A failed start. @param lastLine the last line of standard error, if the error does not contain it */
export function startFailure(server: ServerLabel, error: unknown, lastLine?: string): GatewayError {
  if (httpStatusOf(error) === 401) return needsLogin(server)
  if (error instanceof GatewayError) return error
  return new GatewayError(
    'SERVER_START_FAILED',
    {
      server: server.name,
      reason: `"${server.name}" ${startReason(error)}${lastWords(lastLine)}`,
      remedy: 'Check its command or URL, then restart it',
    },
    { cause: error },
  )
}

/** Reads the JSON-RPC error that some servers put into the body of an HTTP error. */
function httpFailure(server: ServerLabel, status: number, error: unknown): GatewayError | ServerReplyError {
  const body = error instanceof SdkHttpError ? parseJson(String(error.data['text'])) : undefined
  const rpc = (body as { error?: { code?: unknown } } | undefined)?.error
  if (typeof rpc?.code === 'number') return replyFailure(server, rpc)
  return invalidReply(server, `it answered HTTP ${status}`)
}

function startReason(error: unknown): string {
  const status = httpStatusOf(error)
  if (status !== undefined && status > 0) return `answered HTTP ${status}`
  if (error instanceof StartEnded) return error.message
  return (
    networkReason(error) ?? `could not be started (${error instanceof Error ? firstLine(error.message) : 'unknown'})`
  )
}
