import { afterEach, describe, expect, it } from 'vitest'
import {
  bodyOf,
  legacyHttp,
  legacySse,
  type Listening,
  listen,
  modernHttp,
  nothingSeen,
  plain,
} from './fixtures/http-servers.case.ts'
import { call, define, failure, makePool, textOf, until } from './fixtures/pool.case.ts'
import { withoutRaw } from './protocol/raw-json.ts'
import { repairTools } from '../catalog/repair-tools.ts'
import type { ClientLink } from './server.ts'
import type { ServerLimits } from '../model/server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function serving(...args: Parameters<typeof listen>): Promise<Listening> {
  const listening = await listen(...args)
  cleanups.push(() => listening.close())
  return listening
}

async function connected(url: string, kind: 'http' | 'sse' = 'http', limits: Partial<ServerLimits> = {}, more = {}) {
  const { pool, add, events } = makePool()
  cleanups.push(() => pool.stop())
  const server = await add(define({ kind, url, headers: { authorization: 'Bearer ours' } }, { limits, ...more }))
  return { server, events, pool }
}

const person = (sessionId: string): ClientLink => ({
  sessionId,
  capabilities: { elicitation: {} },
  info: { name: `client-${sessionId}`, version: '1' },
  answer: async () => ({ action: 'accept', content: { who: sessionId } }),
})

