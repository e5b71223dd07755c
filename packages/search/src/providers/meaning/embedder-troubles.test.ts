import { describe, expect, it } from 'vitest'
import type { Embedder } from './embedder.ts'
import { EmbeddingsProvider } from '../embeddings/embeddings-provider.ts'
import { HybridProvider } from '../hybrid/hybrid-provider.ts'
import { changeOf, TOOLS } from '../provider-contract-inputs.case.ts'
import { toyEmbedder, waitingEmbedder } from './toy-embedder.case.ts'

const never = <Value>(): Promise<Value> => new Promise(() => {})
const request = { queries: ['ticket'], maxResults: 3 }

/** An embedder that works for tools, and for queries as `embed` does. */
function failingFor(purpose: 'query' | 'tool', embed: Embedder['embed']): Embedder {
  const good = waitingEmbedder('bad')
  return {
    ...good,
    embed: (texts, options) => (options?.purpose === purpose ? embed(texts, options) : good.embed(texts, options)),
  }
}

const TROUBLES: [string, Embedder['embed'], RegExp][] = [
  ['hangs', () => never(), /bad: it did not answer within 5 ms/],
  ['dies', async () => Promise.reject(new Error('worker exited')), /bad: worker exited/],
  ['throws', () => { throw new Error('out of order') }, /bad: out of order/], // biome-ignore format: one line each
  ['has too few vectors', async () => [], /bad: it gave 0 vectors for 1 texts/],
  [
    'has a wrong dimension',
    async (texts) => texts.map(() => new Float32Array(3)),
    /vector of 3 numbers instead of 300/,
  ],
  ['gives no numbers', async (texts) => texts.map(() => new Float32Array(300).fill(Number.NaN)), /no number/],
  ['gives nothing', async () => undefined as never, /it gave no vectors/],
]

describe('an embedder that', () => {
  it.each(TROUBLES)('%s for a query is skipped, and the next one answers and reports why', async (_, embed, reason) => {
    const provider = new HybridProvider([failingFor('query', embed), toyEmbedder()], { queryBudgetMs: 5 })
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    const answer = await provider.search(request)
    expect(answer).toMatchObject({ answeredBy: 'hybrid', embedder: 'toy', degraded: { strategy: 'hybrid' } })
    expect(answer.degraded?.reason).toMatch(reason)
    expect(answer.hits[0]?.id).toBe('github:create_issue')
  })

  it.each(TROUBLES.slice(1))('%s for tools leaves them to the words', async (_, embed, reason) => {
    const provider = new HybridProvider([failingFor('tool', embed)])
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    const answer = await provider.search(request)
    expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'hybrid' } })
    expect(answer.degraded?.reason).toMatch(/7 of 7 tools have no vector yet/)
    expect(provider.progress()).toEqual([{ embedder: 'bad', pending: 7, failure: expect.any(String) }])
    if (!reason.source.includes('1 texts'))
      expect(answer.degraded?.reason).toMatch(new RegExp(reason.source.replace('bad: ', '')))
  })

  it('is late three times in a row is not asked for 15 seconds', async () => {
    let asked = 0
    let now = 0
    const late = failingFor('query', () => {
      asked++
      return never()
    })
    const provider = new HybridProvider([late, toyEmbedder()], { queryBudgetMs: 5, now: () => now })
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    const reasons: (string | undefined)[] = []
    for (let search = 0; search < 5; search++) reasons.push((await provider.search(request)).degraded?.reason)
    expect(asked).toBe(3)
    expect(reasons[2]).toMatch(/did not answer within 5 ms/)
    expect(reasons[4]).toMatch(/bad: it failed or was late 3 times in a row; it is asked again in 15 s/)
    now = 15_000
    await provider.search(request)
    expect(asked).toBe(4)
  })

  it('is late because the caller left is asked again', async () => {
    let asked = 0
    const late = failingFor('query', () => {
      asked++
      return never()
    })
    const provider = new HybridProvider([late, toyEmbedder()], { now: () => 0 })
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    for (let search = 0; search < 5; search++) {
      const controller = new AbortController()
      const answer = provider.search({ ...request, signal: controller.signal })
      controller.abort(new Error('left'))
      await expect(answer).rejects.toThrow('left')
    }
    expect(asked).toBe(5)
  })

  it('hangs for tools is not waited for by searches', async () => {
    const provider = new HybridProvider([failingFor('tool', () => never())])
    provider.apply(changeOf({ added: TOOLS }))
    expect((await provider.search(request)).answeredBy).toBe('bm25')
    provider.close()
    await provider.settled()
  })

  it.each([
    ['throws', () => { throw new Error('no table') }], // biome-ignore format: one line each
    ['lies', () => new Float32Array(2)],
  ] as [string, () => Float32Array][])('%s at once does not keep tools from being taken over', async (_, embedNow) => {
    const provider = new HybridProvider([{ ...toyEmbedder('bad'), embedNow, embed: async () => [embedNow()] }])
    provider.apply(changeOf({ added: TOOLS }))
    const answer = await provider.search(request)
    expect(answer.answeredBy).toBe('bm25')
    expect(answer.hits[0]?.id).toBe('github:create_issue')
  })

  it('fails is no answer of embeddings', async () => {
    const provider = new EmbeddingsProvider([failingFor('query', async () => [])])
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    await expect(provider.search(request)).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      details: { reason: 'bad: it gave 0 vectors for 1 texts' },
    })
    await expect(new EmbeddingsProvider([]).search(request)).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
  })

  it('is asked when the caller has gone ends with the reason', async () => {
    const provider = new HybridProvider([failingFor('query', () => never())])
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    const caller = new AbortController()
    const answer = provider.search({ ...request, signal: caller.signal })
    const reason = new Error('gone')
    caller.abort(reason)
    await expect(answer).rejects.toBe(reason)
  })

  it('failed is asked again after a rest', async () => {
    let time = 0
    let isBroken = true
    const broken = failingFor('tool', (texts) => {
      if (isBroken) throw new Error('starting up')
      return waitingEmbedder().embed(texts)
    })
    const provider = new HybridProvider([broken], { now: () => time })
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    isBroken = false
    await provider.search(request)
    await provider.settled()
    expect((await provider.search(request)).answeredBy).toBe('bm25')
    time += 60_000
    await provider.search(request)
    await provider.settled()
    expect(await provider.search(request)).toMatchObject({ answeredBy: 'hybrid', embedder: 'bad' })
    expect(provider.progress()).toEqual([{ embedder: 'bad', pending: 0 }])
  })
})
