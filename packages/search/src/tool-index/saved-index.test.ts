import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { EmbeddingsProvider } from '../providers/embeddings/embeddings-provider.ts'
import { HybridProvider } from '../providers/hybrid/hybrid-provider.ts'
import { LexicalProvider } from '../providers/lexical/lexical-provider.ts'
import { toyEmbedder } from '../providers/meaning/toy-embedder.case.ts'
import { TOOLS } from '../providers/provider-contract-inputs.case.ts'
import { restoreProvider, saveProvider } from '../providers/save-provider.ts'
import type { SearchProvider } from '../providers/search-provider.ts'
import type { McpTool } from '../tool/tool.ts'
import { createToolIndex, loadIndex } from './in-memory-tool-index.ts'
import type { InMemoryToolIndex } from './tool-index.ts'

const PROVIDERS: readonly [string, () => SearchProvider][] = [
  ['bm25', () => new Bm25Provider()],
  ['embeddings', () => new EmbeddingsProvider([toyEmbedder()])],
  ['hybrid', () => new HybridProvider([toyEmbedder()])],
  ['lexical', () => new LexicalProvider()],
]

const WORDS = [
  'create',
  'issue',
  'list',
  'files',
  'read',
  'weather',
  'ticket',
  'get_user',
  'résumé',
  '天気',
  'a b/c',
  '',
]
const word = fc.constantFrom(...WORDS)
const sentence = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '))
const mcpTool: fc.Arbitrary<McpTool> = fc.record(
  {
    name: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => `t ${words.join('_')}`),
    description: sentence,
    inputSchema: fc.dictionary(word, fc.record({ type: fc.constant('string'), description: sentence })).map(
      (properties) => ({ type: 'object', properties }),
    ), // biome-ignore format: one thing
  },
  { requiredKeys: ['name'] },
)
const serverLists = fc.dictionary(
  fc.constantFrom('github', 'files', 'weather'),
  fc.uniqueArray(mcpTool, { selector: ({ name }) => name, maxLength: 8 }),
)

async function filled(index: InMemoryToolIndex, lists: Readonly<Record<string, readonly McpTool[]>>): Promise<void> {
  for (const [server, tools] of Object.entries(lists))
    await index.sync(server, tools, { description: `${server} things` })
}

const ask = (index: InMemoryToolIndex, query: string) => index.search(query, { explain: true, maxResults: 100 })

describe.each(PROVIDERS)('a saved index with %s', (_, provider) => {
  it('U14: answers every search as the index that was saved, also after further changes of both', async () => {
    await fc.assert(
      fc.asyncProperty(serverLists, serverLists, serverLists, sentence, async (first, second, later, query) => {
        const index = createToolIndex({ provider: provider() })
        await filled(index, first)
        await filled(index, second)
        const loaded = await loadIndex(await index.save(), { provider: provider() })
        expect(loaded.version).toBe(index.version)
        expect(await ask(loaded, query)).toEqual(await ask(index, query))
        await filled(index, later)
        await filled(loaded, later)
        expect(await ask(loaded, query)).toEqual(await ask(index, query))
        expect(await loaded.listNamespaces()).toEqual(await index.listNamespaces())
      }),
      { numRuns: 60 },
    )
  })

  it('has the definitions and backends of its tools', async () => {
    const index = createToolIndex({ provider: provider() })
    const tool = { name: 'read', namespace: 'files', inputSchema: { type: 'object' }, _meta: { 'x/y': [1, null] } }
    await index.registerTool(tool, { kind: 'mcp', serverName: 'files' })
    await index.registerTool(tool, { kind: 'local', name: 'disk' })
    await index.registerTool({ name: 'a:b' }, { kind: 'local', name: 'none' })
    const loaded = await loadIndex(await index.save(), { provider: provider() })
    for (const id of ['files:read', 'a:b']) {
      expect(await loaded.getTool(id)).toEqual(await index.getTool(id))
      expect(await loaded.getAllBackends(id)).toEqual(await index.getAllBackends(id))
    }
    expect(await loaded.listNamespaces()).toEqual(['files'])
  })

  it('is saved to the same bytes by an index that was loaded', async () => {
    const index = createToolIndex({ provider: provider() })
    await index.registerTools(TOOLS.map((tool) => ({ tool, backend: { kind: 'local', name: 'x' } })))
    const bytes = await index.save()
    expect(await (await loadIndex(bytes, { provider: provider() })).save()).toEqual(bytes)
  })

  it('may be empty', async () => {
    const index = await loadIndex(await createToolIndex({ provider: provider() }).save(), { provider: provider() })
    expect((await index.search('anything')).results).toEqual([])
    await index.registerToolsFromMCP('files', [{ name: 'read' }])
    expect((await index.search('read')).results).toHaveLength(1)
  })
})

