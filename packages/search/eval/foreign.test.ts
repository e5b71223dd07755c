import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readDataSet } from './data-set.ts'
import { byKind, evaluate, summarise } from './evaluate.ts'
import { RANKERS } from './rankers/index.ts'

const foreign = readDataSet(fileURLToPath(new URL('./golden/foreign', import.meta.url)))

describe('the golden set in other languages', () => {
  it('has at least forty queries of each language, half of them held out', () => {
    const kinds = Map.groupBy(foreign.queries, ({ kind }) => kind ?? '')
    for (const language of ['german', 'french', 'spanish', 'portuguese', 'japanese']) {
      const [open, heldOut] = [kinds.get(language)?.length ?? 0, kinds.get(`${language}-held-out`)?.length]
      expect([language, open]).toEqual([language, heldOut])
      expect(open).toBeGreaterThanOrEqual(20)
    }
  })

  it.each(['bm25', 'embeddings', 'hybrid'])('is found by %s, the right tool among five', async (name) => {
    const ranker = RANKERS.find((one) => one.name === name)
    if (ranker === undefined) throw new Error(name)
    for (const [kind, outcomes] of byKind((await evaluate(foreign, ranker)).outcomes)) {
      expect([kind, summarise(outcomes).recall5 >= 0.8]).toEqual([kind, true])
    }
  })
})
