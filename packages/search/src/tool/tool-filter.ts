import { ToolSearchError } from '../errors.ts'
import type { IndexedTool } from './tool.ts'
import { ToolScope } from './tool-scope.ts'

/**
 * The tools a search may see. A set or predicate is read anew at every search; a `ToolScope` is a frozen set whose
 * compiled form providers keep, so it is the fast way to search the same subset often.
 */
export type ToolFilter = ToolScope | ReadonlySet<string> | ((tool: IndexedTool) => boolean)

/**
 * Checks that a filter is one. Something else must not pass for "all tools": filters carry permissions.
 * @throws ToolSearchError INVALID_ARGUMENTS
 */
export function readFilter(within: ToolFilter | undefined): ToolFilter | undefined {
  if (within === undefined || typeof within === 'function' || within instanceof ToolScope) return within
  const isSet = typeof within === 'object' && within !== null && typeof within.has === 'function'
  if (isSet && typeof within.keys === 'function') return within
  throw new ToolSearchError('INVALID_ARGUMENTS', {
    field: 'within',
    reason: 'within is a ToolScope, a Set or a function',
  })
}

/**
 * Whether the filter lets a tool through. Only `true` does: a predicate that answers a promise lets nothing through.
 */
export function allows(within: ToolFilter | undefined, tool: IndexedTool): boolean {
  if (within === undefined) return true
  return typeof within === 'function' ? within(tool) === true : within.has(tool.id)
}

/** The ids that a filter names; absent for a predicate, which names none and has to be asked about every tool. */
export function namedIds(within: ToolFilter): Iterable<string> | undefined {
  if (typeof within === 'function') return undefined
  return within instanceof ToolScope ? within.ids() : within.keys()
}

/** The filter as a frozen set, a predicate being asked about every tool. */
export function toScope(within: ToolFilter, tools: Iterable<IndexedTool>): ToolScope {
  if (within instanceof ToolScope) return within
  const named = namedIds(within)
  if (named !== undefined) return new ToolScope(named)
  const ids: string[] = []
  for (const tool of tools) if (allows(within, tool)) ids.push(tool.id)
  return new ToolScope(ids)
}
