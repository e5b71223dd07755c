import type { RouteAnswer, RouteQueryInput } from '@tooldex/contract/admin'
import { call } from '../api/call.ts'

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
