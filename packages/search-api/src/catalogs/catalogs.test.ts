import { gzipSync } from 'node:zlib'
import { request } from 'node:http'
import { type CatalogTool, searchApiAnswerSchema } from '@tooldex/contract/search-api'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/kit/test-database.ts'
import { apiWith, catalogOf, keysOf, post, SECRET, search, sha256, TOOLS, tool, upload } from '../ask.case.ts'
import { listenSearchApi } from '../http/listen.ts'
import { openSearchDatabase } from '../open-database.ts'
import type { SearchApi } from '../search-api.ts'

const CATALOG = catalogOf(TOOLS)

const searchUploaded = (api: SearchApi, hash: string, body: object = {}) =>
  post(api, { query: ['report a bug'], ...body }, { path: `/v1/catalogs/${hash}/search` })

const answerOf = async (api: SearchApi, hash: string, body: object = {}) => {
  const reply = await searchUploaded(api, hash, body)
  expect(reply.status).toBe(200)
  return searchApiAnswerSchema.parse(reply.body)
}

describe('a catalog by reference', () => {
  const api = apiWith()
  afterAll(() => api.close())

  it('[R31] is unknown, then uploaded once, then searched with the answers of a request that has the tools', async () => {
    const first = await searchUploaded(api, CATALOG.hash)
    expect(first).toMatchObject({ status: 404, body: { code: 'CATALOG_UNKNOWN' } })
    expect(JSON.stringify(first.body)).toContain(`PUT /v1/catalogs/${CATALOG.hash}`)
    const uploaded = await upload(api, CATALOG)
    expect(uploaded).toMatchObject({ status: 201, body: { hash: CATALOG.hash, tools: TOOLS.length } })
    const again = await upload(api, { ...CATALOG, lines: Buffer.from('not even read') })
    expect(again).toMatchObject({ status: 200, body: { tools: TOOLS.length } })
    expect(await answerOf(api, CATALOG.hash)).toEqual(await search(api, { query: ['report a bug'] }))
    const state = await post(api, undefined, { method: 'GET', path: `/catalogs/${CATALOG.hash}` })
    expect(state).toMatchObject({ status: 200, body: { indexed: TOOLS.length } })
  })

  it('takes a packed upload, under the unversioned path, too', async () => {
    const tools = [tool('a:one', 'The first'), tool('a:two', 'The second')]
    const { lines, hash } = catalogOf(tools)
    const headers = { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
    const reply = await post(api, gzipSync(lines), { method: 'PUT', path: `/catalogs/${hash}`, headers })
    expect(reply.status).toBe(201)
    expect(keysOf(await answerOf(api, hash, { query: 'second' }))).toEqual(['a:two'])
  })

  it('shows nothing outside the rule, whatever it is', async () => {
    const tools: CatalogTool[] = Array.from({ length: 40 }, (_, at) => ({
      ...tool(`s${at % 5}:read_${at}`, 'Read a file'),
      ...(at % 2 === 0 && { traits: { readOnly: true as const } }),
      ...(at % 3 === 0 && { traits: { notDestructive: true as const } }),
    }))
    const catalog = catalogOf(tools)
    await upload(api, catalog)
    const servers = fc.oneof(fc.constant('all' as const), fc.subarray(['s0', 's1', 's2', 's3', 's4', 'unknown']))
    const except = fc.subarray([...tools.map(({ toolKey }) => toolKey), 'no:tool'])
    const traits = fc.record(
      { readOnly: fc.constant(true as const), notDestructive: fc.constant(true as const) },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(servers, except, traits, async (...[named, left, wanted]) => {
        const rule = { servers: named, except: left, traits: wanted }
        const { results } = await answerOf(api, catalog.hash, { query: 'read file', rule, maxResults: 100 })
        const expected = tools.filter(
          ({ toolKey, serverName, traits: own = {} }) =>
            (named === 'all' || named.includes(serverName)) &&
            !left.includes(toolKey) &&
            (wanted.readOnly === undefined || own.readOnly === true) &&
            (wanted.notDestructive === undefined || own.notDestructive === true || own.readOnly === true),
        )
        const keys = expected.map(({ toolKey }) => toolKey)
        expect(results.map(({ toolKey }) => toolKey).toSorted()).toEqual(keys.toSorted())
        // To the last bit what a request with just these tools is answered.
        if (expected.length > 0) {
          const inline = await search(api, { query: 'read file', tools: expected, maxResults: 100 })
          expect(results).toEqual(inline.results)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('selects nothing by servers that the catalog does not have', async () => {
    await upload(api, CATALOG)
    expect((await answerOf(api, CATALOG.hash, { rule: { servers: ['nowhere'] } })).results).toEqual([])
  })

  it('refuses lines of another hash, and keeps nothing of them', async () => {
    const { lines } = catalogOf([tool('x:y')])
    const wrong = { lines, hash: 'ab'.repeat(32) }
    const reply = await upload(api, wrong)
    expect(reply).toMatchObject({ status: 422, body: { code: 'CATALOG_MISMATCH' } })
    expect(JSON.stringify(reply.body)).toContain(catalogOf([tool('x:y')]).hash)
    expect((await searchUploaded(api, wrong.hash)).status).toBe(404)
  })

  it.each([
    ['an empty body', '', 'body has no tools'],
    ['blank lines', '\n \n', 'body has no tools'],
    ['a line that is no JSON', '{"toolKey":"a"\n', 'line 1 is not valid JSON in UTF-8'],
    ['a list', '[1]\n', 'line 1 must be an object'],
    ['a tool without a name', `${JSON.stringify(tool('a:b'))}\n{"toolKey":"x"}`, 'line 2.toolName is missing'],
    ['a key twice', `${JSON.stringify(tool('a:b'))}\n\n${JSON.stringify(tool('a:b'))}`, 'line 3 has the toolKey'],
    [
      'traits of another form',
      JSON.stringify({ ...tool('a:b'), traits: { readOnly: 'yes' } }),
      'line 1.traits.readOnly',
    ],
    ['a line without end', JSON.stringify(tool('a:b', 'x'.repeat(1024 * 1024))), 'line 1 is longer than'],
  ])('refuses %s', async (_, text, told) => {
    const lines = Buffer.from(text)
    const reply = await upload(api, { lines, hash: sha256(text) })
    expect(reply).toMatchObject({ status: 400, body: { code: 'REQUEST_INVALID' } })
    expect(JSON.stringify(reply.body)).toContain(told)
  })

  it('refuses what is too large, packed or not, or is no catalog', async () => {
    const small = apiWith({ limits: { catalogBytes: 1_000, catalogTools: 3 } })
    expect((await upload(small, CATALOG)).body).toMatchObject({ status: 413, detail: 'body has more than 3 tools.' })
    const big = catalogOf([tool('a:b', 'x'.repeat(5_000))])
    expect((await upload(small, big)).status).toBe(413)
    const headers = { 'content-encoding': 'gzip' }
    expect((await upload(small, { ...big, lines: gzipSync(big.lines) }, { headers })).status).toBe(413)
    expect((await upload(small, big, { headers: { 'content-type': 'application/json' } })).status).toBe(415)
    expect((await upload(small, CATALOG, { headers })).status).toBe(400)
    await small.close()
  })

  it.each([
    ['servers', { servers: 'some' }, 'rule.servers'],
    ['except', { except: 'a:b' }, 'rule.except'],
    ['traits', { traits: { readOnly: false } }, 'rule.traits.readOnly'],
  ])('refuses a rule with wrong %s', async (_, rule, field) => {
    await upload(api, CATALOG)
    const reply = await searchUploaded(api, CATALOG.hash, { rule })
    expect(reply).toMatchObject({ status: 400, body: { errors: [{ field }] } })
  })

  it('answers paths that are no hash with 404, and other methods with 405', async () => {
    expect((await searchUploaded(api, 'ABC')).body).toMatchObject({ code: 'PATH_NOT_FOUND' })
    const reply = await post(api, {}, { path: `/v1/catalogs/${CATALOG.hash}` })
    expect([reply.status, reply.headers.get('allow')]).toEqual([405, 'PUT, GET'])
  })
})

describe('catalogs of projects', () => {
  it('are apart: the hash of another one is unknown, and each token has its own', async () => {
    const tokens = [
      { sha256: sha256(SECRET), project: '*' },
      { sha256: sha256('tdx_home-secret'), project: 'home' },
    ]
    const api = apiWith({ tokens })
    expect((await upload(api, CATALOG, { query: '?projectId=work' })).status).toBe(201)
    expect((await searchUploaded(api, CATALOG.hash, { projectId: 'work' })).status).toBe(200)
    expect((await searchUploaded(api, CATALOG.hash, { projectId: 'home' })).status).toBe(404)
    const headers = { authorization: 'Bearer tdx_home-secret' }
    const home = (body: object) => post(api, body, { path: `/v1/catalogs/${CATALOG.hash}/search`, headers })
    expect((await home({ query: 'x' })).status).toBe(404)
    expect((await home({ query: 'x', projectId: 'work' })).status).toBe(403)
    expect((await upload(api, CATALOG, { headers, query: '?projectId=work' })).status).toBe(403)
    expect((await upload(api, CATALOG, { headers: { authorization: 'Bearer tdx_nobody' } })).status).toBe(401)
    await api.close()
  })

  it('go when they are not used or when there are too many, and can be uploaded again', async () => {
    let now = 0
    const api = apiWith({ now: () => now, cache: { catalogBytes: 300 } })
    await upload(api, CATALOG)
    now += 23 * 3_600_000
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(200)
    now += 23 * 3_600_000
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(200)
    now += 25 * 3_600_000
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(404)
    await upload(api, CATALOG)
    await upload(api, catalogOf([tool('another:one', 'That needs the room of the first one.')]))
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(404)
    expect((await upload(api, CATALOG)).status).toBe(201)
    await api.close()
  })
})

describe('an upload over a socket', () => {
  it('that is cut leaves nothing behind, and many at once are refused', async () => {
    const api = await listenSearchApi({
      ...{ port: 0, tokens: [{ sha256: sha256(SECRET), project: 'work' }], limits: { concurrentUploads: 1 } },
    })
    const url = `${api.url}/v1/catalogs/${CATALOG.hash}`
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/x-ndjson' }
    const cut = request(url, { method: 'PUT', headers: { ...headers, 'content-length': CATALOG.lines.length } })
    cut.on('error', () => {})
    cut.write(CATALOG.lines.subarray(0, 100))
    const put = () => fetch(url, { method: 'PUT', headers, body: new Uint8Array(CATALOG.lines) })
    await expect.poll(async () => (await put()).status).toBe(429)
    cut.destroy()
    const show = async () => (await fetch(url, { headers })).status
    expect(await show()).toBe(404)
    await expect.poll(async () => (await put()).status).toBe(201)
    expect(await show()).toBe(200)
    await api.close()
  })
})

describe('several instances on one PostgreSQL database', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  }, 60_000)
  afterAll(() => database.drop())

  it('share catalogs: what one was sent, all search; what was deleted is uploaded again', async () => {
    const opened = await Promise.all([1, 2, 3].map(() => openSearchDatabase(database.url)))
    const [one, two, three] = opened.map(({ catalogs }) => apiWith({ catalogs })) as [SearchApi, SearchApi, SearchApi]
    expect((await upload(one, CATALOG)).status).toBe(201)
    expect(await answerOf(two, CATALOG.hash)).toEqual(await answerOf(one, CATALOG.hash))
    expect((await upload(two, CATALOG)).status).toBe(200)
    await deleteAll(database.url)
    expect((await searchUploaded(three, CATALOG.hash)).status).toBe(404)
    expect((await upload(three, CATALOG)).status).toBe(201)
    for (const api of [one, two, three]) {
      expect((await searchUploaded(api, CATALOG.hash)).status).toBe(200)
      await api.close()
    }
    await Promise.all(opened.map((each) => each.close()))
  })

  it('go on without the database: each asks for an upload once, and reports the failure', async () => {
    const problems: unknown[] = []
    const opened = await openSearchDatabase('postgres://nobody@127.0.0.1:1/none')
    const api = apiWith({ catalogs: opened.catalogs, onProblem: (error) => problems.push(error) })
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(404)
    expect((await upload(api, CATALOG)).status).toBe(201)
    expect((await searchUploaded(api, CATALOG.hash)).status).toBe(200)
    // After two failures it is left alone for a while.
    expect(problems).toHaveLength(2)
    await api.close()
    await opened.close()
  })
})

async function deleteAll(url: string): Promise<void> {
  const { default: pg } = await import('pg')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('delete from tooldex_search_catalogs')
  await client.end()
}
