import type { IncomingMessage, ServerResponse } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { listen, plain } from '../fixtures/http-servers.case.ts'
import { define, failure, makePool } from '../fixtures/pool.case.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** A server over HTTP+SSE whose stream the test writes. */
async function serverThat(stream: (res: ServerResponse) => void, limits = {}) {
  const posts: IncomingMessage[] = []
  const listening = await listen((req, res) => {
    if (req.method === 'GET') return stream(res)
    posts.push(req)
    plain(res, 202)
  })
  const { pool, add } = makePool()
  cleanups.push(
    () => listening.close(),
    () => pool.stop(),
  )
  const server = await add(define({ kind: 'sse', url: listening.url, headers: {} }, { limits }))
  return { server, posts }
}

const events = (res: ServerResponse) => res.writeHead(200, { 'content-type': 'text/event-stream' })

describe('SseTransport', () => {
  it('refuses an endpoint on another origin', async () => {
    const elsewhere = await listen((_, res) => plain(res, 202))
    cleanups.push(() => elsewhere.close())
    const { server, posts } = await serverThat(
      (res) => void events(res).write(`event: endpoint\ndata: ${elsewhere.url}\n\n`),
    )
    const error = await failure(server.start())
    expect(error).toMatchObject({ code: 'SERVER_START_FAILED' })
    expect(error.message).toContain('names an endpoint on another origin')
    expect(posts).toEqual([])
  })

  it.each([
    ['answered HTTP 503', (res: ServerResponse) => plain(res, 503)],
    ['Unexpected content type', (res: ServerResponse) => plain(res, 200, { 'content-type': 'text/html' })],
    ['broke its event stream off', (res: ServerResponse) => void events(res).end()],
  ])('fails to start: %s', async (reason, stream) => {
    const { server } = await serverThat(stream)
    const error = await failure(server.start())
    expect(error).toMatchObject({ code: 'SERVER_START_FAILED' })
    expect(error.message).toContain(reason)
  })

  it('does not wait for an endpoint longer than a start may take', async () => {
    const { server } = await serverThat((res) => void events(res).write(': nothing\n\n'), { startTimeoutMs: 100 })
    expect(await failure(server.start())).toMatchObject({ code: 'SERVER_START_FAILED' })
  })
})
