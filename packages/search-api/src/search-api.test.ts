import { searchApiAnswerSchema } from '@tooldex/contract/search-api'
import { afterAll, describe, expect, it } from 'vitest'
import { apiWith, keysOf, post, problem, search, TOOLS, tool } from './ask.case.ts'

const api = apiWith()
afterAll(() => api.close())

const get = (path: string, method = 'GET') => api.handle(new Request(`http://search.test${path}`, { method }))

describe('POST /catalog/search', () => {
  it('[R31] ranks the tools that it was sent', async () => {
    const { status, headers, body } = await post(api, { query: ['report a bug'], tools: TOOLS, maxResults: 3 })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    const { results, answeredBy, degraded } = searchApiAnswerSchema.parse(body)
    expect(results[0]).toEqual({ ...TOOLS[0], relevance: expect.any(Number), explanation: expect.any(String) })
    expect({ answeredBy, degraded }).toEqual({ answeredBy: 'hybrid', degraded: undefined })
  })

  it('[R32] answers under the versioned path, too', async () => {
    const plain = await post(api, { query: ['weather'], tools: TOOLS })
    const versioned = await post(api, { query: ['weather'], tools: TOOLS }, { path: '/v1/catalog/search' })
    expect(versioned.body).toEqual(plain.body)
  })

  it('takes one text for a list of one', async () => {
    expect(await search(api, { query: 'delete a file' })).toEqual(await search(api, { query: ['delete a file'] }))
  })

  it('fuses several queries', async () => {
    const keys = keysOf(await search(api, { query: ['weather forecast', 'send an e-mail'] }))
    expect(keys.slice(0, 2).toSorted()).toEqual(['mail:send_message', 'weather:get_forecast'])
  })

  it('ignores fields that it does not know', async () => {
    const tools = TOOLS.map((one) => ({ ...one, inputSchema: { type: 'object' } }))
    const plain = await search(api, { query: ['weather'] })
    expect(await search(api, { query: ['weather'], tools, stream: true, __proto__x: 1 })).toEqual(plain)
  })

  it.each([
    [0, 1],
    [-5, 1],
    [1.9, 1],
    [2.5, 2],
    [3, 3],
    [1000, 100],
    [1e300, 100],
    [-1e300, 1],
  ])('brings maxResults %d to %d', async (maxResults, expected) => {
    const tools = Array.from({ length: 120 }, (_, at) => tool(`files:read_file_${at}`, 'Read a file.'))
    expect((await search(api, { query: ['read file'], tools, maxResults })).results).toHaveLength(expected)
  })

  it('finds ten by default', async () => {
    const tools = Array.from({ length: 20 }, (_, at) => tool(`files:read_file_${at}`, 'Read a file.'))
    expect((await search(api, { query: ['read file'], tools })).results).toHaveLength(10)
  })

  it('clamps a maxResults that only JSON can write', async () => {
    const { status } = await post(api, `{"query":["file"],"maxResults":1e999,"tools":${JSON.stringify(TOOLS)}}`)
    expect(status).toBe(200)
  })

  it.each([[''], ['   '], ['\u0000'], ['AND OR NOT ('], ['"'], ['\ud800'], ['🙂'.repeat(1_000)], ['x'.repeat(8_000)]])(
    'answers the unusual query %j',
    async (query) => {
      const { results } = await search(api, { query: [query] })
      expect(results.length).toBeLessThanOrEqual(TOOLS.length)
    },
  )

  it('finds nothing for a blank query', async () => {
    expect((await search(api, { query: [' ', ''] })).results).toEqual([])
  })

  it('returns names that are properties of Object.prototype', async () => {
    const tools = [tool('__proto__:constructor', 'Build a house.'), tool('hasOwnProperty:toString', 'Paint a wall.')]
    expect(keysOf(await search(api, { query: ['build a house'], tools }))[0]).toBe('__proto__:constructor')
  })

  it('takes a server name with a colon and a tool without a server', async () => {
    const tools = [
      { toolKey: 'a', toolName: 'send_mail', serverName: 'Mail: the second' },
      { toolKey: 'b', toolName: 'delete_file', serverName: '' },
    ]
    expect(keysOf(await search(api, { query: ['delete file'], tools }))[0]).toBe('b')
  })
})

