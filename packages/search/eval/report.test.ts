import { describe, expect, it } from 'vitest'
import type { Outcome } from './evaluate.ts'
import { measure } from './metrics.ts'
import { chartOf, renderRun, toJson } from './report.ts'

function outcome(kind: string | undefined, ranking: readonly string[], ms: number): Outcome {
  const query = { id: 'q', queries: ['x'], relevant: new Set(['a']), ...(kind !== undefined && { kind }) }
  return { query, figures: measure(ranking, query), ms }
}

const only = (...outcomes: Outcome[]) => new Map([['bm25', { outcomes, absent: [] }]])
const run = new Map([
  ['first', only(outcome('name', ['a'], 1), outcome('typo', ['b', 'a'], 3))],
  ['second', only(outcome(undefined, [], 8))],
])

describe('toJson', () => {
  it('holds every figure of every ranker on every set, and nothing else', () => {
    const ndcg10 = (1 + 1 / Math.log2(3)) / 2
    const kinds = {
      name: { hit1: 1, ndcg10: 1, queries: 1 },
      typo: { hit1: 0, ndcg10: 1 / Math.log2(3), queries: 1 },
    }
    const first = { hit1: 0.5, recall5: 1, recall10: 1, ndcg10, mrr: 0.75, queries: 2, p50Ms: 2, kinds }
    const second = { hit1: 0, recall5: 0, recall10: 0, ndcg10: 0, mrr: 0, queries: 1, p50Ms: 8 }
    expect(toJson(run)).toEqual({ sets: { first: { bm25: first }, second: { bm25: second } } })
  })
})

describe('renderRun', () => {
  it('gives every set the same weight in the mean', () => {
    const mean = renderRun(run, { byKind: false }).split('mean of 2 sets')[1]
    expect(mean).toMatch(/bm25 +0\.250 +0\.500 +0\.500 +0\.408 +0\.375 +5\.00/)
  })

  it('breaks a set down by kind where its queries have one', () => {
    const text = renderRun(run, { byKind: true })
    expect(text).toMatch(/first · NDCG@10 by kind +bm25\n[─ ]+\nname \(1\) +1\.000\ntypo \(1\) +0\.631/)
    expect(text).not.toContain('second ·')
  })
})

describe('chartOf', () => {
  it('draws the mean first, then each set, and colours our rankers', () => {
    const chart = chartOf(run, new Set(['bm25']))
    expect([...chart.matchAll(/class="heading"[^>]*>([^<]+)/g)].map(([, title]) => title)).toEqual([
      'mean of 2 sets',
      'first (2 queries)',
      'second (1 queries)',
    ])
    expect(chart.match(/class="bar ours"/g)).toHaveLength(3)
    expect(chart).toContain('>0.408</text>')
    expect(chartOf(run, new Set())).not.toContain('class="bar ours"')
  })
})
