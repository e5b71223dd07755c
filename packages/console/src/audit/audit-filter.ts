import type { AdminAuditEntry, RouteQueryInput } from '@tooldex/contract/admin'
import type { PageSearch } from '../app/page-search.ts'

/** What entries are filtered by; lives in the address, so that a view can be shared. */
export interface AuditFilter {
  readonly kind?: 'search' | 'call'
  readonly token?: string
  readonly project?: string
  readonly server?: string
  readonly tool?: string
  readonly outcome?: string
  /** As a date field has them. */
  readonly from?: string
  readonly until?: string
}

const NAMES = ['kind', 'token', 'project', 'server', 'tool', 'outcome', 'from', 'until'] as const

/** The filter that an address says; other keys mean nothing here. */
export function filterOf(search: PageSearch): AuditFilter {
  const given = NAMES.filter((name) => search[name] !== undefined && search[name] !== '')
  const filter = Object.fromEntries(given.map((name) => [name, search[name]]))
  const { kind, ...rest } = filter
  return (kind === 'search' || kind === 'call' ? { ...rest, kind } : rest) as AuditFilter
}

/** The same for the gateway: moments as numbers. */
export function queryOf({ from, until, ...filter }: AuditFilter): RouteQueryInput<'followAudit'> {
  return { ...filter, ...momentOf('from', from), ...momentOf('until', until) }
}

/** How an outcome stands. */
export function toneOf({ outcome }: Pick<AdminAuditEntry, 'outcome'>): 'good' | 'warn' | 'bad' {
  if (outcome === 'ok') return 'good'
  return outcome === 'tool-error' ? 'warn' : 'bad'
}

function momentOf(name: 'from' | 'until', date: string | undefined): Record<string, number> {
  const at = date === undefined ? Number.NaN : new Date(date).getTime()
  return Number.isNaN(at) ? {} : { [name]: at }
}
