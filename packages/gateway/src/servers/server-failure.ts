import { SdkError, SdkErrorCode, SdkHttpError, SseError, UnauthorizedError } from '@modelcontextprotocol/client'
import { GatewayError, ServerReplyError } from '../errors.ts'
import { BodyTooLarge } from './http-reply.ts'
import type { ServerExit } from './stdio/child-process.ts'
import { withoutControls } from './stdio/log-buffer.ts'

/** What every failure of a server says of it. */
export interface ServerLabel {
  readonly id: string
  readonly name: string
}

/** An HTTP answer that is not what was asked for, from transports of ours. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError'
  readonly status: number

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

/** The HTTP status behind a failure, if there was one. */
export function httpStatusOf(error: unknown): number | undefined {
  if (error instanceof HttpStatusError) return error.status
  if (error instanceof UnauthorizedError) return 401
  if (error instanceof SdkHttpError) return error.status
  if (error instanceof SseError) return error.code
  return undefined
}

/** A JSON-RPC error of the server, or what our transport found out in its place. */
export function replyFailure(server: ServerLabel, error: unknown): GatewayError | ServerReplyError {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  if (data instanceof GatewayError) return named(server, data)
  if (typeof code !== 'number') return invalidReply(server, 'its error has no code')
  return new ServerReplyError(code, typeof message === 'string' ? message : '', data)
}

/** The sending of a request failed: nothing says that the server did not see it. */
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

/** The server ended, or went out of reach, while requests were open. */
export function crashed(server: ServerLabel, closeReason: string): GatewayError {
  return new GatewayError('SERVER_CRASHED', {
    server: server.name,
    reason: `"${server.name}" ${closeReason}`,
    remedy: 'The next call starts it anew',
  })
}

/** A start that came to nothing. @param lastLine what it wrote last to standard error, where its end does not say */
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

/** Why a start ended, to be read after the server's name. */
export class StartEnded extends Error {
  override readonly name = 'StartEnded'
}

/** The server wants credentials that it does not have. */
export function needsLogin(server: ServerLabel): GatewayError {
  return new GatewayError('SERVER_NEEDS_LOGIN', {
    server: server.name,
    reason: `"${server.name}" answered HTTP 401`,
    remedy: 'Log in to it, or put a valid Authorization header into its headers',
  })
}

/** No answer within the limit; the server was told to stop. */
export function timedOut(server: ServerLabel, method: string, limitMs: number): GatewayError {
  return new GatewayError('SERVER_TIMEOUT', {
    server: server.name,
    limitMs,
    reason: `"${server.name}" did not answer ${method} within ${seconds(limitMs)}`,
    remedy: "The server keeps running; raise the server's time limit if it needs longer",
  })
}

/** The caller gave up. */
export function cancelled(server: ServerLabel): GatewayError {
  return new GatewayError('CALL_CANCELLED', { server: server.name })
}

/** A reply that is not one. */
export function invalidReply(server: ServerLabel, reason: string): GatewayError {
  return new GatewayError('REPLY_INVALID', { server: server.name, reason: `"${server.name}": ${reason}` })
}

/** A reply over the limit, which whoever runs the gateway can raise. */
export function tooLarge(server: ServerLabel, maxBytes: number): GatewayError {
  return new GatewayError('REPLY_TOO_LARGE', {
    server: server.name,
    limitBytes: maxBytes,
    reason: `"${server.name}" answered with more than ${maxBytes} bytes`,
    remedy: "Ask for less, or raise the server's limit of reply bytes",
  })
}

/** How a process ended and what it said last, to be read after the server's name. */
export function exitReason({ code, signal, lastLines }: ServerExit): string {
  const how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`
  return `${how}${lastWords(lastLines.at(-1))}`
}

/** The innermost system error of a failed fetch, in words. */
export function networkReason(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const code = (cause as NodeJS.ErrnoException).code
    if (typeof code === 'string' && NETWORK_REASONS.has(code)) return NETWORK_REASONS.get(code)
  }
  return undefined
}

const NETWORK_REASONS: ReadonlyMap<string, string> = new Map([
  ['ECONNREFUSED', 'refused the connection'],
  ['ECONNRESET', 'broke the connection off'],
  ['EPIPE', 'broke the connection off'],
  ['UND_ERR_SOCKET', 'broke the connection off'],
  ['ENOTFOUND', 'has a host name that cannot be found'],
  ['EAI_AGAIN', 'has a host name that cannot be looked up now'],
  ['EHOSTUNREACH', 'is on a host that cannot be reached'],
  ['ETIMEDOUT', 'did not take the connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'did not take the connection in time'],
  ['ENOENT', 'has a command that does not exist'],
  ['EACCES', 'has a command that may not be run'],
])

/** What a transport says is about "it"; whoever reads the message has many servers. */
function named(server: ServerLabel, error: GatewayError): GatewayError {
  const reason = String(error.details['reason'] ?? '')
  if (reason.includes(server.name)) return error
  const told = reason === '' ? `"${server.name}"` : `"${server.name}": ${reason}`
  return new GatewayError(error.code, { ...error.details, server: server.name, reason: told }, { cause: error })
}

/** Some servers put a JSON-RPC error into the body of an HTTP error. */
function httpFailure(server: ServerLabel, status: number, error: unknown): GatewayError | ServerReplyError {
  const body = error instanceof SdkHttpError ? parsed(error.data['text']) : undefined
  const rpc = (body as { error?: { code?: unknown } } | undefined)?.error
  if (typeof rpc?.code === 'number') return replyFailure(server, rpc)
  return invalidReply(server, `it answered HTTP ${status}`)
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

function startReason(error: unknown): string {
  const status = httpStatusOf(error)
  if (status !== undefined && status > 0) return `answered HTTP ${status}`
  if (error instanceof StartEnded) return error.message
  return (
    networkReason(error) ?? `could not be started (${error instanceof Error ? firstLine(error.message) : 'unknown'})`
  )
}

/** Standard error is the server's own text: one line of it, without what could steer a terminal. */
function lastWords(line: string | undefined): string {
  if (line === undefined || line.trim() === '') return ''
  return `: ${printable(line)}`
}

function printable(text: string): string {
  const plain = withoutControls(text)
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain
}

function firstLine(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '')
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`
}
