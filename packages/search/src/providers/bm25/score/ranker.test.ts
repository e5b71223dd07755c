import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseQuery } from '../../../query/parse-query.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { Bm25Provider } from '../bm25-provider.ts'
import type { Corpus } from '../index/corpus.ts'
import { corpusOf, viewOf } from '../index/corpus.case.ts'
import { CANDIDATES, CLAUSE_WEIGHT, MOST_PATTERNS, MOST_QUERY_CHARACTERS, SERVER_WEIGHT } from '../parameters.ts'
import { Ranker, type Ranking } from './ranker.ts'
import { readQuery } from '../query/read-query.ts'
import { matchStructured } from '../query/structured-match.ts'

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

const ranked = (corpus: Corpus, text: string, depth: number): Ranking['documents'] => {
  const ranker = new Ranker(corpus)
  return ranker.ranking(ranker.score(readQuery(text), viewOf(corpus)), depth).documents
}

describe('Ranker', () => {
  it('begins a longer ranking with the shorter one, also past those looked at closely', () => {
    // Many ties, and names that get a bonus.
    const name = fc.constantFrom('read', 'file', 'read_file', 'file_read', 'x')
    const names = fc.array(name, { minLength: CANDIDATES, maxLength: 2 * CANDIDATES })
    fc.assert(
      fc.property(names, fc.integer({ min: 1, max: 50 }), (chosen, depth) => {
        const corpus = corpusOf(
          chosen.map((one, i) => ({ id: `${(i * 7) % 89}:${one}`, name: one, description: 'reads file' })),
        )
        const ranker = new Ranker(corpus)
        const rank = (most: number): Ranking['documents'] =>
          ranker.ranking(ranker.score(readQuery('read file'), viewOf(corpus)), most).documents
        expect(rank(depth)).toEqual(rank(100).slice(0, depth))
      }),
      { numRuns: 50 },
    )
  })

  it('looks closely at the same tools of many equal ones, however they are numbered', () => {
    const names = Array.from({ length: CANDIDATES + 8 }, (_, i) => `${100 - i}`)
    const corpus = corpusOf(names.map((id) => ({ id, name: 'read', description: 'reads' })))
    const rank = (depth: number) => ranked(corpus, 'reads', depth)
    expect(rank(100).slice(0, 5)).toEqual(rank(5))
    expect(rank(100).map(({ document }) => corpus.tool(document).id)).toEqual(names.sort())
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

  it('ranks a tool with the typed word above one with another word for it', async () => {
    expect(await found([tool('a', 'erase it'), tool('b', 'delete it')], 'delete')).toEqual(['s:b', 's:a'])
  })

  it('adds the score of the server where there are several', () => {
    const nut = tool('walnut_cracker', '', 'nuts')
    const scoreAmong = (tools: readonly IndexedTool[]): number => {
      const corpus = corpusOf(tools)
      return ranked(corpus, 'walnut', 1)[0]?.score ?? 0
    }
    const alone = scoreAmong([nut])
    expect(scoreAmong([nut, tool('tea', '', 'nuts')])).toBeCloseTo(alone)
    expect(scoreAmong([nut, tool('tea', '', 'tea')])).toBeCloseTo(alone + SERVER_WEIGHT)
  })

  it('adds what the best clause of a long query scores', () => {
    const corpus = corpusOf([tool('a', 'urgent email message'), tool('b', 'small file')])
    const best = (text: string) => ranked(corpus, text, 1)[0]
    const [whole, parted] = [
      best('urgent email message small local file'),
      best('urgent email message. small local file'),
    ]
    expect(parted?.score).toBeCloseTo((whole?.score ?? 0) + CLAUSE_WEIGHT)
    expect(parted?.relevance).toBeGreaterThan(whole?.relevance ?? 1)
  })

  it('weighs a prefix by how rare it is, as a word', () => {
    const corpus = corpusOf(['walnut', 'file', 'tea', 'tea', 'tea'].map((text, i) => tool(`x${i}`, text)))
    const rank = (query: string) => {
      const { root } = parseQuery(query)
      if (root === null) throw new Error('blank')
      const match = matchStructured(root, corpus, viewOf(corpus))
      const ranker = new Ranker(corpus)
      const scores = ranker.scoreMatching(query, match, viewOf(corpus))
      return ranker.ranking(scores, 5).documents.map(({ score }) => score)
    }
    const [word = 0, prefix = 0] = rank('walnut* OR file')
    expect(word - prefix).toBeLessThan(0.05)
    const [rare = 0, common = 0] = rank('walnut* OR tea*')
    expect(common).toBeLessThan(0.6 * rare)
  })

  it('takes a query of too many patterns as words', async () => {
    const tools = [tool('story'), tool('read')]
    const query = (count: number) => Array.from({ length: count }, () => 'sto*').join(' OR ')
    expect(await found(tools, query(MOST_PATTERNS))).toEqual(['s:story'])
    expect(await found(tools, query(MOST_PATTERNS + 1))).toEqual([])
  })

  it('reads a query no further than the limit', async () => {
    const far = (length: number) => `${'x'.repeat(length - ' walnut'.length)} walnut`
    expect(await found([tool('walnut')], far(MOST_QUERY_CHARACTERS))).toEqual(['s:walnut'])
    expect(await found([tool('walnut')], far(MOST_QUERY_CHARACTERS + 4))).toEqual([])
  })
})
