import { describe, expect, it } from 'vitest'
import { LearnedUses } from '../learning/learned-uses.ts'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { EmbeddingsProvider } from '../providers/embeddings/embeddings-provider.ts'
import { FallbackProvider } from '../providers/fallback/fallback-provider.ts'
import { HybridProvider } from '../providers/hybrid/hybrid-provider.ts'
import { toyEmbedder } from '../providers/meaning/toy-embedder.case.ts'
import type { SearchProvider } from '../providers/search-provider.ts'
import { createToolIndex, loadIndex } from './in-memory-tool-index.ts'
import type { InMemoryToolIndex } from './tool-index.ts'

const TOOLS = [
  { name: 'create_issue', description: 'Opens an issue in a repository' },
  { name: 'create_label', description: 'Creates a label' },
  { name: 'report_error', description: 'Reports an error of the tracker itself' },
  { name: 'close_issue', description: 'Closes an issue' },
]
const QUERY = 'report the error that users see'
/** Of which no tool has more than a word. */
const VAGUE = 'users of the tracker see a crash on the login page'

async function filled(provider: SearchProvider): Promise<InMemoryToolIndex> {
  const index = createToolIndex({ provider, uses: new LearnedUses({ now: () => 1_000 }) })
  await index.registerToolsFromMCP('tracker', TOOLS)
  return index
}

const idsOf = async (index: InMemoryToolIndex, query: string, options = {}) =>
  (await index.search(query, options)).results.map(({ id }) => id)

describe.each<[string, () => SearchProvider]>([
  ['bm25', () => new Bm25Provider()],
  ['hybrid', () => new HybridProvider([toyEmbedder()])],
])('an index that learns, with %s', (_, provider) => {
  it('U13: ranks a tool higher for queries like those it was used for, and explains why', async () => {
    const index = await filled(provider())
    expect((await idsOf(index, VAGUE))[0]).not.toBe('tracker:create_issue')
    for (const by of ['a', 'b', 'c', 'd']) await index.learn({ query: VAGUE, toolId: 'tracker:create_issue', by })
    const { results } = await index.search('the login page crashes for users', { explain: true })
    expect(results[0]?.id).toBe('tracker:create_issue')
    expect(results[0]?.explanation?.text).toMatch(/^used for "users of the tracker see a crash on the login page"/)
    const relevances = results.map(({ relevance }) => relevance)
    expect(relevances).toEqual(relevances.toSorted((one, other) => other - one))
    expect(await index.forget({ toolId: 'tracker:create_issue' })).toBe(4)
    expect((await idsOf(index, VAGUE))[0]).not.toBe('tracker:create_issue')
  })

  it('leaves a ranking as it is that is sure of its first hit', async () => {
    const index = await filled(provider())
    for (const by of ['a', 'b', 'c']) await index.learn({ query: 'report error', toolId: 'tracker:create_label', by })
    expect((await idsOf(index, 'report error'))[0]).toBe('tracker:report_error')
  })

  it('U13: prefers what fits as well of a server that was used for the like', async () => {
    const index = await filled(provider())
    for (const server of ['board', 'desk']) {
      await index.registerToolsFromMCP(server, [
        { name: 'create_ticket', description: 'Creates a ticket' },
        { name: 'escalate_ticket', description: 'Escalates a ticket' },
      ])
    }
    const query = 'a ticket for the new colleague'
    const serversInOrder = async () =>
      (await idsOf(index, query)).filter((id) => id.endsWith(':create_ticket')).map((id) => id.split(':')[0])
    const [first, second] = await serversInOrder()
    for (const by of ['a', 'b', 'c', 'd']) {
      await index.learn({ query: 'ticket to the boss', toolId: `${second}:escalate_ticket`, by })
      await index.learn({ query: 'urgent ticket', toolId: `${second}:escalate_ticket`, by })
    }
    expect(await serversInOrder()).toEqual([second, first])
  })

  it('finds what the query language says and nothing else', async () => {
    const index = await filled(provider())
    for (const by of ['a', 'b', 'c', 'd']) await index.learn({ query: VAGUE, toolId: 'tracker:create_issue', by })
    const query = 'users AND tracker NOT issue'
    expect(await idsOf(index, query)).not.toContain('tracker:create_issue')
  })

  it('U13: never ranks a used tool above an exact name', async () => {
    const index = await filled(provider())
    for (let nth = 0; nth < 50; nth++) {
      await index.learn({ query: 'close_issue', toolId: 'tracker:create_label', weight: 1 })
    }
    expect((await idsOf(index, 'close_issue'))[0]).toBe('tracker:close_issue')
    expect((await idsOf(index, 'tracker:close_issue'))[0]).toBe('tracker:close_issue')
  })

  it('U13: shows no tool outside of the filter, and none that is gone', async () => {
    const index = await filled(provider())
    await index.learn({ query: QUERY, toolId: 'tracker:create_label', weight: 1 })
    await index.learn({ query: QUERY, toolId: 'gone:tool', weight: 1 })
    expect(await idsOf(index, QUERY)).toContain('tracker:create_label')
    const within = new Set(['tracker:report_error', 'tracker:create_issue'])
    for (const id of await idsOf(index, QUERY, { within })) expect(within.has(id)).toBe(true)
  })

  it('answers as before where nothing like it was learnt', async () => {
    const [index, other] = [await filled(provider()), await filled(provider())]
    await index.learn({ query: 'weather in Oslo', toolId: 'tracker:create_label' })
    expect(await index.search(QUERY, { explain: true })).toEqual(await other.search(QUERY, { explain: true }))
  })

  it('learns little from a use that it would have found first', async () => {
    const index = await filled(provider())
    await index.learn({ query: QUERY, toolId: 'tracker:report_error' })
    await index.learn({ query: QUERY, toolId: 'tracker:create_label' })
    const [first, missed] = index.learned().map(({ weight }) => weight)
    expect(first).toBeLessThan(0.2)
    expect(missed).toBeGreaterThan(0.5)
  })

  it('is saved with what it learnt', async () => {
    const index = await filled(provider())
    await index.learn({ query: QUERY, toolId: 'tracker:create_issue', by: 'a' })
    const uses = new LearnedUses({ now: () => 1_000 })
    const loaded = await loadIndex(await index.save(), { provider: provider(), uses })
    expect(loaded.learned()).toEqual(index.learned())
    expect(await loaded.search(QUERY)).toEqual(await index.search(QUERY))
  })
})

