import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AuditEntry } from '../model/audit.ts'
import { type FollowUpOptions, SearchFollowUps } from './search-follow-ups.ts'
import { summariseSearches } from './searches.ts'

const common = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' }
const search = (at: number, query: string, resultKeys: string[], over: object = {}): AuditEntry => ({
  ...{ kind: 'search', ...common, at, queryCount: 1, queries: [query], resultKeys, answeredBy: 'bm25' },
  ...over,
})
const call = (at: number, toolKey: string, over: object = {}): AuditEntry => ({
  ...{ kind: 'call', ...common, at, serverId: 's', toolKey, requestBytes: 0, resultBytes: 0 },
  ...over,
})

function paired(entries: readonly AuditEntry[], options: FollowUpOptions = {}) {
  const pairs: string[] = []
  const ignored: string[] = []
  const followUps = new SearchFollowUps({
    ...options,
    onFollowed: (pair) => pairs.push(`${pair.search.queries?.[0]} > ${pair.call.toolKey} ${pair.rank}`),
    onIgnored: ({ queries }) => ignored.push(String(queries?.[0])),
  })
  for (const entry of entries) followUps.note(entry)
  followUps.end()
  return { pairs, ignored }
}

describe('SearchFollowUps', () => {
  it('pairs a search with the calls of its results that follow', () => {
    const entries = [search(1, 'bug', ['s:a', 's:b']), call(2, 's:b'), call(3, 's:a'), call(4, 's:c')]
    expect(paired(entries)).toEqual({ pairs: ['bug > s:b 1', 'bug > s:a 0'], ignored: [] })
  })

  it('counts the results before a called one that were not called', () => {
    const unused: number[] = []
    const followUps = new SearchFollowUps({ onFollowed: ({ unusedAbove }) => unused.push(unusedAbove) })
    const keys = ['s:a', 's:b', 's:c', 's:d']
    for (const entry of [search(1, 'bug', keys), ...['s:c', 's:a', 's:d', 's:c'].map((key) => call(2, key))]) {
      followUps.note(entry)
    }
    expect(unused).toEqual([2, 0, 1, 1])
  })

  it('gives a call to the latest search that found its tool', () => {
    const entries = [search(1, 'old', ['s:a']), search(2, 'new', ['s:a']), search(3, 'other', ['s:b']), call(4, 's:a')]
    expect(paired(entries)).toEqual({ pairs: ['new > s:a 0'], ignored: ['old', 'other'] })
  })

  it.each([
    ['another token', { tokenId: 'u' }],
    ['another project', { projectId: 'q' }],
    ['another client', { clientName: 'x' }],
    ['a failed call', { outcome: 'tool-error' }],
    ['a call after more than five minutes', { at: 300_002 }],
    ['a call that began before the search', { at: 0 }],
  ])('does not pair a search with %s', (_, over) => {
    expect(paired([search(1, 'bug', ['s:a']), call(2, 's:a', over)])).toEqual({ pairs: [], ignored: ['bug'] })
  })

  it('is bounded in callers and in searches of a caller', () => {
    const many = Array.from({ length: 50 }, (_, at) => search(at, `q${at}`, ['s:a'], { tokenId: `t${at}` }))
    expect(paired([...many, call(60, 's:a', { tokenId: 't0' })], { mostCallers: 10 }).pairs).toEqual([])
    const busy = Array.from({ length: 50 }, (_, at) => search(at, `q${at}`, at === 0 ? ['s:a'] : []))
    expect(paired([...busy, call(60, 's:a')]).pairs).toEqual([])
  })

  it('accounts for every search once', () => {
    const anyEntry = fc.record({ isCall: fc.boolean(), at: fc.nat(600_000), tool: fc.constantFrom('s:a', 's:b') })
    fc.assert(
      fc.property(fc.array(anyEntry, { maxLength: 60 }), (given) => {
        const entries = given.map(({ isCall, at, tool }, place) =>
          isCall ? call(at, tool) : search(at, `q${place}`, [tool]),
        )
        const { pairs, ignored } = paired(entries)
        const followed = new Set(pairs.map((pair) => pair.split(' ')[0]))
        expect(ignored.some((query) => followed.has(query))).toBe(false)
        expect(followed.size + new Set(ignored).size).toBe(entries.filter(({ kind }) => kind === 'search').length)
      }),
    )
  })
})

describe('summariseSearches', () => {
  const of = async (...entries: AuditEntry[]) =>
    summariseSearches(
      (async function* () {
        yield* entries
      })(),
    )

  it('groups searches by their texts, and counts those without a result or a call', async () => {
    const { summaries, withoutTexts } = await of(
      search(1, 'Send  Mail', []),
      search(2, 'send mail', ['s:a']),
      search(3, 'file a bug', ['s:b']),
      call(4, 's:b'),
      search(5, 'gone', [], { queries: undefined }),
      search(6, 'failed', [], { outcome: 'SEARCH_UNAVAILABLE' }),
    )
    expect(summaries).toEqual([
      { queries: ['Send  Mail'], searches: 2, foundNothing: 1, ledToNoCall: 1, lastAt: 2 },
      { queries: ['file a bug'], searches: 1, foundNothing: 0, ledToNoCall: 0, lastAt: 3 },
    ])
    expect(withoutTexts).toBe(1)
  })
})
