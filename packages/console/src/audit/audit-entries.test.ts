import { adminRoutes } from '@tooldex/contract/admin'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { filterOf, queryOf, readFullPage } from './audit-entries.ts'

const { signal } = new AbortController()
const entry = (id: string) => ({ id })

/** Stubs a gateway that answers with these pages in turn. Returns the queries it received. */
function gatewayGiving(...pages: object[]): URLSearchParams[] {
  const asked: URLSearchParams[] = []
  vi.stubGlobal('fetch', async (address: string) => {
    asked.push(new URL(address, 'http://gateway').searchParams)
    return Response.json(pages[asked.length - 1])
  })
  return asked
}
afterEach(() => void vi.unstubAllGlobals())

describe('readFullPage', () => {
  it('reads on while pages are short', async () => {
    const asked = gatewayGiving(
      { items: [], nextCursor: 'one' },
      { items: [entry('a')], nextCursor: 'two' },
      { items: [entry('b'), entry('c')], nextCursor: 'three' },
    )
    const page = await readFullPage({ kind: 'call', limit: 3 }, '', signal)
    expect(page).toEqual({ items: [entry('a'), entry('b'), entry('c')], nextCursor: 'three' })
    expect(asked.map(String)).toEqual([
      'kind=call&limit=3',
      'kind=call&limit=3&cursor=one',
      'kind=call&limit=2&cursor=two',
    ])
  })

  it('ends at the last page', async () => {
    gatewayGiving({ items: [], nextCursor: 'one' }, { items: [entry('a')] })
    expect(await readFullPage({ limit: 3 }, 'zero', signal)).toEqual({ items: [entry('a')] })
  })
})

it('turns an address into a query that the contract accepts', () => {
  const filter = filterOf({ kind: 'call', outcome: 'error', from: '2026-11-01T00:00', tab: 'x', token: '' })
  expect(adminRoutes.followAudit.query.parse(queryOf(filter, 0))).toEqual({
    kind: 'call',
    outcome: 'error',
    from: new Date('2026-11-01T00:00').getTime(),
  })
})

it('ignores unknown kinds and invalid dates', () => {
  expect(queryOf(filterOf({ kind: 'other', from: 'yesterday' }), 0)).toEqual({})
})
