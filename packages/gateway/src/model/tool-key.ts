import { GatewayError } from '../errors.ts'

/** `serverId:toolName`, the canonical and stable id of a tool. */
export type ToolKey = string & { readonly __toolKey: true }

const LONGEST_SHOWN = 200

/** The two parts of a tool key. */
export interface ToolKeyParts {
  readonly serverId: string
  readonly toolName: string
}

/**
 * Joins server id and tool name; `parseToolKey` undoes it.
 * @throws GatewayError INVALID_ARGUMENTS if a part is empty or the server id has a colon
 */
export function formatToolKey(serverId: string, toolName: string): ToolKey {
  const key = `${serverId}:${toolName}`
  if (serverId === '' || toolName === '') throw invalidKey(key, 'neither part may be empty')
  if (serverId.includes(':')) throw invalidKey(key, 'the server id must not contain a colon')
  return key as ToolKey
}

/**
 * Splits a tool key. The first colon separates: server ids never contain one, tool names may.
 * @throws GatewayError INVALID_ARGUMENTS
 */
export function parseToolKey(text: string): ToolKeyParts {
  const parts = toolKeyParts(text)
  if (parts.serverId === '' || parts.toolName === '') throw invalidKey(text, 'neither part may be empty')
  return parts
}

/** The parts of a text that may be no key: empty ones belong to no server. */
export function toolKeyParts(text: string): ToolKeyParts {
  const colon = text.indexOf(':')
  return { serverId: text.slice(0, Math.max(colon, 0)), toolName: colon < 0 ? '' : text.slice(colon + 1) }
}

function invalidKey(text: string, problem: string): GatewayError {
  const toolKey = text.slice(0, LONGEST_SHOWN)
  return new GatewayError('INVALID_ARGUMENTS', {
    toolKey,
    reason: `a tool key has the form serverId:toolName; ${problem}`,
  })
}
