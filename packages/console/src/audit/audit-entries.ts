import { useQueryClient } from '@tanstack/react-query'
import type { AdminAuditEntry, RouteAnswer, RouteQueryInput } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf, call } from '../api/call.ts'
import { followStream } from '../api/events.ts'
import { checkSession } from '../api/queries.ts'
import type { PageSearch } from '../parts/page-search.ts'

const MOST = 500

/** New entries from the event stream, newest first. */
export function useLiveEntries(query: ReturnType<typeof queryOf>, isLive: boolean): readonly AdminAuditEntry[] {
  const client = useQueryClient()
  const [entries, setEntries] = useState<readonly AdminAuditEntry[]>([])
  const address = addressOf('followAudit', { query })
  useEffect(() => {
    setEntries([])
    if (!isLive) return
    return followStream(address, {
      events: { entry: (entry) => setEntries((before) => [entry as AdminAuditEntry, ...before].slice(0, MOST)) },
      onLost: () => checkSession(client),
    })
  }, [client, address, isLive])
  return entries
}

/** Reads a full page, or the rest. The gateway may return short pages rather than scan for long. */
export async function readFullPage(
  { limit, ...filter }: RouteQueryInput<'followAudit'> & { readonly limit: number },
  after: string,
  signal: AbortSignal,
): Promise<RouteAnswer<'listAudit'>> {
  const items: RouteAnswer<'listAudit'>['items'] = []
  for (let cursor = after; ; ) {
    const query = { ...filter, limit: limit - items.length, ...(cursor !== '' && { cursor }) }
    const page = await call('listAudit', { query, signal })
    items.push(...page.items)
    if (page.nextCursor === undefined) return { items }
    cursor = page.nextCursor
    if (items.length >= limit) return { items, nextCursor: cursor }
  }
}

/** The kinds of entries, in the order of the filter. */
export const AUDIT_KINDS = ['search', 'call', 'change', 'refusal'] as const satisfies AdminAuditEntry['kind'][]

/** The filter of the entries, kept in the address so that a view can be shared. */
export interface AuditFilter {
  readonly kind?: AdminAuditEntry['kind']
  readonly token?: string
  readonly project?: string
  readonly server?: string
  readonly tool?: string
  readonly outcome?: string
  /** The id of a request, whose entries belong together. */
  readonly request?: string
  /** The time until now; without it, `from` and `until` count. */
  readonly range?: keyof typeof RANGES
  /** In the format of a date field. */
  readonly from?: string
  readonly until?: string
}

const HOUR = 3_600_000

/** The times to choose with one click. */
export const RANGES = { hour: HOUR, day: 24 * HOUR, week: 7 * 24 * HOUR } as const

const NAMES = 'kind token project server tool outcome request range from until'.split(' ')

/** The part of an address that shows one hour. */
export function hourSearch(from: number): { readonly from: string; readonly until: string } {
  return { from: dateFieldOf(from), until: dateFieldOf(from + HOUR) }
}

/** A time in the format of a date field, which is local time. */
function dateFieldOf(at: number): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000)
  return local.toISOString().slice(0, 16)
}

/** Reads the filter from an address; ignores other keys. */
export function filterOf(search: PageSearch): AuditFilter {
  const given = NAMES.filter((name) => search[name] !== undefined && search[name] !== '')
  const filter = Object.fromEntries(given.map((name) => [name, search[name]]))
  const { kind, range, ...rest } = filter
  const known = AUDIT_KINDS.find((each) => each === kind)
  const time = range !== undefined && Object.hasOwn(RANGES, range) ? { range } : {}
  return { ...rest, ...time, ...(known !== undefined && { kind: known }) } as AuditFilter
}

/** The filter as a query to the gateway: dates become timestamps. */
export function queryOf({ from, until, range, ...filter }: AuditFilter, now: number): RouteQueryInput<'followAudit'> {
  if (range !== undefined) return { ...filter, from: now - RANGES[range] }
  return { ...filter, ...momentOf('from', from), ...momentOf('until', until) }
}

function momentOf(name: 'from' | 'until', date: string | undefined): Record<string, number> {
  const at = date === undefined ? Number.NaN : new Date(date).getTime()
  return Number.isNaN(at) ? {} : { [name]: at }
}
