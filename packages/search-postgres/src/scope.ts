import { type IndexedTool, type ToolFilter, ToolScope } from '@tooldex/search'
import { allows, namedIds } from '@tooldex/search/store'
import { isStorable } from './database-text.ts'

/** The filter as a frozen set, a predicate being asked about every tool. */
export async function scopeOf(
  within: ToolFilter | undefined,
  all: () => AsyncIterable<IndexedTool>,
): Promise<ToolScope | undefined> {
  if (within === undefined || within instanceof ToolScope) return within
  const named = namedIds(within)
  if (named !== undefined) return new ToolScope(named)
  const ids: string[] = []
  for await (const tool of all()) if (allows(within, tool)) ids.push(tool.id)
  return new ToolScope(ids)
}

/** The ids of a scope that a tool can have; absent for all tools. */
export function idsOf(scope: ToolScope | undefined): readonly string[] | undefined {
  return scope === undefined ? undefined : [...scope.ids()].filter(isStorable)
}
