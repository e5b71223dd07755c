import { GatewayError, ServerReplyError } from '../../errors.ts'
import { withoutControls } from './log-buffer.ts'

/** The server that a failure names. */
export interface ServerLabel {
  readonly id: string
  readonly name: string
}

/** An HTTP error status, from our transports. */
export class HttpStatusError extends Error {
  override readonly name = 'HttpStatusError'
  readonly status: number

  constructor(status: number) {
    super(`HTTP ${status}`)
    this.status = status
  }
}

/** A body over its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** A JSON-RPC error of the server, or the failure that our transport reported in its place. */
export function replyFailure(server: ServerLabel, error: unknown): GatewayError | ServerReplyError {
  const { code, message, data } = (error ?? {}) as { code?: unknown; message?: unknown; data?: unknown }
  if (data instanceof GatewayError) return named(server, data)
  if (typeof code !== 'number') return invalidReply(server, 'its error has no code')
  return new ServerReplyError(code, typeof message === 'string' ? message : '', data)
}

/** The server ended, or became unreachable, while requests were open. */
export function crashed(server: ServerLabel, closeReason: string): GatewayError {
  return new GatewayError('SERVER_CRASHED', {
    server: server.name,
    reason: `"${server.name}" ${closeReason}`,
    remedy: 'The next call starts it again',
  })
}

/** Why a start ended, to be read after the server's name. */
export class StartEnded extends Error {
  override readonly name = 'StartEnded'
}

/**
 * The server refused a request unread, most likely because it does not know our session any more, as after a restart. The
 * request had no effect, so it can be sent again on a new session.
 */
export class SessionForgotten extends Error {
  override readonly name = 'SessionForgotten'
  /** The caller's error if a new session does not help. */
  readonly failure: GatewayError | ServerReplyError

  constructor(failure: GatewayError | ServerReplyError) {
    super(failure.message)
    this.failure = failure
  }
}

/** A call is continued with a state that is unknown, expired, or belongs to another client or call. */
export function notParked(): GatewayError {
  return new GatewayError('CALL_NOT_PARKED', {
    reason: 'it was answered already, took too long while others waited, or the gateway was restarted',
    remedy: 'Make the call again, without inputResponses and requestState',
  })
}

/** The server requires credentials that we do not have. */
export function needsLogin(server: ServerLabel): GatewayError {
  return new GatewayError('SERVER_NEEDS_LOGIN', {
    server: server.name,
    reason: `"${server.name}" answered HTTP 401`,
    remedy: 'Log in to it, or put a valid Authorization header into its headers',
  })
}

/** The server did not answer within the limit; the request was cancelled there. */
export function timedOut(server: ServerLabel, method: string, limitMs: number): GatewayError {
  return new GatewayError('SERVER_TIMEOUT', {
    server: server.name,
    limitMs,
    reason: `"${server.name}" did not answer ${method} within ${seconds(limitMs)}`,
    remedy: "The server keeps running; raise the server's time limit if it needs longer",
  })
}

/** The caller cancelled the request. */
export function cancelled(server: ServerLabel): GatewayError {
  return new GatewayError('CALL_CANCELLED', { server: server.name })
}

/** A reply that is not valid. */
export function invalidReply(server: ServerLabel, reason: string): GatewayError {
  return new GatewayError('REPLY_INVALID', { server: server.name, reason: `"${server.name}": ${reason}` })
}

/** A reply over the limit, which the operator can raise. */
export function tooLarge(server: ServerLabel, maxBytes: number): GatewayError {
  return new GatewayError('REPLY_TOO_LARGE', {
    server: server.name,
    limitBytes: maxBytes,
    reason: `"${server.name}" answered with more than ${maxBytes} bytes`,
    remedy: "Ask for less, or raise the server's limit of reply bytes",
  })
}

/** The end of a server's process. */
export interface ServerExit {
  readonly code: number | null
  readonly signal: string | null
  /** The last lines of its standard error, oldest first. */
  readonly lastLines: readonly string[]
}

/** How a process ended, and why by its standard error; to be read after the server's name. */
export function exitReason({ code, signal, lastLines }: ServerExit): string {
  const how = signal === null ? `exited with code ${code ?? 'unknown'}` : `was ended by ${signal}`
  return `${how}${lastWords(errorLine(lastLines))}`
}

/** Lines around an error: frames of a stack, marks below a line of source, the version of Node. */
const AROUND =
  /^\s*(?:at\s|File "|[\^~]+\s*$|[{}[\]]+,?\s*$|\w+: .*,$|Node\.js v\d|Traceback |\.\.\. \d+ more|npm (?:err!|error) (?:A complete log|Log files))/i
/** `Error: …`, `java.io.IOException: …`, `panic: …`, `fatal: …`, `error: …` */
const ERROR = /(?:^|[\s\].])(?:\w*(?:Error|Exception)\b(?: \[\w+\])?:|panic:|fatal(?: error)?:|error(?: \w+)?:)/i

/** The line that says why a program ended: the last error, else the last line that is no part of a stack. */
export function errorLine(lines: readonly string[]): string | undefined {
  const telling = lines.filter((line) => line.trim() !== '' && !AROUND.test(line))
  return telling.findLast((line) => ERROR.test(line)) ?? telling.at(-1) ?? lines.at(-1)
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
  ['EPROTO', 'does not speak HTTP'],
  ['UND_ERR_HEADERS_OVERFLOW', 'does not speak HTTP'],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'broke the connection off'],
  ['UND_ERR_SOCKET', 'broke the connection off'],
  ['ENOTFOUND', 'has a host name that cannot be found'],
  ['EAI_AGAIN', 'has a host name that cannot be looked up now'],
  ['EHOSTUNREACH', 'is on a host that cannot be reached'],
  ['ETIMEDOUT', 'did not take the connection in time'],
  ['UND_ERR_CONNECT_TIMEOUT', 'did not take the connection in time'],
  ['ENOENT', 'has a command that does not exist'],
  ['EACCES', 'has a command that may not be run'],
])

/** A transport's failure with the name of the server. */
export function named(server: ServerLabel, error: GatewayError): GatewayError {
  const reason = String(error.details['reason'] ?? '')
  if (reason.includes(server.name)) return error
  const text = reason === '' ? `"${server.name}"` : `"${server.name}": ${reason}`
  return new GatewayError(error.code, { ...error.details, server: server.name, reason: text }, { cause: error })
}

/** One line of the server's standard error, without control characters. */
export function lastWords(line: string | undefined): string {
  if (line === undefined || line.trim() === '') return ''
  return `: ${printable(line)}`
}

function printable(text: string): string {
  const plain = withoutControls(text)
  return plain.length > 200 ? `${plain.slice(0, 200)}…` : plain
}

/** The first line of an untrusted text, without control characters. */
export function firstLine(text: string): string {
  return printable(text.split('\n', 1)[0] ?? '')
}

function seconds(ms: number): string {
  return ms < 1000 ? `${ms} ms` : `${Number((ms / 1000).toFixed(1))} s`
}