describe('a saved index', () => {
  async function saved(provider: SearchProvider = new HybridProvider([toyEmbedder()])): Promise<Uint8Array> {
    const index = createToolIndex({ provider })
    await index.registerTools(TOOLS.map((tool) => ({ tool, backend: { kind: 'local', name: 'x' } })))
    return index.save()
  }

  it('is indexed anew by a provider of another strategy or an embedder of another id', async () => {
    const bytes = await saved()
    for (const provider of [new Bm25Provider(), new LexicalProvider(), new HybridProvider([toyEmbedder('other')])]) {
      const index = await loadIndex(bytes, { provider })
      expect((await index.search('create issue')).results[0]?.id).toBe('github:create_issue')
    }
  })

  it('is refused when it is cut anywhere, and nothing else is thrown', async () => {
    const bytes = await saved()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: bytes.length - 1 }), async (length) => {
        const reason = /cut|no saved index/
        await expect(loadIndex(bytes.slice(0, length))).rejects.toMatchObject({
          code: 'INVALID_SAVED_INDEX',
          details: { reason: expect.stringMatching(reason) },
        })
      }),
    )
  })

  it('is refused when a bit is altered, and nothing else is thrown', async () => {
    const bytes = await saved()
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 8 * bytes.length - 1 }), async (bit) => {
        const altered = bytes.slice()
        altered[bit >> 3] = (altered[bit >> 3] as number) ^ (1 << (bit & 7))
        await expect(loadIndex(altered)).rejects.toMatchObject({ code: 'INVALID_SAVED_INDEX' })
      }),
      { numRuns: 300 },
    )
  })

  it('is refused when it is huge: longer than it says, or 64 MB of nothing', async () => {
    const bytes = await saved()
    const longer = new Uint8Array(64 * 1024 * 1024)
    await expect(loadIndex(longer)).rejects.toMatchObject({ code: 'INVALID_SAVED_INDEX' })
    longer.set(bytes)
    await expect(loadIndex(longer)).rejects.toMatchObject({
      code: 'INVALID_SAVED_INDEX',
      details: { reason: `the length is ${longer.length} bytes in place of ${bytes.length}` },
    })
  })

  it('is refused by another version, with both numbers', async () => {
    const bytes = await saved()
    new Int32Array(bytes.buffer, 0, 2)[1] = 99
    await expect(loadIndex(bytes)).rejects.toThrow('the format is 99, this version reads 3')
  })

  it('is refused when it is no bytes at all', async () => {
    for (const wrong of [undefined, 'text', [1, 2], {}]) {
      await expect(loadIndex(wrong as never)).rejects.toMatchObject({ code: 'INVALID_SAVED_INDEX' })
    }
  })

  it('leaves the bytes as they are, whatever the loaded index goes through', async () => {
    const bytes = await saved()
    const before = bytes.slice()
    const index = await loadIndex(bytes, { provider: new HybridProvider([toyEmbedder()]) })
    await index.unregisterBackend('github:create_issue', { kind: 'local', name: 'x' })
    await index.registerToolsFromMCP('files', [{ name: 'create_and_read', description: 'create issue ticket' }])
    await index.search('create issue')
    expect(bytes).toEqual(before)
  })

  it('U14: can be loaded from bytes that Node read from a file, of which a slice is no copy', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'saved-index-')), 'index.bin')
    writeFileSync(file, await saved())
    const bytes = readFileSync(file)
    rmSync(dirname(file), { recursive: true })
    const index = await loadIndex(bytes, { provider: new HybridProvider([toyEmbedder()]) })
    expect((await index.search('create issue')).results[0]?.id).toBe('github:create_issue')
  })

  it('can be loaded from a part of a larger buffer', async () => {
    const bytes = await saved()
    const larger = new Uint8Array(bytes.length + 5)
    larger.set(bytes, 3)
    const index = await loadIndex(larger.subarray(3, 3 + bytes.length), { provider: new Bm25Provider() })
    expect((await index.search('create issue')).results[0]?.id).toBe('github:create_issue')
  })
})

describe('a saved provider', () => {
  const change = { added: TOOLS, changed: [], removed: [] }
  const request = { queries: ['open a ticket'], maxResults: 5, explain: true }

  it('answers as before for the same tools', async () => {
    const provider = new HybridProvider([toyEmbedder()])
    provider.apply(change)
    const other = new HybridProvider([toyEmbedder()])
    restoreProvider(other, saveProvider(provider) as Uint8Array, TOOLS)
    expect(await other.search(request)).toEqual(await provider.search(request))
  })

  it('is refused for other tools or another strategy, and the provider can be filled as usual', async () => {
    const provider = new Bm25Provider()
    provider.apply(change)
    const bytes = saveProvider(provider) as Uint8Array
    const other = new Bm25Provider()
    expect(() => restoreProvider(other, bytes, TOOLS.slice(1))).toThrow('it was made of other tools')
    expect(() => restoreProvider(new LexicalProvider(), bytes, TOOLS)).toThrow('it is of bm25, not of lexical')
    other.apply(change)
    expect(await other.search(request)).toEqual(await provider.search(request))
  })

  it('has nothing to save where nothing is derived', () => {
    expect(saveProvider(new LexicalProvider())).toBeUndefined()
  })
})
