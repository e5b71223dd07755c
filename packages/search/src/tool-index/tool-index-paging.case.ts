import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { LexicalProvider } from '../providers/lexical/lexical-provider.ts'
import { RecordingProvider } from './recording-provider.case.ts'
import type { SearchProvider } from '../providers/search-provider.ts'
import type { ToolFilter } from '../tool/tool-filter.ts'
import type { SearchPageOptions, ToolIndex } from './tool-index.ts'
import { ToolScope } from '../tool/tool-scope.ts'
import type { OpenIndex } from './tool-index-contract.case.ts'

const NAMES = Array.from(
  { length: 60 },
  (_, i) => `${i % 4 < 2 ? 'create' : 'list'}_${i % 2 === 0 ? 'issue' : 'file'}_${i}`,
)

async function setUp(open: OpenIndex, provider: SearchProvider = new RecordingProvider(), cursorKey?: Uint8Array) {
  const index = await open({ provider, ...(cursorKey && { cursorKey }) })
  for (const [nth, namespace] of ['alpha', 'beta', 'gamma'].entries()) {
    const names = NAMES.filter((_, i) => i % 3 === nth)
    await index.registerToolsFromMCP(
      namespace,
      names.map((name) => ({ name })),
    )
  }
  return index
}

async function allPages(index: ToolIndex, query: string | string[], options: SearchPageOptions): Promise<string[][]> {
  const pages: string[][] = []
  let cursor: string | undefined
  do {
    const page = await index.searchPage(query, { ...options, ...(cursor !== undefined && { cursor }) })
    pages.push(page.results.map((match) => match.id))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return pages
}

async function firstCursor(index: ToolIndex, query = 'issue', options: SearchPageOptions = {}): Promise<string> {
  const { nextCursor } = await index.searchPage(query, options)
  expect(nextCursor).toBeDefined()
  return nextCursor as string
}

const refused = (reason: string) => ({ code: 'INVALID_CURSOR', details: { reason, advice: expect.any(String) } })

const PROVIDERS: readonly (() => SearchProvider)[] = [
  () => new RecordingProvider(),
  () => new LexicalProvider(),
  () => new Bm25Provider(),
]

/** Pages and their cursors. */
export function pagingContract(open: OpenIndex): void {
  describe('searchPage', () => {
    it('[T10] yields pages that together are the whole search', async () => {
      const indexes = await Promise.all(PROVIDERS.map((provider) => setUp(open, provider())))
      const within: fc.Arbitrary<ToolFilter | undefined> = fc.constantFrom(
        undefined,
        new ToolScope(NAMES.slice(0, 30).flatMap((name) => [`alpha:${name}`, `beta:${name}`])),
        new Set(NAMES.map((name) => `gamma:${name}`)),
        (tool: { name: string }) => tool.name.endsWith('3'),
      )
      const query = fc.constantFrom('', 'issue', 'create', 'create issue', 'nothing', ['list', 'file'], [])
      const pageSize = fc.integer({ min: 1, max: 30 })
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...indexes), query, within, pageSize, async (index, asked, scope, size) => {
          const options = { ...(scope !== undefined && { within: scope }) }
          const pages = await allPages(index, asked as string, { ...options, pageSize: size })
          const whole = await index.search(asked, { ...options, maxResults: 100 })
          expect(pages.flat()).toEqual(whole.results.map((match) => match.id))
          for (const page of pages.slice(0, -1)) expect(page).toHaveLength(size)
          if (pages.length > 1) expect(pages.at(-1)).not.toEqual([])
        }),
        { numRuns: 60 },
      )
    })

    it('[T10] goes no deeper than the best 1,000 hits, but through all tools without a query', async () => {
      const index = await open({ provider: new RecordingProvider() })
      await index.registerToolsFromMCP(
        's',
        Array.from({ length: 1_150 }, (_, i) => ({ name: `tool${i}` })),
      )
      expect((await allPages(index, 'tool', { pageSize: 100 })).flat()).toHaveLength(1_000)
      expect((await allPages(index, '', { pageSize: 100 })).flat()).toHaveLength(1_150)
    })

    it('[T10] takes the page size from the cursor, and refuses another', async () => {
      const index = await setUp(open)
      const cursor = await firstCursor(index, 'issue', { pageSize: 7 })
      expect((await index.searchPage('issue', { cursor })).results).toHaveLength(7)
      expect((await index.searchPage('issue', { cursor, pageSize: 7.5 })).results).toHaveLength(7)
      await expect(index.searchPage('issue', { cursor, pageSize: 8 })).rejects.toMatchObject(refused('foreign'))
    })

    it('[T10] refuses a cursor of another question as foreign', async () => {
      const index = await setUp(open)
      const scope = new ToolScope(NAMES.map((name) => `beta:${name}`))
      const cursor = await firstCursor(index, 'issue', { within: scope, context: 'c', minRelevance: 0.1, pageSize: 4 })
      const same = { cursor, within: scope, context: 'c', minRelevance: 0.1 }
      const equalSet = new Set(scope.ids())
      expect((await index.searchPage('issue', { ...same, within: equalSet })).results).not.toEqual([])

      const { within: _, ...unscoped } = same
      const others: [string | string[], SearchPageOptions][] = [
        ['file', same],
        [['issue', 'issue'], same],
        ['', same],
        ['issue', unscoped],
        ['issue', { ...same, within: new ToolScope(['beta:x']) }],
        ['issue', { ...same, within: () => true }],
        ['issue', { ...same, context: 'd' }],
        ['issue', { ...same, minRelevance: 0.2 }],
      ]
      for (const [query, options] of others) {
        await expect(index.searchPage(query, options)).rejects.toMatchObject(refused('foreign'))
      }
      await expect(index.listNamespacesPage({ cursor })).rejects.toMatchObject(refused('foreign'))
    })

    it('[T10] refuses a cursor of another index, unless both share the key and the changes', async () => {
      const key = new Uint8Array(16).fill(7)
      const cursor = await firstCursor(await setUp(open, new RecordingProvider(), key))
      await expect((await setUp(open)).searchPage('issue', { cursor })).rejects.toMatchObject(refused('foreign'))
      const replica = await setUp(open, new RecordingProvider(), key)
      expect((await replica.searchPage('issue', { cursor })).results).toHaveLength(10)
    })

    it('[T10] refuses a cursor as stale after a change, and only after one', async () => {
      const index = await setUp(open)
      const within = (tool: { name: string }) => tool.name.includes('issue')
      const cursor = await firstCursor(index, 'issue', { within })
      await index.sync('nobody', [])
      expect((await index.searchPage('issue', { within, cursor })).results).toHaveLength(10)
      await index.registerTool({ name: 'one_more_issue' }, { kind: 'local', name: 'x' })
      await expect(index.searchPage('issue', { within, cursor })).rejects.toMatchObject(refused('stale'))
    })

    it('[T10] refuses a cursor as stale when another strategy ranks now', async () => {
      const provider = new RecordingProvider()
      const index = await setUp(open, provider)
      const cursor = await firstCursor(index)
      const search = provider.search.bind(provider)
      provider.search = async (request) => ({ ...(await search(request)), answeredBy: 'bm25' })
      await expect(index.searchPage('issue', { cursor })).rejects.toMatchObject(refused('stale'))
    })

    it('[T10] refuses what is no cursor as malformed', async () => {
      const index = await setUp(open)
      for (const cursor of ['', 'abc', 7, null]) {
        await expect(index.searchPage('issue', { cursor: cursor as string })).rejects.toMatchObject(
          refused('malformed'),
        )
      }
    })

    it('[T3] refuses a provider that cannot be paged', async () => {
      class Moody extends RecordingProvider {
        override readonly deterministic = false
      }
      const index = await setUp(open, new Moody())
      await expect(index.searchPage('issue')).rejects.toMatchObject({ code: 'NON_DETERMINISTIC_SEARCHER' })
      expect((await index.search('issue')).results).toHaveLength(10)
    })
  })

  describe('listNamespacesPage', () => {
    it('[T10] yields pages that together are all namespaces, with cursors of their own', async () => {
      const index = await open({ provider: new RecordingProvider() })
      for (let i = 0; i < 25; i++) await index.registerToolsFromMCP(`server${i}`, [{ name: i < 20 ? 'early' : 'late' }])
      const within = (tool: { name: string }) => tool.name === 'early'

      const first = await index.listNamespacesPage({ pageSize: 8, within })
      const second = await index.listNamespacesPage({ cursor: first.nextCursor as string, within })
      const third = await index.listNamespacesPage({ cursor: second.nextCursor as string, within })
      expect([first, second, third].flatMap((page) => page.namespaces)).toEqual(await index.listNamespaces({ within }))
      expect(third.nextCursor).toBeUndefined()

      const cursor = first.nextCursor as string
      await expect(index.listNamespacesPage({ cursor })).rejects.toMatchObject(refused('foreign'))
      await expect(index.searchPage('', { cursor, within })).rejects.toMatchObject(refused('foreign'))
      await index.sync('server1', [])
      await expect(index.listNamespacesPage({ cursor, within })).rejects.toMatchObject(refused('stale'))
    })
  })
}
