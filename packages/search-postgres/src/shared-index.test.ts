import { Bm25Provider, createToolIndex, type ToolIndexChange, ToolScope } from '@tooldex/search'
import fc from 'fast-check'
import { Client, Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/kit/test-database.ts'
import { openToolDatabase, type ToolDatabase } from './tool-database.ts'

let server: TestDatabase | undefined
let url = ''
const opened: ToolDatabase[] = []
let names = 0

/** As another process would open it: a pool and a listening connection of its own. */
async function open(connection: string | Pool = url, schema?: string): Promise<ToolDatabase> {
  const database = await openToolDatabase({ connection, ...(schema !== undefined && { schema }) })
  opened.push(database)
  return database
}

beforeAll(async () => {
  server = await testDatabase()
  url = server.url
}, 60_000)

afterAll(async () => {
  for (const database of opened) await database.close()
  await server?.drop()
})

const idsOf = ({ results }: { results: readonly { id: string }[] }) => results.map(({ id }) => id)

/** Resolves with the events until one has the version. */
function eventsUntil(
  index: { onChange(listener: (event: ToolIndexChange) => void): () => void },
  version: number,
): Promise<ToolIndexChange[]> {
  const events: ToolIndexChange[] = []
  return new Promise((resolve) => {
    index.onChange((event) => {
      events.push(event)
      if (event.version === version) resolve(events)
    })
  })
}

describe('an index that two processes have open', { timeout: 60_000 }, () => {
  it('[T15] shows each the changes of the other, tells them in order, and keeps one version', async () => {
    const name = `shared ${names++}`
    const [mine, yours] = [await (await open()).openIndex({ name }), await (await open()).openIndex({ name })]
    const told = eventsUntil(yours, 3)
    await mine.sync('github', [{ name: 'create_issue' }, { name: 'close_issue' }])
    expect(idsOf(await yours.search('issue')).sort()).toEqual(['github:close_issue', 'github:create_issue'])
    await mine.sync('github', [{ name: 'create_issue' }])
    await mine.sync('web', [{ name: 'fetch' }])
    expect(await told).toEqual([
      { version: 1, added: ['github:close_issue', 'github:create_issue'], changed: [], removed: [] },
      { version: 2, added: [], changed: [], removed: ['github:close_issue'] },
      { version: 3, added: ['web:fetch'], changed: [], removed: [] },
    ])
    expect([mine.version, yours.version]).toEqual([3, 3])
  })

  it('[T15] gives changes made at once an order that both agree on', async () => {
    const name = `shared ${names++}`
    const indexes = [await (await open()).openIndex({ name }), await (await open()).openIndex({ name })]
    const seen = indexes.map((index) => eventsUntil(index, 20))
    await Promise.all(
      Array.from({ length: 20 }, async (_, i) => indexes[i % 2]?.registerToolsFromMCP(`server${i}`, [{ name: 'a' }])),
    )
    const [first, second] = await Promise.all(seen)
    expect(first).toEqual(second)
    expect(first?.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, i) => i + 1))
    expect(await indexes[0]?.listNamespaces()).toHaveLength(20)
  })

  it('[T15] takes the cursors of the other, until something changes', async () => {
    const name = `shared ${names++}`
    const [mine, yours] = [await (await open()).openIndex({ name }), await (await open()).openIndex({ name })]
    await mine.sync(
      's',
      Array.from({ length: 30 }, (_, i) => ({ name: `issue_${i}` })),
    )
    const first = await mine.searchPage('issue', { pageSize: 20 })
    const second = await yours.searchPage('issue', { cursor: first.nextCursor as string })
    expect(new Set([...idsOf(first), ...idsOf(second)]).size).toBe(30)
    await mine.sync('other', [{ name: 'x' }])
    await expect(yours.searchPage('issue', { cursor: first.nextCursor as string })).rejects.toMatchObject({
      code: 'INVALID_CURSOR',
      details: { reason: 'stale' },
    })
  })

  it('[T15] keeps a provider that one process brought in step with the other', async () => {
    const name = `shared ${names++}`
    const mine = await (await open()).openIndex({ name })
    await mine.sync('github', [{ name: 'create_issue' }, { name: 'old' }])
    const yours = await (await open()).openIndex({ name, provider: new Bm25Provider() })
    expect(idsOf(await yours.search('issue'))).toEqual(['github:create_issue'])
    await mine.sync('github', [{ name: 'create_issue' }, { name: 'list_issues' }])
    expect(idsOf(await yours.search('issue')).sort()).toEqual(['github:create_issue', 'github:list_issues'])
    expect(idsOf(await yours.search('old'))).toEqual([])
  })

  it('is there again when it is opened again', async () => {
    const name = `shared ${names++}`
    const database = await open()
    await (await database.openIndex({ name })).sync('github', [{ name: 'create_issue' }])
    const again = await database.openIndex({ name })
    expect(again.version).toBe(1)
    expect((await again.getTool('github:create_issue')).backend).toEqual({ kind: 'mcp', serverName: 'github' })
  })
})

const WORDS = [
  'create',
  'issue',
  'file',
  'list',
  'send',
  'mail',
  'weather',
  'query',
  'database',
  '検索する',
  'fetchURL',
]
const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 5 })
const tools = fc.uniqueArray(
  fc.record({
    server: fc.constantFrom('github', 'mail', 'files'),
    name: text.map((words) => words.slice(0, 2).join('_')),
    description: text.map((words) => words.join(' ')),
  }),
  { selector: ({ server: of, name }) => `${of}:${name}`, minLength: 5, maxLength: 40 },
)

