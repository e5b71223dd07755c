import { useQueryClient } from '@tanstack/react-query'
import type { AdminAuditEntry, RouteAnswer, RouteQueryInput } from '@tooldex/contract/admin'
import { useEffect, useState } from 'react'
import { addressOf, call } from '../api/call.ts'
import { followStream } from '../api/events.ts'
import { askWhoWeAre } from '../api/queries.ts'
import type { PageSearch } from '../parts/page-search.ts'

const MOST = 500

/** Entries as they happen, newest first. */
export function useLiveEntries(query: ReturnType<typeof queryOf>, isLive: boolean): readonly AdminAuditEntry[] {
  const client = useQueryClient()
  const [entries, setEntries] = useState<readonly AdminAuditEntry[]>([])
  const address = addressOf('followAudit', { query })
  useEffect(() => {
    setEntries([])
    if (!isLive) return
    return followStream(address, {
      events: { entry: (entry) => setEntries((before) => [entry as AdminAuditEntry, ...before].slice(0, MOST)) },
      onLost: () => askWhoWeAre(client),
    })
  }, [client, address, isLive])
  return entries
}

/** A page that is full unless nothing is left. The gateway gives short ones rather than look for long. */
export async function wholePage(
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

function momentOf(name: 'from' | 'until', date: string | undefined): Record<string, number> {
  const at = date === undefined ? Number.NaN : new Date(date).getTime()
  return Number.isNaN(at) ? {} : { [name]: at }
}
