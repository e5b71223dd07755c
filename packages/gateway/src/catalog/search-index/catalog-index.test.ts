import { Bm25Provider, type Embedder, type SearchProvider, type ToolChange, ToolScope } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { CatalogIndex } from './catalog-index.ts'
import type { CatalogTool } from '../catalog.ts'
import { aboutServer, searchedId } from './indexed-tools.ts'
import { searchStrategies } from './search-strategies.ts'
import { serverOf } from '../snapshot.case.ts'

class RecordingProvider implements SearchProvider {
  readonly strategy = 'bm25'
  readonly deterministic = true
  readonly changes: ToolChange[] = []
  readonly inner = new Bm25Provider()
  apply(change: ToolChange): void {
    this.changes.push(change)
    this.inner.apply(change)
  }
  search: SearchProvider['search'] = (request) => this.inner.search(request)
}

/** Embeds texts by letter frequency, as a stand-in for meaning. */
const LETTERS: Embedder = {
  id: 'letters',
  dimensions: 26,
  embed: async (texts) => texts.map(lettersOf),
  embedNow: lettersOf,
}

function lettersOf(text: string): Float32Array {
  const counts = new Float32Array(26)
  for (const letter of text.toLowerCase().match(/[a-z]/g) ?? []) {
    const at = letter.charCodeAt(0) - 97
    counts[at] = (counts[at] ?? 0) + 1
  }
  const length = Math.hypot(...counts) || 1
  return counts.map((count) => count / length)
}

function withMeaning(open: () => Promise<readonly Embedder[]>): { readonly index: CatalogIndex } {
  const cache = { load: async () => new Map(), save: async () => {} }
  return { index: new CatalogIndex({ makers: searchStrategies({ embedders: { open }, cache }) }) }
}

const idsOf = async (provider: SearchProvider, query: string): Promise<string[]> =>
  (await provider.search({ queries: [query], maxResults: 10 })).hits.map(({ id }) => id)

const files = serverOf({
  id: 's1',
  name: 'files',
  tools: ['read_file', 'write_file'],
  instructions: 'All about paper.',
})

