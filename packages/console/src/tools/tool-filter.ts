import type { RouteQueryInput } from '@tooldex/contract/admin'
import type { PageSearch } from '../parts/page-search.ts'

/** The filters that can include or exclude, in display order. */
export const FLAGS = ['readOnly', 'destructive', 'idempotent', 'openWorld', 'deferred', 'pinned'] as const

/** The name of an include/exclude filter. */
export type ToolFlag = (typeof FLAGS)[number]

const NAMES = ['server', 'project', 'allowed', ...FLAGS] as const

/** The filters of the tool list, kept in the address so that a view can be shared. */
export type ToolFilter = Omit<RouteQueryInput<'listTools'>, 'q' | 'limit' | 'cursor'>

/** The name of a filter. */
export type ToolFilterName = (typeof NAMES)[number]

/** Reads the filter from an address; ignores other keys, and flags that are neither true nor false. */
export function filterOf(search: PageSearch): ToolFilter {
  const given = NAMES.filter((name) => isMeant(name, search[name]))
  return Object.fromEntries(given.map((name) => [name, search[name]])) as ToolFilter
}

/** The names of the active filters. */
export function namesIn(filter: ToolFilter): readonly ToolFilterName[] {
  return NAMES.filter((name) => filter[name] !== undefined)
}

/** Sets one filter, or removes it if the value is undefined. */
export function withFilter(filter: ToolFilter, name: ToolFilterName, value: string | undefined): ToolFilter {
  return filterOf({ ...filter, [name]: value })
}

/** The next state of a flag after a click: include, exclude, off. */
export function nextState(state: 'true' | 'false' | undefined): 'true' | 'false' | undefined {
  if (state === undefined) return 'true'
  return state === 'true' ? 'false' : undefined
}

function isMeant(name: ToolFilterName, value: string | undefined): boolean {
  if (name === 'server' || name === 'project') return value !== undefined && value !== ''
  return value === 'true' || value === 'false'
}
