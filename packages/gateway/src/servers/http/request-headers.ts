import { type JSONRPCMessage, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/client'
import { field } from '../protocol/header-parameters.ts'
import { isRecord } from '../protocol/is-record.ts'

type Headers = Readonly<Record<string, string>>

const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
])

/** Headers that follow from the message or the connection; what a caller adds does not replace them. */
const OURS: ReadonlySet<string> = new Set([
  ...['authorization', 'dpop', 'content-type', 'mcp-session-id'],
  ...['mcp-protocol-version', 'mcp-method', 'mcp-name'],
])

/** The headers that every request carries: those of the configuration, and that bodies come as they are. */
export function fixedHeaders(configured: Headers): Headers {
  const named = Object.entries(configured).map(([name, value]) => [name.toLowerCase(), value.trim()] as const)
  // Bodies are not unpacked here, so none may come packed.
  return { ...Object.fromEntries(named), 'accept-encoding': 'identity' }
}

/** Media types that we read, behind those that the configuration names. */
export function accepting(headers: Headers, ...types: readonly string[]): string {
  const before = (headers['accept'] ?? '').split(',').map((type) => type.trim().toLowerCase())
  return [...new Set([...before, ...types])].filter((type) => type !== '').join(', ')
}

/** What a message of 2026-07-28 repeats of its body; nothing in the older eras. */
export function bodyHeaders(message: JSONRPCMessage): Headers | undefined {
  if (!('method' in message) || !('id' in message)) return undefined
  const { method, params } = message
  const version = isRecord(params?._meta) ? params._meta[PROTOCOL_VERSION_META_KEY] : undefined
  if (typeof version !== 'string') return undefined
  const name = params?.[NAMED_BY.get(method) ?? '']
  const repeated = { 'mcp-protocol-version': version, 'mcp-method': method }
  return typeof name === 'string' ? { ...repeated, 'mcp-name': field(name) } : repeated
}

/** What a caller may add to a message. */
export function addedHeaders(headers: Headers): Headers {
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(named.filter(([name]) => !OURS.has(name)))
}