describe('CatalogIndex', () => {
  it('finds tools by key with every strategy, before and after its first use', async () => {
    const index = new CatalogIndex()
    index.put(files)
    for (const strategy of ['bm25', 'lexical', 'regex']) {
      expect(await idsOf(index.provider(strategy), 'read_file')).toContain('s1:read_file')
    }
    index.put(serverOf({ id: 's2', tools: ['read_mail'] }))
    for (const strategy of ['bm25', 'lexical', 'regex']) {
      expect(await idsOf(index.provider(strategy), 'mail')).toEqual(['s2:read_mail'])
      expect(index.provider(strategy)).toBe(index.provider(strategy))
    }
  })

  it('gives providers each tool with its key, server and server instructions', () => {
    const recording = new RecordingProvider()
    const index = new CatalogIndex({ makers: new Map([['bm25', () => recording]]) })
    const annotations = { readOnlyHint: true }
    const inputSchema = { type: 'object' }
    const definition = {
      name: 't',
      title: 'T',
      description: 'does',
      inputSchema,
      annotations,
      outputSchema: {},
      _meta: {},
    }
    index.put(serverOf({ id: 's1', name: 'files', tools: [definition], instructions: 'All about paper.' }))
    index.provider('bm25')
    expect(recording.changes[0]?.added).toEqual([
      {
        id: 's1:t',
        name: 't',
        namespace: 'files',
        namespaceDescription: 'All about paper.',
        title: 'T',
        description: 'does',
        inputSchema,
        annotations,
      },
    ])
  })

  it('[P15] sends only changes to providers', () => {
    const recording = new RecordingProvider()
    const index = new CatalogIndex({ makers: new Map([['bm25', () => recording]]) })
    index.put(files)
    index.provider('bm25')
    recording.changes.length = 0
    index.put(files)
    expect(recording.changes).toEqual([])
    const write = files.tools.get('write_file') as CatalogTool
    const other = { ...write, definition: { name: 'write_file', description: 'new words' } }
    index.put({ ...files, tools: new Map(files.tools).set('write_file', other) })
    expect(recording.changes).toMatchObject([{ added: [], changed: [{ id: 's1:write_file' }], removed: [] }])
    index.remove('s1')
    index.remove('s1')
    expect(recording.changes[1]?.removed.map(({ id }) => id)).toEqual(['s1:read_file', 's1:write_file'])
    expect(recording.changes).toHaveLength(2)
  })

  it('[R27] answers an unavailable strategy with bm25 and reports that', async () => {
    const index = new CatalogIndex()
    index.put(files)
    for (const strategy of ['embeddings', 'hybrid', 'cloud', 'constructor']) {
      const answer = await index.provider(strategy).search({ queries: ['write'], maxResults: 1 })
      expect(answer).toMatchObject({
        hits: [{ id: 's1:write_file' }],
        answeredBy: 'bm25',
        degraded: { strategy, reason: `the strategy "${strategy}" is not available in this gateway` },
      })
    }
    index.put(serverOf({ id: 's1', name: 'files', tools: ['burn'] }))
    expect(await idsOf(index.provider('hybrid'), 'burn')).toEqual(['s1:burn'])
    expect(await idsOf(index.provider('hybrid'), 'write')).toEqual([])
  })

  it('ranks by meaning if there are embedders, and opens them at the first search', async () => {
    let opened = 0
    const { index } = withMeaning(async () => (opened++, [LETTERS]))
    index.put(files)
    expect(opened).toBe(0)
    for (const strategy of ['hybrid', 'embeddings']) {
      const answer = await index.provider(strategy).search({ queries: ['read_file'], maxResults: 1 })
      expect(answer).toMatchObject({ hits: [{ id: 's1:read_file' }], answeredBy: strategy, embedder: 'letters' })
      expect(answer.degraded).toBeUndefined()
    }
    index.put(serverOf({ id: 's2', tools: ['read_mail'] }))
    expect(await idsOf(index.provider('hybrid'), 'read_mail')).toContain('s2:read_mail')
  })

  it('answers bm25 from the index of hybrid as soon as there is one', async () => {
    const { index } = withMeaning(async () => [LETTERS])
    index.put(files)
    const alone = index.provider('bm25')
    const before = await alone.search({ queries: ['write'], maxResults: 5 })
    await idsOf(index.provider('hybrid'), 'write')
    expect(index.provider('bm25')).not.toBe(alone)
    expect(await index.provider('bm25').search({ queries: ['write'], maxResults: 5 })).toEqual(before)
    index.put(serverOf({ id: 's2', tools: ['write_mail'] }))
    expect(await idsOf(index.provider('bm25'), 'write')).toContain('s2:write_mail')
    expect(await idsOf(index.provider('cloud'), 'write')).toContain('s2:write_mail')
  })

  it('keeps no second index up to date once bm25 answers from that of hybrid', async () => {
    const recording = new RecordingProvider()
    const cache = { load: async () => new Map(), save: async () => {} }
    const strategies = searchStrategies({ embedders: { open: async () => [LETTERS] }, cache })
    const index = new CatalogIndex({ makers: new Map([...strategies, ['bm25', () => recording]]) })
    index.put(files)
    await idsOf(index.provider('bm25'), 'write')
    await idsOf(index.provider('hybrid'), 'write')
    await idsOf(index.provider('bm25'), 'write')
    const { length } = recording.changes
    index.put(serverOf({ id: 's2', tools: Array.from({ length: 500 }, (_, at) => `tool${at}`) }))
    await idsOf(index.provider('bm25'), 'write')
    expect(recording.changes).toHaveLength(length)
  })

  it('answers with bm25 and the reason if no embedder is usable', async () => {
    const broken: Embedder = { id: 'broken', dimensions: 1, embed: () => Promise.reject(new Error('the table is bad')) }
    for (const open of [async () => [broken], async () => []]) {
      const { index } = withMeaning(open)
      index.put(files)
      for (const strategy of ['hybrid', 'embeddings']) {
        const answer = await index.provider(strategy).search({ queries: ['write'], maxResults: 1 })
        expect(answer).toMatchObject({ hits: [{ id: 's1:write_file' }], answeredBy: 'bm25', degraded: { strategy } })
        expect(answer.degraded?.reason).toMatch(/broken|no embedder/)
      }
    }
    const { index } = withMeaning(() => Promise.reject(new Error('cannot be opened')))
    index.put(files)
    const answer = await index.provider('hybrid').search({ queries: ['write'], maxResults: 1 })
    expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'hybrid', reason: 'cannot be opened' } })
    index.put(serverOf({ id: 's2', tools: ['write_mail'] }))
    expect(await idsOf(index.provider('hybrid'), 'write')).toContain('s2:write_mail')
  })

  it('uses the description of a project for that project only', async () => {
    const index = new CatalogIndex()
    index.put(files)
    const key = files.tools.get('read_file')?.key as CatalogTool['key']
    const [plain, own] = [new ToolScope([key]), new ToolScope([searchedId(key, 'Devours parchment.')])]
    const found = async (within: ToolScope, query: string): Promise<number> =>
      (await index.provider('bm25').search({ queries: [query], maxResults: 5, within })).hits.length
    expect(await found(own, 'read_file')).toBe(0)
    index.describe(new Map([[key, new Set(['Devours parchment.'])]]))
    expect([await found(own, 'parchment'), await found(plain, 'parchment')]).toEqual([1, 0])
    expect([await found(own, 'read_file'), await found(plain, 'read_file')]).toEqual([1, 1])
    index.describe(new Map())
    expect([await found(own, 'parchment'), await found(plain, 'read_file')]).toEqual([0, 1])
    index.remove('s1')
    expect(await found(plain, 'read_file')).toBe(0)
  })

  it('indexes thousands of tools in batches; the first search waits for all of them', async () => {
    const recording = new RecordingProvider()
    const index = new CatalogIndex({ makers: new Map([['bm25', () => recording]]) })
    index.put(serverOf({ id: 's', tools: Array.from({ length: 1_200 }, (_, at) => `tool${at}`) }))
    const provider = index.provider('bm25')
    expect(recording.changes).toHaveLength(1)
    expect((await idsOf(provider, 'tool1199'))[0]).toBe('s:tool1199')
    expect(recording.changes.length).toBeGreaterThan(3)
    expect(Math.max(...recording.changes.map(({ added }) => added.length))).toBeLessThanOrEqual(250)
  })

  it('does not let unknown fields of a server overwrite fields of the index', async () => {
    const index = new CatalogIndex()
    const forged = {
      name: 'innocent',
      namespace: 'bank',
      namespaceDescription: 'money',
      tags: ['money'],
      id: 'bank:pay',
    }
    index.put(serverOf({ id: 's', name: 'shop', tools: [forged] }))
    expect(await idsOf(index.provider('bm25'), 'money')).toEqual([])
    expect(await idsOf(index.provider('bm25'), 'innocent')).toEqual(['s:innocent'])
  })
})

describe('aboutServer', () => {
  it('returns the first lines of the instructions, at most 600 characters', () => {
    expect(aboutServer(undefined)).toBeUndefined()
    expect(aboutServer(' \n\n ')).toBeUndefined()
    expect(aboutServer('\n  One.\n\n Two. \n')).toBe('One.\nTwo.')
    expect(aboutServer(Array.from({ length: 20 }, (_, at) => `line ${at}`).join('\n'))?.split('\n')).toHaveLength(8)
    expect(aboutServer('x'.repeat(100_000))).toHaveLength(600)
  })
})
