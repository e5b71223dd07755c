import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { beginSession, messagesOf, modernRequest, openListener, POLITE } from './listener.case.ts'

let gateway: Awaited<ReturnType<typeof openListener>>
beforeAll(async () => {
  gateway = await openListener()
})
afterAll(() => gateway.server.close())

async function send(path: string, init: { method?: string; headers?: Record<string, string>; body?: string } = {}) {
  const response = await fetch(gateway.url + path, init)
  const text = await response.text()
  return { status: response.status, headers: response.headers, json: text.startsWith('{') ? JSON.parse(text) : text }
}

const post = (body: string, headers: Record<string, string> = {}, path = '/mcp') =>
  send(path, { method: 'POST', headers: { ...POLITE, ...headers }, body })

/** Writes bytes as they are; resolves to all that comes back until the connection ends. */
function raw(text: string): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(gateway.port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(2_000, () => socket.destroy())
    socket.on('data', (chunk) => (reply += chunk.toString()))
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(reply))
  })
}

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
const head = (host: string, more = '') =>
  `POST /mcp HTTP/1.1\r\n${host}Authorization: Bearer secret-a\r\nContent-Type: application/json\r\n` +
  `Accept: application/json, text/event-stream\r\n${more}Connection: close\r\nContent-Length: ${LIST.length}\r\n\r\n${LIST}`

describe('The source of a request', () => {
  it.each([
    ['a foreign name', 'Host: evil.com\r\n'],
    ['a foreign name with our port', 'Host: evil.com:7420\r\n'],
    ['a name that begins like ours', 'Host: localhost.evil.com\r\n'],
    ['a trailing dot', 'Host: localhost.\r\n'],
    ['a malformed port', 'Host: localhost:http\r\n'],
    ['a user name', 'Host: localhost@evil.com\r\n'],
    ['two names', 'Host: localhost\r\nHost: evil.com\r\n'],
    ['two names, ours last', 'Host: evil.com\r\nHost: localhost\r\n'],
    ['our name twice', 'Host: localhost\r\nHost: localhost\r\n'],
    ['no name', ''],
    ['a web page', 'Host: localhost\r\nOrigin: https://evil.com\r\n'],
    ['a page of no origin', 'Host: localhost\r\nOrigin: null\r\n'],
    ['an origin that looks like ours', 'Host: localhost\r\nOrigin: http://localhost.evil.com\r\n'],
    ['an extension', 'Host: localhost\r\nOrigin: chrome-extension://localhost\r\n'],
  ])('is refused for %s before it has any effect', async (_, host) => {
    const before = gateway.handler.asked.length
    expect(await raw(head(host))).toMatch(/^HTTP\/1\.1 (403|400) /)
    expect(gateway.handler.asked.length).toBe(before)
  })

  it('is refused for a target in absolute form', async () => {
    const text = head('Host: localhost\r\n').replace('POST /mcp', 'POST http://evil.com/mcp')
    expect(await raw(text)).toMatch(/^HTTP\/1\.1 403 /)
  })

  it.each(['localhost', 'LOCALHOST:80', '127.0.0.1', '[::1]:7420'])('is accepted for %s', async (host) => {
    expect(await raw(head(`Host: ${host}\r\n`))).toMatch(/^HTTP\/1\.1 400 .*Mcp-Session-Id/s)
  })

  it('is accepted from a page of this machine', async () => {
    expect((await send('/healthz', { headers: { origin: 'http://localhost:3000' } })).status).toBe(200)
  })
})

