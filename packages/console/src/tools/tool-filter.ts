import type { RouteQueryInput } from '@tooldex/contract/admin'
import type { PageSearch } from '../parts/page-search.ts'

/** Filters that ask for what fits or for what does not, in the order in which they are offered. */
export const FLAGS = ['readOnly', 'destructive', 'idempotent', 'openWorld', 'deferred', 'pinned'] as const

/** One of them. */
export type ToolFlag = (typeof FLAGS)[number]

const NAMES = ['server', 'project', 'allowed', ...FLAGS] as const

/** What tools are narrowed by, beside words; lives in the address, so that a view can be shared. */
export type ToolFilter = Omit<RouteQueryInput<'listTools'>, 'q' | 'limit' | 'cursor'>

/** The name of a filter. */
export type ToolFilterName = (typeof NAMES)[number]

/** The filter that an address says; other keys, and flags that are neither true nor false, mean nothing here. */
export function filterOf(search: PageSearch): ToolFilter {
  const given = NAMES.filter((name) => isMeant(name, search[name]))
  return Object.fromEntries(given.map((name) => [name, search[name]])) as ToolFilter
}

/** The filters that are on. */
export function namesIn(filter: ToolFilter): readonly ToolFilterName[] {
  return NAMES.filter((name) => filter[name] !== undefined)
}

/** The same with one more, one other or one less: `undefined` takes it away. */
export function withFilter(filter: ToolFilter, name: ToolFilterName, value: string | undefined): ToolFilter {
  return filterOf({ ...filter, [name]: value })
}

/** What a flag becomes by a click: asked for, then its contrary, then nothing. */
export function nextState(state: 'true' | 'false' | undefined): 'true' | 'false' | undefined {
  if (state === undefined) return 'true'
  return state === 'true' ? 'false' : undefined
}

function isMeant(name: ToolFilterName, value: string | undefined): boolean {
  if (name === 'server' || name === 'project') return value !== undefined && value !== ''
  return value === 'true' || value === 'false'
}
