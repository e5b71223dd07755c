import { GatewayError } from '../errors.ts'

/** `serverId:toolName`: canonical, stored, audited, stable for ever. */
export type ToolKey = string & { readonly __toolKey: true }

const LONGEST_SHOWN = 200

/** The two halves of a tool key. */
export interface ToolKeyParts {
  readonly serverId: string
  readonly toolName: string
}

/**
 * Joins server id and tool name; `parseToolKey` undoes it.
 * @throws GatewayError INVALID_ARGUMENTS when a half is empty or the server id has a colon
 */
export function formatToolKey(serverId: string, toolName: string): ToolKey {
  const key = `${serverId}:${toolName}`
  if (serverId === '' || toolName === '') throw invalidKey(key, 'both sides of its colon must be filled')
  if (serverId.includes(':')) throw invalidKey(key, 'a server id has no colon')
  return key as ToolKey
}

/**
 * Splits a tool key. The first colon separates: server ids never contain one, tool names may.
 * @throws GatewayError INVALID_ARGUMENTS
 */
export function parseToolKey(text: string): ToolKeyParts {
  const colon = text.indexOf(':')
  if (colon < 1 || colon === text.length - 1) throw invalidKey(text, 'both sides of its colon must be filled')
  return { serverId: text.slice(0, colon), toolName: text.slice(colon + 1) }
}

function invalidKey(text: string, problem: string): GatewayError {
  const toolKey = text.slice(0, LONGEST_SHOWN)
  return new GatewayError('INVALID_ARGUMENTS', { toolKey, reason: `a tool key is serverId:toolName, and ${problem}` })
}
