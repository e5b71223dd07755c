import { once } from 'node:events'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Embedder } from '@tooldex/search'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRET, sha256, TOOLS, tool } from '../ask.case.ts'
import { type ListeningSearchApi, listenSearchApi } from './listen.ts'

const tokens = [{ sha256: sha256(SECRET), project: 'work' }]
const headers = { 'content-type': 'application/json', authorization: `Bearer ${SECRET}` }
const body = JSON.stringify({ query: ['weather'], tools: TOOLS })

describe('listenSearchApi', () => {
  const problems: unknown[] = []
  let api: ListeningSearchApi
  beforeAll(async () => {
    api = await listenSearchApi({ port: 0, tokens, onProblem: (error) => problems.push(error) })
  })
  afterAll(() => api.close())

  it('answers over a socket', async () => {
    const response = await fetch(`${api.url}/v1/catalog/search?a=b`, { method: 'POST', headers, body })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ answeredBy: 'hybrid', results: [{ toolName: 'get_forecast' }] })
  })

  it('accepts 20,000 tools in a compressed body', async () => {
    const tools = Array.from({ length: 20_000 }, (_, at) => tool(`server-${at % 50}:read_${at}`, `Read thing ${at}.`))
    const packed = gzipSync(JSON.stringify({ query: ['read thing 77'], tools, maxResults: 1 }))
    const request = { method: 'POST', headers: { ...headers, 'content-encoding': 'gzip' }, body: packed }
    const response = await fetch(`${api.url}/catalog/search`, request)
    expect(await response.json()).toMatchObject({ results: [{ toolName: 'read_77' }] })
  }, 60_000)

  it('answers 413 to a body of 50 MB', async () => {
    const large = Buffer.alloc(50 * 1024 * 1024, ' ')
    const response = await fetch(`${api.url}/catalog/search`, { method: 'POST', headers, body: large })
    expect([response.status, response.headers.get('content-type')]).toEqual([413, 'application/problem+json'])
    expect(await response.json()).toMatchObject({ code: 'REQUEST_TOO_LARGE' })
  })

  it('answers 413 to a chunked body of 50 MB, or closes the connection', async () => {
    const piece = new Uint8Array(1024 * 1024).fill(0x20)
    let left = 50
    const pieces = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(piece) : controller.close()),
    })
    const request = { method: 'POST', headers, body: pieces, duplex: 'half' } as RequestInit
    const answered = await fetch(`${api.url}/catalog/search`, request).then(
      ({ status }) => status,
      // The connection may be closed before all was sent.
      () => 'closed',
    )
    expect([413, 'closed']).toContain(answered)
    expect(left).toBeGreaterThanOrEqual(0)
  })

  it('survives a client that leaves in the middle of a body', async () => {
    const socket = connect(api.port, '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST /catalog/search HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${SECRET}\r\n`
    socket.write(`${head}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"query":`)
    socket.destroy()
    await once(socket, 'close')
    expect((await fetch(`${api.url}/catalog/search`, { method: 'POST', headers, body })).status).toBe(200)
    expect(problems).toEqual([])
  })

  it('serves metrics to this machine, but not to forwarded requests', async () => {
    expect((await fetch(`${api.url}/metrics`)).status).toBe(200)
    const forwarded = { 'x-forwarded-for': '203.0.113.7' }
    expect((await fetch(`${api.url}/metrics`, { headers: forwarded })).status).toBe(401)
  })

  it('rejects when the port is taken', async () => {
    await expect(listenSearchApi({ port: api.port, tokens })).rejects.toMatchObject({ code: 'EADDRINUSE' })
  })

  it('finishes requests under way before it closes', async () => {
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const slow: Embedder = {
      id: 'slow',
      dimensions: 2,
      embed: async (texts) => {
        asked.resolve()
        await gate.promise
        return texts.map(() => new Float32Array([1, 0]))
      },
    }
    const closing = await listenSearchApi({ port: 0, tokens, embedders: [slow] })
    const answer = fetch(`${closing.url}/catalog/search`, { method: 'POST', headers, body })
    await asked.promise
    const closed = closing.close()
    gate.resolve()
    expect((await answer).status).toBe(200)
    await closed
  })
})
