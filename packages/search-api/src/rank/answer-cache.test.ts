import type { Embedder } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { apiWith, post, search, sha256, TOOLS } from '../ask.case.ts'

/** Answers differ by how often the query was embedded. */
function counted() {
  let queries = 0
  const embedNow = (text: string): Float32Array => {
    if (text === 'weather') queries += 1
    return new Float32Array([1, 0])
  }
  const embedder: Embedder = { id: 'counted', dimensions: 2, embed: async (texts) => texts.map(embedNow) }
  return { embedder, queries: () => queries }
}

const body = { query: ['weather'], tools: TOOLS }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const tokens = [
  { sha256: sha256('one'), project: 'one' },
  { sha256: sha256('other'), project: 'other' },
  { sha256: sha256('any'), project: '*' },
]

describe('answers', () => {
  it('are cached for a short time', async () => {
    let now = 1_000
    const { embedder, queries } = counted()
    // The toy embeds the query of every search that is not answered from the cache.
    const api = apiWith({ tokens, embedders: [embedder], now: () => now })
    const first = await post(api, body, bearer('one'))
    now = 60_000
    expect((await post(api, body, bearer('one'))).body).toEqual(first.body)
    expect(queries()).toBe(1)
    now = 62_000
    await post(api, body, bearer('one'))
    expect(queries()).toBe(2)
    await api.close()
  })

  it('are never shared between projects or questions', async () => {
    const { embedder, queries } = counted()
    const api = apiWith({ tokens, embedders: [embedder], now: () => 1_000 })
    await post(api, body, bearer('one'))
    await post(api, body, bearer('other'))
    await post(api, { ...body, projectId: 'third' }, bearer('any'))
    await post(api, { ...body, projectId: 'one' }, bearer('any'))
    expect(queries()).toBe(3)
    await post(api, { ...body, context: 'on holiday' }, bearer('one'))
    await post(api, { ...body, maxResults: 3 }, bearer('one'))
    await post(api, { ...body, tools: TOOLS.slice(1) }, bearer('one'))
    expect(queries()).toBe(6)
    await api.close()
  })

  it('are not cached if answerMs is 0', async () => {
    const { embedder, queries } = counted()
    const api = apiWith({ embedders: [embedder], cache: { answerMs: 0 } })
    await search(api, body)
    await search(api, body)
    expect(queries()).toBe(2)
    await api.close()
  })
})