describe('A caller', () => {
  it('[R40] is asked for a token, and where to send it', async () => {
    const { status, headers, json } = await post(LIST, { authorization: '' })
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toMatch(/^Bearer /)
    expect(json.error.data.code).toBe('TOKEN_INVALID')
    const missing = await send('/mcp', { method: 'POST', headers: { 'content-type': 'application/json' }, body: LIST })
    expect(missing.status).toBe(401)
    expect(missing.json.error.data.code).toBe('TOKEN_MISSING')
  })

  it('cannot distinguish existing endpoints from others without a token', async () => {
    const answers = await Promise.all(
      ['/team/mcp', '/nothing/mcp', '/mcp', '/__proto__/mcp'].map((path) =>
        send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: LIST }),
      ),
    )
    for (const { status, json } of answers) expect({ status, json }).toEqual({ status: 401, json: answers[0]?.json })
  })

  it('learns that an endpoint is unknown only with a token', async () => {
    const { status, json } = await post(LIST, {}, '/nothing/mcp')
    expect(status).toBe(404)
    expect(json).toMatchObject({ id: null, error: { data: { code: 'ENDPOINT_NOT_FOUND', endpoint: 'nothing' } } })
  })

  it.each(['token', 'access_token', 'API_KEY'])('may not send a token as ?%s=', async (name) => {
    const { status, json } = await post(LIST, {}, `/mcp?${name}=secret-a`)
    expect(status).toBe(400)
    expect(json.error.message).toContain('Authorization: Bearer')
    expect(JSON.stringify(json)).not.toContain('secret-a')
  })

  it('needs no token at an open endpoint, but only on this machine', async () => {
    const { authorization: _, ...headers } = modernRequest('tools/list').headers
    const body = JSON.stringify(modernRequest('tools/list').message)
    expect((await send('/open/mcp', { method: 'POST', headers, body })).status).toBe(200)
    expect(gateway.handler.asked.at(-1)?.caller.principal.tokenId).toBe('anonymous')
    for (const name of ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip', 'via', 'cf-connecting-ip']) {
      const forwarded = { ...headers, [name]: '203.0.113.9' }
      expect([name, (await send('/open/mcp', { method: 'POST', headers: forwarded, body })).status]).toEqual([
        name,
        401,
      ])
      expect([name, (await send('/metrics', { headers: { [name]: '203.0.113.9' } })).status]).toEqual([name, 401])
    }
    expect((await send('/metrics', {})).status).toBe(200)
  })

  it('is slowed down after many wrong tokens, without harm to others', async () => {
    await using busy = await openListener()
    const guess = () =>
      fetch(`${busy.url}/mcp`, { method: 'POST', headers: { ...POLITE, authorization: 'Bearer no' }, body: LIST })
    const statuses = []
    for (let count = 0; count < 25; count++) statuses.push((await guess()).status)
    expect(statuses.slice(0, 20)).toEqual(Array(20).fill(401))
    expect(statuses.slice(20)).toEqual(Array(5).fill(429))
    expect((await guess()).headers.get('retry-after')).toMatch(/^\d+$/)
    await beginSession(`${busy.url}/mcp`)
  })
})

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`

describe('A body', () => {
  it('may have brackets in strings, and be nested as deep as tools need', async () => {
    const { headers, message } = modernRequest('tools/call', { name: 'echo', arguments: JSON.parse(deep(55)) })
    expect((await post(JSON.stringify(message), headers)).status).toBe(200)
    const brackets = modernRequest('tools/call', { name: 'echo', arguments: { text: `"\\\\"${'['.repeat(1_000)}` } })
    expect((await post(JSON.stringify(brackets.message), brackets.headers)).status).toBe(200)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonp', 'text/json'])(
    'is refused as %s',
    async (type) => {
      expect((await post(LIST, { 'content-type': type })).status).toBe(415)
    },
  )

  it('is accepted with a charset', async () => {
    expect((await post(LIST, { 'content-type': 'Application/JSON; charset=utf-8' })).status).toBe(400)
  })

  it('is refused if it is compressed', async () => {
    expect((await post(LIST, { 'content-encoding': 'gzip' })).status).toBe(415)
  })

  it.each([
    ['nothing', ''],
    ['no JSON', '{"jsonrpc":'],
    ['a number', '7'],
    ['null', 'null'],
    ['an object of no meaning', '{"a":1}'],
    ['another version of JSON-RPC', '{"jsonrpc":"1.0","id":1,"method":"tools/list"}'],
    ['an id of null', '{"jsonrpc":"2.0","id":null,"method":"tools/list"}'],
    ['an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}'],
    ['a method that is a number', '{"jsonrpc":"2.0","id":1,"method":5}'],
    ['an empty batch', '[]'],
    ['a batch of nonsense', '[1,2]'],
    ['brackets without end', '['.repeat(100_000)],
    ['brackets very deep', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
    [
      'arguments very deep',
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":${deep(50_000)}}}`,
    ],
    ['parameters that are a list', '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}'],
  ])('is refused if it is %s', async (_, body) => {
    const session = await beginSession(`${gateway.url}/mcp`)
    const before = gateway.handler.asked.length
    const { status, json } = await send('/mcp', { method: 'POST', headers: session, body })
    expect(status).toBe(400)
    expect(json).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number), message: expect.any(String) } })
    expect(gateway.handler.asked.length).toBe(before)
  })

  it('is a parse error if it is not JSON', async () => {
    expect((await post('{"jsonrpc":')).json.error.code).toBe(-32700)
  })

  it('is answered as a batch in a session', async () => {
    const headers = await beginSession(`${gateway.url}/mcp`)
    const batch = [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/list' }))
    const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body: JSON.stringify(batch) })
    expect((await messagesOf(response)).map((message) => message['id'])).toEqual([1, 2])
  })

  it('is refused if it is too large, by its header and by its length', async () => {
    const declared = await post(JSON.stringify({ padding: 'x'.repeat(5_000_000) }))
    expect(declared.status).toBe(413)
    expect(declared.json.error.data).toMatchObject({ code: 'REQUEST_TOO_LARGE', limit: 4 * 1024 * 1024 })
    const { status, sent } = await endlessUpload()
    expect(status).toBe(413)
    expect(sent).toBeLessThan(50_000_000)
  })

  it('costs no more memory than the limit, however much is sent', async () => {
    const before = process.memoryUsage().arrayBuffers
    await endlessUpload()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(16_000_000)
  })
})

