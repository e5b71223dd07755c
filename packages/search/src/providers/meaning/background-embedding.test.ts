import { describe, expect, it } from 'vitest'
import type { Embedder, VectorCache } from './embedder.ts'
import { HybridProvider } from '../hybrid/hybrid-provider.ts'
import { changeOf, TOOLS, tool } from '../provider-contract-inputs.case.ts'
import { toyEmbedder, waitingEmbedder } from './toy-embedder.case.ts'

const request = { queries: ['ticket'], maxResults: 3 }

/** Counts the texts of tools that an embedder is asked for. */
function counting(embedder: Embedder): { embedder: Embedder; texts: string[] } {
  const texts: string[] = []
  const embed: Embedder['embed'] = (some, options) => {
    if (options?.purpose === 'tool') texts.push(...some.filter((text) => TOOL_TEXT.test(text)))
    return embedder.embed(some, options)
  }
  return { embedder: { ...embedder, embed }, texts }
}
const TOOL_TEXT = /^(files|github|jira|slack|weather): (?!get forecast|remove file)/

/** An embedder that answers when it is let. */
function gated(embedder: Embedder): { embedder: Embedder; open: () => void } {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  return { embedder: { ...embedder, embed: (texts, options) => gate.then(() => embedder.embed(texts, options)) }, open }
}

/** A cache in memory that counts what it is given. */
function memoryCache(): VectorCache & { saved: number } {
  const vectors = new Map<string, Int8Array>()
  return {
    saved: 0,
    async load(id, hashes) {
      return new Map(
        hashes.flatMap((hash) => {
          const vector = vectors.get(`${id} ${hash}`)
          return vector === undefined ? [] : [[hash, vector] as const]
        }),
      )
    },
    async save(id, some) {
      this.saved += some.size
      for (const [hash, vector] of some) vectors.set(`${id} ${hash}`, vector)
    },
  }
}

describe('an embedder that has to be waited for', () => {
  it('answers once every tool has its vector; until then the next one does', async () => {
    const { embedder, open } = gated(waitingEmbedder())
    const provider = new HybridProvider([embedder, toyEmbedder()])
    provider.apply(changeOf({ added: TOOLS }))
    const before = await provider.search(request)
    expect(before.embedder).toBe('toy')
    expect(before.degraded?.reason).toBe('waiting: 7 of 7 tools have no vector yet')
    open()
    await provider.settled()
    expect(await provider.search(request)).toMatchObject({ embedder: 'waiting', hits: before.hits })
    expect((await provider.search(request)).degraded).toBeUndefined()
  })

  it('answers as one that needs no waiting would', async () => {
    const [waiting, now] = [new HybridProvider([waitingEmbedder()]), new HybridProvider([toyEmbedder()])]
    for (const provider of [waiting, now]) provider.apply(changeOf({ added: TOOLS }))
    await waiting.settled()
    expect((await waiting.search(request)).hits).toEqual((await now.search(request)).hits)
    expect([waiting.deterministic, now.deterministic]).toEqual([false, true])
  })

  it('answers within tools that have their vectors, even if others have none', async () => {
    const { embedder, open } = gated(waitingEmbedder())
    let isHeld = false
    const held: Embedder = {
      ...embedder,
      embed: (texts, options) =>
        (isHeld && options?.purpose === 'tool' ? embedder : waitingEmbedder()).embed(texts, options),
    }
    const provider = new HybridProvider([held])
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    isHeld = true
    provider.apply(changeOf({ added: [tool('late:walnut', 'Cracks nuts')] }))
    expect((await provider.search(request)).answeredBy).toBe('bm25')
    const within = new Set(TOOLS.map((one) => one.id))
    expect((await provider.search({ ...request, within })).answeredBy).toBe('hybrid')
    open()
    await provider.settled()
    expect((await provider.search(request)).answeredBy).toBe('hybrid')
  })

  it('does not put the vector of an old text on a tool that changed meanwhile', async () => {
    const { embedder, open } = gated(waitingEmbedder())
    const provider = new HybridProvider([embedder])
    provider.apply(changeOf({ added: [tool('a:b', 'Cracks walnuts')] }))
    provider.apply(changeOf({ changed: [tool('a:b', 'Opens a ticket')] }))
    open()
    await provider.settled()
    const fresh = new HybridProvider([toyEmbedder()])
    fresh.apply(changeOf({ added: [tool('a:b', 'Opens a ticket')] }))
    expect((await provider.search(request)).hits).toEqual((await fresh.search(request)).hits)
  })

  it('never finds a tool that went while its vector was made', async () => {
    const { embedder, open } = gated(waitingEmbedder())
    const provider = new HybridProvider([embedder])
    provider.apply(changeOf({ added: TOOLS }))
    provider.apply(changeOf({ removed: TOOLS.slice(2, 3) }))
    open()
    await provider.settled()
    expect((await provider.search(request)).hits.map((hit) => hit.id)).not.toContain('github:create_issue')
  })
})

