import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../../tool/tool.ts'
import type { Corpus } from '../index/corpus.ts'
import { corpusOf, viewOf } from '../index/corpus.case.ts'
import { readQuery } from '../query/read-query.ts'
import { Ranker, type Ranking } from './ranker.ts'

// Few words that are common, some that are rare, and servers whose names are words of tools.
const WORDS = [
  'get',
  'list',
  'file',
  'issue',
  'board',
  'trello',
  'weather',
  'merge',
  'zebra',
  'invoice',
  'send',
  'mail',
]
const word = fc.nat({ max: 1_000 }).map((pick) => WORDS[Math.floor((pick / 1_001) ** 3 * WORDS.length)] as string)
const text = (most: number) => fc.array(word, { minLength: 1, maxLength: most }).map((words) => words.join(' '))

const TOOLS = fc.array(
  fc.record({ name: text(2), server: fc.constantFrom('trello', 'mail', 'files', undefined), description: text(8) }),
  { minLength: 60, maxLength: 400, size: 'max' },
)

function toolsOf(drawn: readonly { name: string; server: string | undefined; description: string }[]): IndexedTool[] {
  return drawn.map(({ name, server, description }, i) => ({
    id: `${server ?? ''}:${(i * 7) % 401}`,
    name: name.replaceAll(' ', '_'),
    description,
    ...(server !== undefined && { namespace: server }),
  }))
}

/** The ranking of the pruned search, and of one that scores every document. */
function bothRankings(corpus: Corpus, query: string, depth: number, ids?: ReadonlySet<string>): readonly Ranking[] {
  const ranker = new Ranker(corpus)
  const view = viewOf(corpus, ids)
  const read = readQuery(query)
  const pruned = ranker.ranking(ranker.score(read, view, depth), depth)
  return [pruned, ranker.ranking(ranker.score(read, view), depth)]
}

describe('search by words', () => {
  it('ranks as if every posting were read, to the last bit, within filters as well', () => {
    const depth = fc.integer({ min: 1, max: 30 })
    fc.assert(
      fc.property(TOOLS, text(5), depth, fc.option(fc.func(fc.boolean())), (drawn, query, most, chosen) => {
        const tools = toolsOf(drawn)
        const ids = tools.filter(({ id }) => chosen?.(id) ?? true).map(({ id }) => id)
        const [pruned, all] = bothRankings(corpusOf(tools), query, most, chosen === null ? undefined : new Set(ids))
        expect(pruned).toEqual(all)
      }),
      { numRuns: 300 },
    )
  })

  it('leaves out most of the postings of common words', () => {
    const tools = Array.from({ length: 5_000 }, (_, i) => ({
      id: `s:${i}`,
      name: i % 50 === 0 ? 'get_zebra_data' : 'get_file_data',
      description: `Gets the ${i % 50 === 0 ? 'zebra' : 'file'} number ${i}.`,
    }))
    const corpus = corpusOf(tools)
    const { totals } = new Ranker(corpus).score(readQuery('get zebra'), viewOf(corpus), 10)
    expect(totals.count).toBe(100)
  })
})
