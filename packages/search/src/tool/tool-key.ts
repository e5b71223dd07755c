import { ToolSearchError } from '../errors.ts'

/** `serverId:toolName`: canonical, stored, audited, stable for ever. Not the name that a client sees. */
export type ToolKey = `${string}:${string}`

/** The two halves of a tool key. */
export interface ToolKeyParts {
  readonly serverId: string
  readonly toolName: string
}

/**
 * Splits a tool key. The first colon separates: server ids never contain one, tool names may.
 * @throws ToolSearchError INVALID_TOOL_KEY
 */
export function parseToolKey(text: string): ToolKeyParts {
  const colon = typeof text === 'string' ? text.indexOf(':') : -1
  if (colon < 1 || colon === text.length - 1) throw invalidKey(text, 'both sides of the colon must be filled')
  return { serverId: text.slice(0, colon), toolName: text.slice(colon + 1) }
}

/**
 * Joins server id and tool name; `parseToolKey` undoes it.
 * @throws ToolSearchError INVALID_TOOL_KEY when a half is empty or the server id has a colon
 */
export function formatToolKey({ serverId, toolName }: ToolKeyParts): ToolKey {
  const key: ToolKey = `${serverId}:${toolName}`
  if (serverId === '' || toolName === '') throw invalidKey(key, 'both sides of the colon must be filled')
  if (serverId.includes(':')) throw invalidKey(key, 'a server id has no colon')
  return key
}

/** The id that a tool is found under: its tool key, or the name alone where there is no namespace. */
export function toolIdOf(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}:${name}`
}

function invalidKey(text: unknown, reason: string): ToolSearchError {
  const toolKey = typeof text === 'string' ? text.slice(0, 300) : `(${typeof text})`
  return new ToolSearchError('INVALID_TOOL_KEY', { toolKey, reason })
}
