import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import { isRecord } from '@tooldex/http-kit/json'
import { field } from '../protocol/header-parameters.ts'
import { headerOf, type HttpAnswer } from './http-exchange.ts'

export const EVENTS = 'text/event-stream'
export const JSON_TYPE = 'application/json'

/** Request headers. Names in lower case. */
export type Headers = Readonly<Record<string, string>>

const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** Headers about the connection and the length of the body, which the HTTP client writes. */
const FRAMING: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'trailer', 'transfer-encoding', 'upgrade'],
])

/** Headers that follow from the message or the connection; a caller cannot replace them. */
const OURS: ReadonlySet<string> = new Set([
  ...['authorization', 'dpop', 'content-type', 'mcp-session-id'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name'],
])

/** The headers of every request: the configured ones, and no compression, because bodies are not decompressed here. */
export function fixedHeaders(configured: Headers): Headers {
  const named = Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
  return { ...Object.fromEntries(named.filter(([name]) => !FRAMING.has(name))), 'accept-encoding': 'identity' }
}

/** The media types that we read, after those that the configuration names. */
export function accepting(headers: Headers, ...types: readonly string[]): string {
  const before = (headers['accept'] ?? '').split(',').map((type) => type.trim().toLowerCase())
  return [...new Set([...before, ...types])].filter((type) => type !== '').join(', ')
}

/** The headers that repeat parts of a 2026-07-28 message; none in the older eras. */
export function bodyHeaders(message: JSONRPCMessage): Headers | undefined {
  if (!('method' in message) || !('id' in message)) return undefined
  const { method, params } = message
  const version = isRecord(params?._meta) ? params._meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (typeof version !== 'string') return undefined
  const name = params?.[NAMED_BY.get(method) ?? '']
  const repeated = { 'mcp-protocol-version': version, 'mcp-method': method }
  return typeof name === 'string' ? { ...repeated, 'mcp-name': field(name) } : repeated
}

/** The headers that a caller may add to a message. */
export function addedHeaders(headers: Headers): Headers {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(named.filter(([name]) => !OURS.has(name)))
}

/** The media type of a response. */
export function mediaType(answer: HttpAnswer): string | undefined {
  const type = headerOf(answer, 'content-type')
  return type === JSON_TYPE || type === EVENTS ? type : type?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Drops a response of a media type that we do not read. @returns the SDK's error for it */
export function unexpectedContent(answer: HttpAnswer): SdkError {
  answer.body.cancel()
  const contentType = headerOf(answer, 'content-type') ?? null
  const message = `Unexpected content type: ${contentType}`
  return new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, message, { contentType })
}