describe.each([
  ['Streamable HTTP of the older eras', 'http', legacyHttp],
  ['Streamable HTTP with JSON answers', 'http', (seen: ReturnType<typeof nothingSeen>) => legacyHttp(seen, true)],
  ['HTTP+SSE', 'sse', legacySse],
] as const)('%s', (_, kind, make) => {
  it('lists and calls, with our headers and no MaxListeners warning', async () => {
    const seen = nothingSeen()
    const { url } = await serving(make(seen))
    const { server } = await connected(url, kind)
    expect((await server.request({ method: 'tools/list' }))['tools']).toHaveLength(6)
    for (let n = 0; n < 30; n++) expect(textOf(await server.request(call('echo', { n })))).toBe(`{"n":${n}}`)
    expect(server.status()).toMatchObject({ state: 'running', era: 'legacy' })
    expect(seen.headers.every(({ authorization }) => authorization === 'Bearer ours')).toBe(true)
    expect(JSON.stringify(seen.headers)).not.toContain('tooldex-request-id')
    expect(seen.capabilities).toEqual([{}])
  })

  it('fails a reply over the limit and keeps the connection', async () => {
    const seen = nothingSeen()
    const { url } = await serving(make(seen))
    const { server } = await connected(url, kind, { maxReplyBytes: 100_000 })
    const others = Array.from({ length: 5 }, (_, n) => server.request(call('echo', { n })))
    const error = await failure(server.request(call('huge', { bytes: 3_000_000 })))
    expect(error).toMatchObject({ code: 'REPLY_TOO_LARGE', details: { server: 'cheese', limitBytes: 100_000 } })
    await Promise.all(others)
    expect(textOf(await server.request(call('huge', { bytes: 50_000 })))).toHaveLength(50_000)
    expect(server.status().restarts).toBe(0)
  })

  it('passes a large reply on unchanged', async () => {
    const { url } = await serving(make(nothingSeen()))
    const { server } = await connected(url, kind)
    const { content } = withoutRaw(await server.request(call('huge', { bytes: 3_000_000 })))
    expect(content).toEqual([{ type: 'text', text: 'x'.repeat(3_000_000) }])
  })

  it('names a server that goes away mid-call at once, and finds it again', async () => {
    const first = await serving(make(nothingSeen()))
    const { server } = await connected(first.url, kind)
    await server.start()
    const open = failure(server.request(call('hang')))
    await server.request(call('echo'))
    await first.close()
    expect(await open).toMatchObject({ code: 'SERVER_CRASHED', details: { server: 'cheese' } })
    await serving(make(nothingSeen()), '/mcp', Number(new URL(first.url).port))
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('needs a login after HTTP 401, and fails at once afterwards', async () => {
    const { url } = await serving((_, res) => plain(res, 401, { 'www-authenticate': 'Bearer' }))
    const { server } = await connected(url, kind)
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_NEEDS_LOGIN' })
    expect(server.status()).toMatchObject({ state: 'needs-login', lastError: { code: 'SERVER_NEEDS_LOGIN' } })
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_NEEDS_LOGIN' })
  })

  it('reports a refused connection', async () => {
    const listening = await serving(make(nothingSeen()))
    await listening.close()
    const { server } = await connected(listening.url, kind)
    const error = await failure(server.start())
    expect(error).toMatchObject({ code: 'SERVER_START_FAILED' })
    expect(error.message).toContain('"cheese" refused the connection')
  })

  it('does not carry our headers to another origin', async () => {
    const seen = nothingSeen()
    const elsewhere = await serving(make(seen))
    const { url } = await serving((_, res) => plain(res, 307, { location: elsewhere.url }))
    const { server } = await connected(url, kind)
    expect(await failure(server.start())).toMatchObject({ code: 'SERVER_START_FAILED' })
    expect(seen.headers).toEqual([])
  })
})

describe.each([
  ['Streamable HTTP of the older eras', 'http', legacyHttp],
  ['HTTP+SSE', 'sse', legacySse],
] as const)('%s, while a call is open', (_, kind, make) => {
  it('delivers progress, and carries cancellation and time limits to the server', async () => {
    const seen = nothingSeen()
    const { url } = await serving(make(seen))
    const { server } = await connected(url, kind)
    const progress: unknown[] = []
    await server.request(call('progress'), { onProgress: (news) => progress.push(news['progress']) })
    expect(progress).toEqual([1, 2, 3])
    const cancel = new AbortController()
    const open = failure(server.request(call('hang'), { signal: cancel.signal }))
    await server.request(call('echo'))
    cancel.abort()
    expect(await open).toMatchObject({ code: 'CALL_CANCELLED' })
    expect(await failure(server.request(call('hang'), { timeoutMs: 60 }))).toMatchObject({ code: 'SERVER_TIMEOUT' })
    await until(() => seen.cancelled === 2)
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('gives a client that can be asked a connection of its own, and closes it with the session', async () => {
    const seen = nothingSeen()
    const { url } = await serving(make(seen))
    const { server } = await connected(url, kind)
    const answers = await Promise.all(['a', 'b'].map((id) => server.request(call('ask'), { client: person(id) })))
    expect(answers.map(textOf).map((text) => JSON.parse(text).content.who)).toEqual(['a', 'b'])
    expect(seen.capabilities).toMatchObject([{}, { elicitation: {} }, { elicitation: {} }])
    expect(seen.sessions).toBe(3)
    await server.closeSession('a')
    await until(() => seen.sessions === 2)
    expect((await failure(server.request(call('ask')))).rpcCode).toBeDefined()
  })
})

describe('A session that the server forgot', () => {
  it('is begun again, and the call is made once', async () => {
    const port = await serving(legacyHttp(nothingSeen()))
    const { server } = await connected(port.url)
    await server.request(call('echo'))
    port.http.removeAllListeners('request')
    const seen = nothingSeen()
    port.http.on('request', legacyHttp(seen))
    expect(textOf(await server.request(call('echo', { n: 1 })))).toBe('{"n":1}')
    expect(seen.sessions).toBe(1)
    expect(server.status()).toMatchObject({ state: 'running', restarts: 1 })
  })
})

describe('A server of 2026-07-28', () => {
  async function modern() {
    const seen = nothingSeen()
    const { handler, listener } = modernHttp(seen)
    const { url } = await serving(listener)
    return { seen, handler, ...(await connected(url)) }
  }

  it('is recognised, and keeps a tool that its SDK would have lost the list for', async () => {
    const { server } = await modern()
    const { tools } = await server.request({ method: 'tools/list' })
    expect(server.status().era).toBe('modern')
    expect(server.instructions()).toBe('Modern.')
    const { tools: repaired } = repairTools(tools as Record<string, unknown>[])
    expect(repaired.map(({ definition }) => definition.name)).toContain('without-schema')
  })

  it('gets the name and capabilities of the client, and not what the client wrote in their place', async () => {
    const { server } = await modern()
    const request = call('caps')
    const _meta = { 'io.modelcontextprotocol/clientCapabilities': { sampling: {} } }
    const result = await server.request(
      { method: request.method, params: { ...request.params, _meta } },
      { client: { sessionId: 'a', capabilities: { elicitation: {} }, info: { name: 'c', version: '1' } } },
    )
    const envelope = JSON.parse(textOf(result))
    expect(envelope['io.modelcontextprotocol/clientCapabilities']).toEqual({ elicitation: {} })
    expect(envelope['io.modelcontextprotocol/clientInfo']).toEqual({ name: 'c', version: '1' })
    expect(result['_meta']).toBeUndefined()
    expect(result['resultType']).toBeUndefined()
  })

  it('has its input requests passed on unchanged', async () => {
    const { server } = await modern()
    expect(await server.request(call('input'))).toEqual({
      resultType: 'input_required',
      inputRequests: { a: { method: 'roots/list' } },
      requestState: 'state-1',
    })
  })

  it('sees a cancellation as a closed stream, and sends progress', async () => {
    const { server, seen } = await modern()
    const progress: unknown[] = []
    await server.request(call('progress'), { onProgress: (news) => progress.push(news['progress']) })
    expect(progress).toEqual([1, 2])
    expect(await failure(server.request(call('hang'), { timeoutMs: 60 }))).toMatchObject({ code: 'SERVER_TIMEOUT' })
    await until(() => seen.cancelled === 1)
  })

  it('reports changed lists and watched resources', async () => {
    const { server, handler, events } = await modern()
    await server.request({ method: 'resources/subscribe', params: { uri: 'x://1' } })
    handler.notify.toolsChanged()
    handler.notify.resourceUpdated('x://1')
    await until(() => events.some(({ kind }) => kind === 'list-changed'))
    expect(events).toContainEqual({ kind: 'list-changed', serverId: 's1', list: 'tools' })
    await until(() => events.some(({ kind }) => kind === 'resource-updated'))
  })

  it('gets arguments repeated in headers if its schema asks for it', async () => {
    const { server, seen } = await modern()
    await server.request({ method: 'tools/list' })
    await server.request(call('region', { region: 'Malmö' }))
    const expected = `=?base64?${Buffer.from('Malmö').toString('base64')}?=`
    expect(seen.headers.at(-1)?.['mcp-param-region']).toBe(expected)
  })
})

describe('A server that answers HTTP and not MCP', () => {
  it.each([
    ['no JSON', 'application/json', '<html>', 'REPLY_INVALID'],
    ['another content type', 'text/html', '<html>', 'REPLY_INVALID'],
    ['a stream that ends without an answer', 'text/event-stream', 'event: message\ndata: {\n\n', 'SERVER_CRASHED'],
  ])('fails the call by name: %s', async (_, contentType, body, code) => {
    const { url } = await serving(async (req, res) => {
      const { id, method } = await bodyOf(req)
      if (method === 'notifications/initialized') return plain(res, 202)
      if (req.method === 'GET') return plain(res, 405)
      if (method !== 'initialize') return void res.writeHead(200, { 'content-type': contentType }).end(body)
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
      res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
    const { server } = await connected(url, 'http', {}, { era: 'legacy' })
    const error = await failure(server.request(call('echo')))
    expect(error.code).toBe(code)
    expect(error.message).toContain('"cheese"')
  })
})
