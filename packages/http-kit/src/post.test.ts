import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type JsonPost, PostError, postJson, serviceUrl, wait, withPath } from './post.ts'

let server: Server
let url: URL
let answer: RequestListener
beforeAll(async () => {
  server = createServer((req, res) => answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/ask`)
})
beforeEach(() => {
  answer = (_, res) => res.end('{"ok":true}')
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const ask = (more: Partial<JsonPost> = {}): Promise<unknown> =>
  postJson({ url, body: '{}', maxBytes: 1024 * 1024, timeoutMs: 5_000, ...more })

async function errorOf(work: Promise<unknown>): Promise<PostError> {
  const error: unknown = await work.then(
    () => expect.unreachable('the request succeeded'),
    (reason: unknown) => reason,
  )
  if (!(error instanceof PostError)) throw error
  return error
}

describe('postJson', () => {
  it('sends JSON with the given headers and returns the JSON of the response', async () => {
    answer = (req, res) => {
      let sent = ''
      req.setEncoding('utf8').on('data', (chunk: string) => (sent += chunk))
      req.on('end', () => {
        const { 'content-type': type, authorization } = req.headers
        res.end(JSON.stringify({ sent, type, authorization, method: req.method }))
      })
    }
    expect(await ask({ body: '{"q":"ä"}', headers: { authorization: 'Bearer s' } })).toEqual({
      sent: '{"q":"ä"}',
      type: 'application/json',
      authorization: 'Bearer s',
      method: 'POST',
    })
  })

  it.each([
    [500, true],
    [429, true],
    [408, true],
    [400, false],
    [302, false],
  ])('reports the status %i and never follows a redirect', async (status, isTransient) => {
    answer = (_, res) => res.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('secret text')
    const error = await errorOf(ask())
    expect([error.kind, error.status, error.message]).toEqual(['status', status, `answered with status ${status}`])
    expect(error.isTransient).toBe(isTransient)
  })

  it.each([
    ['2', 2_000],
    ['Thu, 01 Jan 1970 00:00:09 GMT', 8_000],
    ['-3', 0],
    ['soon', undefined],
  ])('reads Retry-After: %s', async (header, expected) => {
    answer = (_, res) => res.writeHead(503, { 'retry-after': header }).end()
    expect((await errorOf(ask({ now: () => 1_000 }))).retryAfterMs).toBe(expected)
  })

  it('reports malformed JSON without quoting it', async () => {
    answer = (_, res) => res.end('<html>secret')
    const error = await errorOf(ask())
    expect([error.kind, error.message, error.cause]).toEqual([
      'not-json',
      'answered with something that is not JSON',
      undefined,
    ])
  })

  it('stops reading a response beyond the limit', async () => {
    answer = (_, res) => {
      const send = (): void => {
        while (!res.destroyed && res.write(' '.repeat(64 * 1024)));
      }
      res.on('drain', send)
      send()
    }
    expect(await errorOf(ask())).toMatchObject({ kind: 'too-large', message: 'answered with more than 1 MB' })
  })

  it('reports a timeout, in the middle of a response as well', async () => {
    answer = () => {}
    expect(await errorOf(ask({ timeoutMs: 30 }))).toMatchObject({ kind: 'timeout', isTransient: true })
    answer = (_, res) => void res.write('{')
    expect((await errorOf(ask({ timeoutMs: 30 }))).message).toBe('did not answer within 30 ms')
  })

  it('reports an unreachable service with the system’s code', async () => {
    const error = await errorOf(ask({ url: new URL('http://127.0.0.1:1/') }))
    expect(error).toMatchObject({ kind: 'unreachable', isTransient: true })
    expect(error.message).toMatch(/^cannot be reached \(/)
    answer = (_, res) => void res.write('{', () => res.socket?.destroy())
    expect((await errorOf(ask())).kind).toBe('unreachable')
  })

  it('rejects with the signal’s reason when it is aborted', async () => {
    const reason = new Error('not needed any more')
    const controller = new AbortController()
    answer = () => controller.abort(reason)
    await expect(ask({ signal: controller.signal })).rejects.toBe(reason)
  })
})

describe('serviceUrl', () => {
  const invalid = (problem: string): Error => new Error(`the url ${problem}`)

  it('accepts http and https', () => {
    expect(serviceUrl('https://a.test/v1', invalid).href).toBe('https://a.test/v1')
  })

  it.each(['nonsense', 'ftp://a.test', 'http://user:secret@a.test', 'http://user@a.test'])('refuses %s', (text) => {
    expect(() => serviceUrl(text, invalid)).toThrow(/^the url must /)
  })
})

describe('withPath', () => {
  it.each([
    ['http://a.test', 'http://a.test/v1/end'],
    ['http://a.test/', 'http://a.test/v1/end'],
    ['http://a.test/api/v2/', 'http://a.test/api/v2/end'],
    ['http://a.test/api/end?key=1', 'http://a.test/api/end?key=1'],
  ])('completes %s', (base, completed) => {
    expect(withPath(new URL(base), '/end').href).toBe(completed)
  })
})

describe('wait', () => {
  it('resolves later, and rejects when aborted before or meanwhile', async () => {
    const { signal } = new AbortController()
    await expect(wait(1, signal)).resolves.toBeUndefined()
    await expect(wait(60_000, AbortSignal.abort('before'))).rejects.toBe('before')
    const controller = new AbortController()
    const waiting = wait(60_000, controller.signal)
    controller.abort('meanwhile')
    await expect(waiting).rejects.toBe('meanwhile')
  })
})
