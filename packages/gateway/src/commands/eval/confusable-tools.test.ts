import type { IndexedTool } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { confusablePairs } from './confusable-tools.ts'
import type { Outcome } from './ranker.ts'

const tool = (id: string, description = ''): IndexedTool => ({ id, name: id, description })
const angle = (degrees: number): Float32Array => {
  const radians = (degrees * Math.PI) / 180
  return Float32Array.of(Math.cos(radians), Math.sin(radians))
}
/** The meaning of each tool as an angle, by the first word of its name. */
const MEANINGS = new Map([
  ['send', 0],
  ['post', 10],
  ['mail', 40],
  ['delete', 90],
])
const vectorOf = (text: string): Float32Array => angle(MEANINGS.get(/^\w+/.exec(text)?.[0] ?? '') ?? 180)
const outcome = (wanted: string, ...ranking: string[]): Outcome => ({
  query: { queries: ['q'], relevant: new Set([wanted]) },
  ranking,
  figures: { hit1: 0, recall5: 0, recall10: 0, ndcg10: 0, mrr: 0 },
  ms: 1,
})

describe('confusablePairs', () => {
  it('finds tools with nearly the same meaning', () => {
    const pairs = confusablePairs([tool('send'), tool('post'), tool('mail'), tool('delete')], [], vectorOf)
    expect(pairs).toEqual([{ tools: ['send', 'post'], similarity: expect.closeTo(0.985, 3), mixedUp: 0 }])
  })

  it('finds tools that searches confuse, and lists them first', () => {
    const mixUps = [
      outcome('mail', 'send', 'mail'),
      outcome('send', 'mail'),
      outcome('delete', 'send'),
      outcome('send', 'send'),
    ]
    const pairs = confusablePairs([tool('send'), tool('post'), tool('mail'), tool('delete')], mixUps, vectorOf)
    expect(pairs.map(({ tools, mixedUp }) => [...tools, mixedUp])).toEqual([
      ['send', 'mail', 2],
      ['send', 'post', 0],
    ])
  })

  it('compares letters of scripts that the embedding table does not cover', () => {
    const pairs = confusablePairs(
      [
        tool('在庫検索', '在庫を検索します'),
        tool('在庫検索2', '在庫を検索します。'),
        tool('発注作成', '発注書を作ります'),
      ],
      [],
      () => angle(0),
    )
    expect(pairs.map(({ tools }) => tools)).toEqual([['在庫検索', '在庫検索2']])
  })

  it('returns at most twenty pairs', () => {
    const tools = Array.from({ length: 30 }, (_, at) => tool(`send ${at}`))
    expect(confusablePairs(tools, [], vectorOf)).toHaveLength(20)
  })
})