describe('a misspelt option', () => {
  const refused = expect.objectContaining({ code: 'INVALID_ARGUMENTS' })
  const refusal = (name: string) =>
    expect.objectContaining({ code: 'INVALID_ARGUMENTS', details: expect.objectContaining({ field: name }) })

  it('U13: forgets nothing, and teaches nothing', async () => {
    const index = await filled(new Bm25Provider())
    await index.learn({ query: QUERY, toolId: 'tracker:create_label' })
    await expect(index.forget({ querry: QUERY } as never)).rejects.toEqual(refusal('querry'))
    await expect(index.forget(null as never)).rejects.toEqual(refused)
    await expect(index.learn({ query: QUERY, toolId: 'tracker:close_issue', user: 'a' } as never)).rejects.toEqual(
      refusal('user'),
    )
    await expect(index.learn(undefined as never)).rejects.toEqual(refused)
    expect(index.learned().map(({ toolId }) => toolId)).toEqual(['tracker:create_label'])
  })

  it.each<[string, (options: never) => unknown]>([
    ['Bm25Provider', (options) => new Bm25Provider(options)],
    ['EmbeddingsProvider', (options) => new EmbeddingsProvider([toyEmbedder()], options)],
    ['HybridProvider', (options) => new HybridProvider([toyEmbedder()], options)],
    ['FallbackProvider', (options) => new FallbackProvider([new Bm25Provider()], options)],
    ['LearnedUses', (options) => new LearnedUses(options)],
  ])('[T12] is refused by %s', (_, make) => {
    expect(() => make({ querryReader: undefined } as never)).toThrow(refusal('querryReader'))
  })
})

describe('a cursor', () => {
  it('is stale once something was learnt, because the order may have changed', async () => {
    const index = await filled(new Bm25Provider())
    const { nextCursor = '' } = await index.searchPage('issue label', { pageSize: 1 })
    await index.learn({ query: 'issue label', toolId: 'tracker:create_label' })
    await expect(index.searchPage('issue label', { pageSize: 1, cursor: nextCursor })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
      details: { reason: 'stale' },
    })
  })
})
