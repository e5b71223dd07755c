import { createHash } from 'node:crypto'
import type { SearchApiTool } from '@tooldex/contract/search-api'
import type { HybridProvider, IndexedTool } from '@tooldex/search'
import { invalid } from '../http/read-request.ts'

/** Tools that are indexed before other requests get a turn; a few milliseconds of work. */
const TOOLS_PER_TURN = 25

/** The tools of a request, ready to be searched. */
export interface ToolSet {
  readonly hash: string
  readonly byKey: ReadonlyMap<string, SearchApiTool>
  readonly provider: HybridProvider
}

/** The same for the same tools in the same order, and for no others: every part is preceded by its length. */
export function hashOf(tools: readonly SearchApiTool[]): string {
  let text = ''
  for (const { toolKey, toolName, serverName, description } of tools) {
    text += `${toolKey.length},${toolName.length},${serverName.length},${description?.length ?? '-'}:`
    text += toolKey + toolName + serverName + (description ?? '')
  }
  return createHash('sha256').update(text, 'utf16le').digest('base64')
}

/**
 * By key.
 * @throws ProblemError REQUEST_INVALID for two tools of one key
 */
export function toolsByKey(tools: readonly SearchApiTool[]): ReadonlyMap<string, SearchApiTool> {
  const byKey = new Map<string, SearchApiTool>()
  for (const [at, tool] of tools.entries()) {
    if (byKey.has(tool.toolKey)) {
      throw invalid('REQUEST_INVALID', [
        { field: `tools[${at}].toolKey`, message: 'is the key of an earlier tool, too' },
      ])
    }
    byKey.set(tool.toolKey, tool)
  }
  return byKey
}

/** Indexes tools a few at a time, so that a large request does not keep the small ones waiting. */
export async function indexTools(tools: readonly SearchApiTool[], provider: HybridProvider): Promise<void> {
  const indexed = tools.map(toIndexed).toSorted((one, other) => (one.id < other.id ? -1 : 1))
  for (let at = 0; at < indexed.length; at += TOOLS_PER_TURN) {
    if (at > 0) await turnOfOthers()
    provider.apply({ added: indexed.slice(at, at + TOOLS_PER_TURN), changed: [], removed: [] })
  }
}

function toIndexed({ toolKey, toolName, serverName, description }: SearchApiTool): IndexedTool {
  return {
    id: toolKey,
    name: toolName,
    ...(serverName !== '' && { namespace: serverName }),
    ...(description !== undefined && { description }),
  }
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}
