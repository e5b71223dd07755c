import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../tool.ts'
import { Bm25Provider } from './bm25-provider.ts'
import { corpusOf, viewOf } from './corpus.case.ts'
import { CANDIDATES, MOST_PATTERNS } from './parameters.ts'
import { Ranker, type Ranking } from './ranker.ts'

const tool = (name: string, description = '', namespace = 's'): IndexedTool => ({
  id: `${namespace}:${name}`,
  namespace,
  name,
  description,
})

const found = async (tools: readonly IndexedTool[], query: string): Promise<string[]> => {
  const provider = new Bm25Provider()
  provider.apply({ added: tools, changed: [], removed: [] })
  return (await provider.search({ queries: [query], maxResults: 10 })).hits.map((hit) => hit.id)
}

describe('Ranker', () => {
  it('begins a longer ranking with the shorter one, also past those looked at closely', () => {
    // Many ties, and names that the close look lifts.
    const name = fc.constantFrom('read', 'file', 'read_file', 'file_read', 'x')
    const names = fc.array(name, { minLength: CANDIDATES, maxLength: 2 * CANDIDATES })
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 50 }), (chosen, depth) => {
        const corpus = corpusOf(
          chosen.map((one, i) => ({ id: `${(i * 7) % 89}:${one}`, name: one, description: 'reads file' })),
        )
        const ranker = new Ranker(corpus)
        const rank = (most: number): Ranking['documents'] => ranker.rank('read file', viewOf(corpus), most).documents
        expect(rank(depth)).toEqual(rank(100).slice(0, depth))
      }),
      { numRuns: 50 },
    )
  })

  it('excludes a tool even if the query folds to its name', async () => {
    expect(await found([tool('not_delete'), tool('read')], 'NOT delete')).toEqual(['s:read'])
    expect(await found([tool('title_walnut'), { ...tool('read'), title: 'Walnut' }], 'title:walnut')).toEqual([
      's:read',
    ])
  })

  it('puts the tool first whose key the query is, even if it could be a condition', async () => {
    const tools = [tool('github', '', 'server'), tool('read', '', 'github')]
    expect(await found(tools, 'server:github')).toEqual(['server:github', 'github:read'])
  })

  it('ranks a tool with the word as said above one with another word for it', async () => {
    expect(await found([tool('a', 'erase it'), tool('b', 'delete it')], 'delete')).toEqual(['s:b', 's:a'])
  })

  it('adds the score of the server where there are several', async () => {
    const tools = [tool('a', 'walnut', 'tea'), tool('b', 'walnut', 'nuts'), tool('nut', 'cracks', 'nuts')]
    expect((await found(tools, 'walnut nuts')).indexOf('nuts:b')).toBeLessThan(
      (await found(tools, 'walnut nuts')).indexOf('tea:a'),
    )
  })

  it('lets the best clause of a long query count', async () => {
    const tools = [
      tool('a', 'send email message'),
      tool('b', 'send file'),
      tool('c', 'read email'),
      tool('d', 'local message'),
    ]
    expect((await found(tools, 'read local file. send email message now.'))[0]).toBe('s:a')
  })

  it('takes a query of too many patterns for plain words', async () => {
    const tools = [tool('story'), tool('read')]
    const query = (count: number) => Array.from({ length: count }, () => 'sto*').join(' OR ')
    expect(await found(tools, query(MOST_PATTERNS))).toEqual(['s:story'])
    expect(await found(tools, query(MOST_PATTERNS + 1))).toEqual([])
  })
})