/** Sends 50 MB in chunks without saying how much it will be, until told to stop. */
function endlessUpload(): Promise<{ status: number | undefined; sent: number }> {
  return new Promise((resolve) => {
    const chunk = Buffer.alloc(64 * 1024, 0x20)
    let sent = 0
    const req = httpRequest(`${gateway.url}/mcp`, { method: 'POST', headers: POLITE })
    const more = () => {
      while (sent < 50_000_000 && !req.destroyed) {
        sent += chunk.length
        if (!req.write(chunk)) return void req.once('drain', more)
      }
    }
    req.on('response', (response) => {
      resolve({ status: response.statusCode, sent })
      req.destroy()
    })
    req.on('error', () => resolve({ status: undefined, sent }))
    more()
  })
}

describe('A path', () => {
  it('that is unknown is answered with the known ones', async () => {
    const { status, json } = await send('/nowhere')
    expect(status).toBe(404)
    expect(json.error.data.paths).toContain('/<endpoint>/mcp')
  })

  it.each([
    ['PUT', '/mcp', 'POST, GET, DELETE'],
    ['OPTIONS', '/mcp', 'POST, GET, DELETE'],
    ['POST', '/sse', 'GET'],
    ['POST', '/healthz', 'GET'],
  ])('refuses %s %s and names the allowed methods', async (method, path, allowed) => {
    const { status, headers } = await send(path, { method, headers: { authorization: POLITE.authorization } })
    expect(status).toBe(405)
    expect(headers.get('allow')).toBe(allowed)
  })

  it.each(['/mcp/', '//mcp', '/a/b/mcp', '/%2e%2e/mcp', '/%zz/mcp', '/mcp%00'])('is not found: %s', async (path) => {
    expect(await raw(head('Host: localhost\r\n').replace('POST /mcp', `POST ${path}`))).toMatch(/^HTTP\/1\.1 404 /)
  })

  it('of health and metrics needs no token here', async () => {
    expect((await send('/healthz')).json).toBe('healthy')
    expect((await send('/readyz')).json).toBe('ready')
    expect((await send('/metrics')).json).toBe('metrics')
  })
})