describe('a search that the database answers', { timeout: 60_000 }, () => {
  it('[T15] ranks, scores and explains as the index in memory, within any scope', async () => {
    const database = await open()
    const query = fc.oneof(
      text.map((words) => words.join(' ')),
      fc.constantFrom(
        'creat* AND NOT mail',
        '"list file"',
        'server:github issue',
        'NOT file',
        'isue',
        'github:create_issue',
      ),
    )
    await fc.assert(
      fc.asyncProperty(tools, fc.array(query, { minLength: 1, maxLength: 3 }), fc.nat(), async (all, queries, some) => {
        const stored = await database.openIndex({ name: `equal ${names++}` })
        const inMemory = createToolIndex({ provider: new Bm25Provider() })
        for (const index of [stored, inMemory]) {
          const backend = { kind: 'local', name: 'x' } as const
          await index.registerTools(
            all.map(({ server: namespace, name, description }) => ({
              tool: { namespace, name, description },
              backend,
            })),
          )
        }
        const ids = all.map(({ server: of, name }) => `${of}:${name}`)
        const within = new ToolScope(ids.filter((_, i) => (some >> (i % 30)) & 1))
        for (const options of [{}, { within }]) {
          const expected = (await inMemory.search(queries, { ...options, explain: true, maxResults: 50 })).results
          const actual = (await stored.search(queries, { ...options, explain: true, maxResults: 50 })).results
          expect(actual).toEqual(expected)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('[T15] finds the same best ten among many more tools than are ranked closely', async () => {
    const database = await open()
    const stored = await database.openIndex({ name: `many ${names++}` })
    const inMemory = createToolIndex({ provider: new Bm25Provider() })
    const word = (nth: number) => WORDS[nth % WORDS.length] ?? ''
    const registrations = Array.from({ length: 900 }, (_, nth) => ({
      tool: {
        namespace: `server ${nth % 37}`,
        name: `${word(nth)}_${word(nth * 7 + 1)}_${nth}`,
        description: [nth * 3, nth * 5 + 2, nth * 11, (nth * nth) % 91].map(word).join(' '),
      },
      backend: { kind: 'local', name: 'x' } as const,
    }))
    for (const index of [stored, inMemory]) await index.registerTools(registrations)
    const within = new ToolScope(
      registrations.flatMap(({ tool }, nth) => (nth % 3 ? `${tool.namespace}:${tool.name}` : [])),
    )
    for (const query of [...WORDS, 'create file', 'send the weather by mail', 'query database list', 'server 7 file']) {
      for (const options of [{}, { within }, { maxResults: 100 }]) {
        const [expected, actual] = [await inMemory.search(query, options), await stored.search(query, options)]
        expect(actual.results).toEqual(expected.results)
      }
    }
  })

  it('takes texts that no column holds', async () => {
    const index = await (await open()).openIndex({ name: `odd ${names++}` })
    const odd = { name: 'odd', description: `a\u0000b \ud800 ${'x'.repeat(5_000)}`, _meta: { '\u0000': '\udfff' } }
    await index.registerTool(odd, { kind: 'local', name: 'a\u0000\ud800' })
    expect((await index.getTool('odd')).tool).toEqual({ ...odd, id: 'odd' })
    expect(await index.getAllBackends('odd')).toEqual([{ kind: 'local', name: 'a\u0000\ud800' }])
    for (const query of ['x'.repeat(5_000), 'odd\u0000', '\ud800 odd', '%_\\']) await index.search(query)
    expect(idsOf(await index.search('odd', { within: new Set(['odd', 'a\u0000', '\ud800']) }))).toEqual(['odd'])
    await expect(index.getTool('\u0000')).rejects.toMatchObject({ code: 'NOT_FOUND' })
  })
})

describe('openToolDatabase', { timeout: 60_000 }, () => {
  it('creates its tables once, however many processes start at the same time', async () => {
    const databases = await Promise.all(Array.from({ length: 8 }, () => open(url, 'Odd "Schema"')))
    const indexes = await Promise.all(databases.map((database) => database.openIndex()))
    await indexes[0]?.sync('s', [{ name: 'a' }])
    for (const index of indexes) expect(await index.listNamespaces()).toEqual(['s'])
  })

  it('refuses tables that are newer than the program, and leaves them alone', async () => {
    await open(url, 'newer')
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query('insert into newer.migrations values (99)')
    await expect(openToolDatabase({ connection: url, schema: 'newer' })).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      message: expect.stringContaining('update the program'),
    })
    await client.end()
  })

  it('says SEARCH_UNAVAILABLE where no database answers', async () => {
    const nowhere = openToolDatabase({ connection: 'postgres://nobody:secret@127.0.0.1:1/none' })
    await expect(nowhere).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      details: { databaseCode: 'ECONNREFUSED' },
    })
  })

  it('leaves a pool that was handed in open', async () => {
    const pool = new Pool({ connectionString: url })
    const database = await openToolDatabase({ connection: pool })
    await database.openIndex()
    await database.close()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('goes on hearing of changes after its connections were cut', async () => {
    const name = `cut ${names++}`
    const [mine, yours] = [await (await open()).openIndex({ name }), await (await open()).openIndex({ name })]
    const told = eventsUntil(yours, 1)
    const client = new Client({ connectionString: url })
    await client.connect()
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )
    await client.end()
    await vi.waitFor(() => mine.sync('s', [{ name: 'a' }]), { timeout: 10_000 })
    expect((await told).map(({ added }) => added)).toEqual([['s:a']])
  })
})