describe('a cache of vectors', () => {
  it('keeps a restart from embedding anything twice', async () => {
    const cache = memoryCache()
    const [first, second] = [counting(waitingEmbedder()), counting(waitingEmbedder())]
    const answers = []
    for (const { embedder } of [first, second]) {
      const provider = new HybridProvider([embedder], { cache })
      provider.apply(changeOf({ added: TOOLS }))
      await provider.settled()
      answers.push(await provider.search(request))
    }
    expect(first.texts).toHaveLength(TOOLS.length)
    expect(second.texts).toEqual([])
    expect(cache.saved).toBe(TOOLS.length)
    expect(answers[1]).toEqual(answers[0])
  })

  it('is not asked for vectors of another model', async () => {
    const cache = memoryCache()
    const [first, second] = [counting(waitingEmbedder('one')), counting(waitingEmbedder('two'))]
    for (const { embedder } of [first, second]) {
      const provider = new HybridProvider([embedder], { cache })
      provider.apply(changeOf({ added: TOOLS }))
      await provider.settled()
    }
    expect(second.texts).toHaveLength(TOOLS.length)
  })

  it.each([
    ['fails', { load: () => Promise.reject(new Error('disk')), save: () => Promise.reject(new Error('disk')) }],
    [
      'has vectors of a wrong length',
      {
        load: async (_: string, hashes: readonly string[]) => new Map(hashes.map((hash) => [hash, new Int8Array(3)])),
        save: async () => {},
      },
    ],
  ] as [string, VectorCache][])('that %s costs time and nothing else', async (_, cache) => {
    const provider = new HybridProvider([waitingEmbedder()], { cache })
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    expect(await provider.search(request)).toMatchObject({ answeredBy: 'hybrid', embedder: 'waiting' })
  })
})

describe('a changed model', () => {
  it('embeds in the background while the old vectors serve', async () => {
    const { embedder, open } = gated(waitingEmbedder('new'))
    const provider = new HybridProvider([toyEmbedder('old')])
    provider.apply(changeOf({ added: TOOLS }))
    provider.useEmbedders([embedder])
    expect(await provider.search(request)).toMatchObject({ embedder: 'old', degraded: { strategy: 'hybrid' } })
    provider.apply(changeOf({ added: [tool('late:walnut', 'Cracks nuts')] }))
    expect(await provider.search({ queries: ['walnut'], maxResults: 1 })).toMatchObject({ embedder: 'old' })
    open()
    await provider.settled()
    const answer = await provider.search(request)
    expect(answer.embedder).toBe('new')
    expect(answer.degraded).toBeUndefined()
    expect(provider.progress().map((one) => one.embedder)).toEqual(['new'])
  })

  it('keeps the vectors of an embedder that stays', async () => {
    const { embedder, texts } = counting(waitingEmbedder())
    const provider = new HybridProvider([embedder])
    provider.apply(changeOf({ added: TOOLS }))
    await provider.settled()
    const embedded = texts.length
    provider.useEmbedders([toyEmbedder('new'), embedder])
    await provider.settled()
    expect(texts).toHaveLength(embedded)
    expect((await provider.search(request)).embedder).toBe('new')
  })
})