describe('Requests of 2026-07-28', () => {
  const ask = async (change: (request: ReturnType<typeof modernRequest>) => void, method = 'tools/call') => {
    const request = modernRequest(method, method === 'tools/call' ? { name: 'echo', arguments: { text: 'x' } } : {})
    change(request)
    const before = gateway.handler.asked.length
    const { status, json } = await post(JSON.stringify(request.message), request.headers)
    return { status, code: json.error?.code, isAsked: gateway.handler.asked.length > before }
  }
  const metaOf = (request: ReturnType<typeof modernRequest>) => request.message.params._meta as Record<string, unknown>
  const VERSION = 'io.modelcontextprotocol/protocolVersion'
  const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'

  it.each([
    ['another method in the header', (r) => (r.headers['mcp-method'] = 'tools/list'), -32020],
    ['another name in the header', (r) => (r.headers['mcp-name'] = 'other'), -32020],
    ['a name in another case', (r) => (r.headers['mcp-name'] = 'Echo'), -32020],
    ['a broken Base64 name', (r) => (r.headers['mcp-name'] = '=?base64?%%%?='), -32020],
    ['another name in Base64', (r) => (r.headers['mcp-name'] = '=?base64?b3RoZXI=?='), -32020],
    ['no name in the header', (r) => delete r.headers['mcp-name'], -32020],
    ['no method in the header', (r) => delete r.headers['mcp-method'], -32020],
    ['no version in the header', (r) => delete r.headers['mcp-protocol-version'], -32020],
    ['another version in the header', (r) => (r.headers['mcp-protocol-version'] = '2025-11-25'), -32020],
    ['no capabilities', (r) => delete metaOf(r)[CAPABILITIES], -32602],
    ['capabilities that are a list', (r) => (metaOf(r)[CAPABILITIES] = []), -32602],
    ['a client without a name', (r) => (metaOf(r)['io.modelcontextprotocol/clientInfo'] = {}), -32602],
    ['no version in the body', (r) => delete metaOf(r)[VERSION], -32602],
    [
      'a version of the future',
      (r) => ((metaOf(r)[VERSION] = '2099-01-01'), (r.headers['mcp-protocol-version'] = '2099-01-01')),
      -32022,
    ],
  ] as [string, (request: ReturnType<typeof modernRequest>) => unknown, number][])(
    'are refused with %s',
    async (_, change, code) => {
      expect(await ask(change)).toEqual({ status: 400, code, isAsked: false })
    },
  )

  it('are accepted with the right name in Base64', async () => {
    expect(await ask((r) => (r.headers['mcp-name'] = '=?base64?ZWNobw==?='))).toEqual({ status: 200, isAsked: true })
  })

  it('are answered 404 for an unknown method', async () => {
    expect(await ask(() => undefined, 'no/such')).toMatchObject({ status: 404, code: -32601 })
    expect(await ask(() => undefined, 'ping')).toMatchObject({ status: 404, code: -32601 })
    expect(await ask(() => undefined, 'completion/complete')).toMatchObject({ status: 404, code: -32601 })
  })

  it('are answered 200 with an error of the tool', async () => {
    const request = modernRequest('tools/call', { name: 'nothing' })
    const { status, json } = await post(JSON.stringify(request.message), request.headers)
    expect({ status, code: json.error.code }).toEqual({ status: 200, code: -32602 })
  })

  it('learn which capability they must declare to be asked for input', async () => {
    const request = modernRequest('tools/call', { name: 'input' })
    const { status, json } = await post(JSON.stringify(request.message), request.headers)
    expect(status).toBe(400)
    expect(json.error).toMatchObject({ code: -32021, data: { requiredCapabilities: { elicitation: { form: {} } } } })
  })

  it('get log messages of the requested severity only', async () => {
    const logsFor = async (meta: Record<string, unknown>) => {
      const request = modernRequest('tools/call', { name: 'log' }, meta)
      const body = JSON.stringify(request.message)
      const response = await fetch(`${gateway.url}/mcp`, { method: 'POST', headers: request.headers, body })
      return (await messagesOf(response)).map((message) => message['method']).filter(Boolean)
    }
    expect(await logsFor({})).toEqual([])
    expect(await logsFor({ 'io.modelcontextprotocol/logLevel': 'info' })).toEqual(['notifications/message'])
    expect(await logsFor({ 'io.modelcontextprotocol/logLevel': 'error' })).toEqual([])
  })
})
