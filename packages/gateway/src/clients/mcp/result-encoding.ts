import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { META_KEY } from './json-rpc.ts'

/** Results that a client of 2026-07-28 may cache; they must name the time and the scope. */
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
])

/** Encodes a raw result for the client's era; unchanged if the era allows it. */
export function encodeResult(
  era: 'legacy' | 'modern',
  method: string,
  result: JsonObject,
  serverInfo: JsonObject,
): JsonObject {
  return era === 'modern' ? encodeModern(method, result, serverInfo) : encodeLegacy(method, result)
}

function encodeModern(method: string, result: JsonObject, serverInfo: JsonObject): JsonObject {
  const encoded: Record<string, unknown> = { ...result }
  encoded['resultType'] ??= 'complete'
  if (CACHEABLE.has(method) && encoded['resultType'] === 'complete') {
    encoded['ttlMs'] ??= 0
    encoded['cacheScope'] ??= 'private'
  }
  if (method === 'tools/list') encoded['tools'] = eachTool(result['tools'], 'execution', (tool) => 'execution' in tool)
  // Always the gateway's: a server must not appear as the gateway.
  encoded['_meta'] = { ...(isRecord(result['_meta']) ? result['_meta'] : {}), [META_KEY.serverInfo]: serverInfo }
  return encoded
}

function encodeLegacy(method: string, result: JsonObject): JsonObject {
  const told = withoutModernStamps(result)
  if (method === 'tools/list') return legacyToolList(told)
  if (method === 'tools/call' && told['structuredContent'] !== undefined && !isRecord(told['structuredContent'])) {
    return { ...withText(told), structuredContent: { result: told['structuredContent'] } }
  }
  return told
}

function withoutModernStamps(result: JsonObject): JsonObject {
  const meta = result['_meta']
  const hasIdentity = isRecord(meta) && META_KEY.serverInfo in meta
  if (!('resultType' in result) && !hasIdentity) return result
  const { resultType: _, ...rest } = result
  if (!hasIdentity) return rest
  const { [META_KEY.serverInfo]: __, ...otherMeta } = meta
  return { ...rest, _meta: otherMeta }
}

/** Drops output schemas that are not objects: clients of that era refuse the whole list for one of them. */
function legacyToolList(result: JsonObject): JsonObject {
  const tools = eachTool(
    result['tools'],
    'outputSchema',
    (tool) => isRecord(tool['outputSchema']) && tool['outputSchema']['type'] !== 'object',
  )
  return tools === result['tools'] ? result : { ...result, tools }
}

function eachTool(tools: unknown, dropped: string, isAffected: (tool: JsonObject) => boolean): unknown {
  if (!Array.isArray(tools) || !tools.some((tool) => isRecord(tool) && isAffected(tool))) return tools
  return tools.map((tool: unknown) => {
    if (!isRecord(tool) || !isAffected(tool)) return tool
    const { [dropped]: _, ...rest } = tool
    return rest
  })
}

/** Repeats a value that is not an object as text, for clients that read only text. */
function withText(result: JsonObject): JsonObject {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : []
  if (content.some((block) => isRecord(block) && block['type'] === 'text')) return result
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(result['structuredContent']) }] }
}
