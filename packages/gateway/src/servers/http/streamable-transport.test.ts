import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { bodyOf, listen, plain } from '../fixtures/http-servers.case.ts'
import { call, define, failure, makePool, textOf } from '../fixtures/pool.case.ts'
import type { ClientLink } from '../server.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

interface Asked {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly id: number | undefined
}

/** A server with a session that leaves calls, and the streams that are asked for, to the test. */
async function serverThat(answers: { call: (asked: Asked) => void; get?: (asked: Asked) => void }) {
  const listening = await listen(async (req, res) => {
    const { id, method } = await bodyOf(req)
    const asked = { req, res, id }
    if (req.method === 'GET') return answers.get === undefined ? plain(res, 405) : answers.get(asked)
    if (method === 'initialize') {
      const result = { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x', version: '1' } }
      return json(res, { jsonrpc: '2.0', id, result }, { 'mcp-session-id': 'session-1' })
    }
    if (method === 'tools/call') return answers.call(asked)
    plain(res, 202)
  })
  const { pool, add } = makePool()
  cleanups.push(
    () => listening.close(),
    () => pool.stop(),
  )
  return add(define({ kind: 'http', url: listening.url, headers: {} }, { era: 'legacy' }))
}

function json(res: ServerResponse, body: object, headers: Record<string, string> = {}): void {
  res.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...headers }).end(JSON.stringify(body))
}

const events = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' })
const event = (message: object, id?: string) => `${id ? `id: ${id}\n` : ''}data: ${JSON.stringify(message)}\n\n`
const reply = (id: number | undefined, text: string) => ({
  jsonrpc: '2.0',
  id,
  result: { content: [{ type: 'text', text }] },
})

describe('StreamableTransport', () => {
  it('sends the session and the version with every message, and with the streams that it opens', async () => {
    const seen: IncomingMessage['headers'][] = []
    const server = await serverThat({
      call: ({ req, res, id }) => {
        seen.push(req.headers)
        json(res, reply(id, 'x'))
      },
      get: ({ req, res }) => {
        seen.push(req.headers)
        plain(res, 405)
      },
    })
    expect(textOf(await server.request(call('echo')))).toBe('x')
    const session = { 'mcp-session-id': 'session-1', 'mcp-protocol-version': '2025-06-18' }
    expect(seen).toMatchObject([session, session])
  })

  it('resumes a broken stream after its last event, if the server marks its events', async () => {
    const server = await serverThat({
      call: ({ res }) => void events(res).end(`retry: 1\n${event({ jsonrpc: '2.0', method: 'x' }, 'e-1')}`),
      get: ({ req, res }) => {
        if (req.headers['last-event-id'] !== 'e-1') return plain(res, 405)
        events(res).end(event(reply(1_000_000, 'resumed')))
      },
    })
    expect(textOf(await server.request(call('echo')))).toBe('resumed')
  })

  it('fails a call at once whose stream or body ends without its reply', async () => {
    let isStream = false
    const server = await serverThat({
      call: ({ res }) => (isStream ? void events(res).end(': nothing\n\n') : json(res, reply(5, 'not yours'))),
    })
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_CRASHED' })
    isStream = true
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_CRASHED' })
  })

  it('reports a server that does not speak HTTP', async () => {
    const server = await serverThat({
      call: ({ res }) => void res.socket?.end('HTTP/1.1 200 OK\r\nContent-Length: none\r\n\r\n'),
    })
    expect((await failure(server.request(call('echo')))).message).toContain('"cheese" does not speak HTTP')
  })

  it('waits for the stream of server requests before it calls for a client that can answer', async () => {
    let questions: ServerResponse | undefined
    const server = await serverThat({
      get: ({ res }) => {
        // Long after a call could have come.
        setTimeout(() => {
          questions = events(res)
          res.write(': open\n\n')
        }, 50)
      },
      call: ({ res, id }) => {
        const isHeard = questions !== undefined && !questions.destroyed
        json(res, reply(id, isHeard ? 'heard' : 'lost'))
      },
    })
    const client: ClientLink = {
      sessionId: 'a',
      capabilities: { elicitation: {} },
      answer: async () => ({ action: 'accept' }),
    }
    expect(textOf(await server.request(call('ask'), { client }))).toBe('heard')
  })

  it('does not wait long for a stream that the server opens with its first event', async () => {
    const server = await serverThat({ get: () => {}, call: ({ res, id }) => json(res, reply(id, 'called')) })
    const client: ClientLink = { sessionId: 'a', capabilities: { roots: {} }, answer: async () => ({ roots: [] }) }
    expect(textOf(await server.request(call('ask'), { client }))).toBe('called')
  })
})