describe('an invalid request', () => {
  const right = { query: ['file'], tools: TOOLS }
  const nine = { ...tool('a:b'), toolName: 9 }

  it.each<[string, unknown, string]>([
    ['no object', [], 'body'],
    ['nothing', null, 'body'],
    ['a text', '"query"', 'body'],
    ['broken JSON', '{"query":', 'body'],
    ['no UTF-8', Buffer.from(JSON.stringify({ query: ['ÿ'], tools: TOOLS }), 'latin1'), 'body'],
    ['an empty body', '', 'body'],
    ['no query', { tools: TOOLS }, 'query'],
    ['an empty query', { ...right, query: [] }, 'query'],
    ['a query of numbers', { ...right, query: ['a', 1] }, 'query[1]'],
    ['a query that is an object', { ...right, query: {} }, 'query'],
    ['too many queries', { ...right, query: Array.from({ length: 33 }, () => 'a') }, 'query'],
    ['a query without end', { ...right, query: ['x'.repeat(8_001)] }, 'query[0]'],
    ['a context of another type', { ...right, context: ['a'] }, 'context'],
    ['no tools', { query: ['a'] }, 'tools'],
    ['empty tools', { ...right, tools: [] }, 'tools'],
    ['tools by key', { ...right, tools: { a: tool('a:b') } }, 'tools'],
    ['a tool that is null', { ...right, tools: [null] }, 'tools[0]'],
    ['a tool without key', { ...right, tools: [{ toolName: 'a', serverName: 'b' }] }, 'tools[0].toolKey'],
    ['a tool with an empty name', { ...right, tools: [{ ...tool('a:b'), toolName: '' }] }, 'tools[0].toolName'],
    ['a tool whose name is a number', { ...right, tools: [tool('a:c'), nine] }, 'tools[1].toolName'],
    [
      'a tool with a list as description',
      { ...right, tools: [{ ...tool('a:b'), description: [] }] },
      'tools[0].description',
    ],
    ['duplicate keys', { ...right, tools: [tool('a:b'), tool('a:c'), tool('a:b')] }, 'tools[2].toolKey'],
    ['a maxResults in words', { ...right, maxResults: 'ten' }, 'maxResults'],
    ['a maxResults of null', { ...right, maxResults: null }, 'maxResults'],
    ['a maxResults of true', { ...right, maxResults: true }, 'maxResults'],
    ['an empty project', { ...right, projectId: '' }, 'projectId'],
  ])('%s: reports the field', async (_, body, field) => {
    const told = await problem(api, body)
    expect(told).toMatchObject({ status: 400, code: 'REQUEST_INVALID' })
    expect(told.errors?.[0]?.field).toBe(field)
    expect(told.detail).toContain(field === 'body' ? 'ody' : field)
  })

  it('reports at most twenty fields', async () => {
    const told = await problem(api, { query: ['a'], tools: Array.from({ length: 500 }, () => ({})) })
    expect(told.errors).toHaveLength(20)
  })

  it('with too many tools: 413', async () => {
    const small = apiWith({ limits: { tools: 3 } })
    const told = await problem(small, right)
    expect(told).toMatchObject({ status: 413, code: 'REQUEST_TOO_LARGE', errors: [{ field: 'tools' }] })
    await small.close()
  })
})

describe('the other paths', () => {
  it('report a healthy service', async () => {
    expect(await (await get('/healthz')).json()).toEqual({ status: 'ok' })
    expect(await (await get('/readyz')).json()).toEqual({ status: 'ready' })
  })

  it('report a service that is stopping', async () => {
    const stopping = apiWith()
    await stopping.close()
    expect((await stopping.handle(new Request('http://search.test/readyz'))).status).toBe(503)
  })

  it('describe the interface', async () => {
    const document = (await (await get('/openapi.json')).json()) as { openapi: string; paths: object }
    expect(document.openapi).toBe('3.1.0')
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/catalog/search', '/metrics']))
  })

  it('count requests without any of their content', async () => {
    const counted = apiWith()
    await search(counted, { query: ['a secret plan'] })
    await post(counted, 'nonsense')
    const headers = { authorization: 'Bearer tdx_test-secret' }
    const text = await (await counted.handle(new Request('http://search.test/metrics', { headers }))).text()
    expect(text).toContain('tooldex_search_api_requests_total{status="400"} 1')
    expect(text).toContain('tooldex_search_api_searches_total{answered_by="hybrid",degraded="false",cached="false"} 1')
    expect(text).not.toMatch(/secret|github/)
    await counted.close()
  })

  it('refuse metrics to remote callers without a token', async () => {
    expect((await get('/metrics')).status).toBe(401)
  })

  it('are matched by path and method', async () => {
    expect((await get('/catalog')).status).toBe(404)
    const wrong = await get('/catalog/search')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST'])
    const head = await get('/healthz', 'HEAD')
    expect([head.status, await head.text()]).toEqual([200, ''])
  })
})
