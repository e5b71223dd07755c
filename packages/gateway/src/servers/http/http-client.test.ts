import { once } from 'node:events'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { Cancellation } from '../protocol/cancellation.ts'
import { LOCALHOST_CERTIFICATE } from '../fixtures/localhost-certificate.case.ts'
import { networkReason } from '../protocol/errors.ts'
import { readText } from './http-body.ts'
import { HttpClient } from './http-client.ts'
import { type HttpRequest, openDispatcher } from './http-exchange.ts'

const cleanups: (() => void)[] = []
afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup()
})

/** A server that answers each request with the bytes that the function gives for it; undefined = it closes instead. */
async function scripted(answer: (request: string, socket: Socket, count: number) => string | undefined) {
  const requests: string[] = []
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.on('error', () => {})
    socket.on('data', (bytes) => {
      requests.push(bytes.toString())
      const text = answer(bytes.toString(), socket, requests.length)
      if (text === undefined) socket.destroy()
      else if (text !== '') socket.write(text)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?x=1`)
  const dispatcher = openDispatcher()
  const client = new HttpClient({ dispatcher, url })
  cleanups.push(
    () => void dispatcher.destroy(),
    () => server.close(),
  )
  return { client, dispatcher, url, requests, connections: () => connections }
}

const post = (fields: Record<string, string> = {}, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'POST',
  headers: fields,
  body: '{"ü":1}',
  ...more,
})
const ok = (body: string, ...lines: string[]): string =>
  ['HTTP/1.1 200 OK', ...lines, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n')
const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  )

async function text(client: HttpClient, request: HttpRequest = post()): Promise<string> {
  return readText((await client.send(request)).body, 1_000)
}

describe('HttpClient', () => {
  it('writes a request that any server reads, and reuses its connections', async () => {
    const { client, url, requests, connections } = await scripted((_, __, count) => ok(`answer ${count}`))
    expect(await text(client, post({ accept: '*/*' }))).toBe('answer 1')
    for (let count = 2; count <= 8; count++) expect(await text(client)).toBe(`answer ${count}`)
    const head = `POST /mcp?x=1 HTTP/1.1\r\nhost: ${url.host}\r\nconnection: keep-alive\r\naccept: */*\r\n`
    expect(requests[0]).toBe(`${head}content-length: 8\r\n\r\n{"ü":1}`)
    // A connection is free again one turn of the event loop after its response.
    expect(connections()).toBe(2)
  })

  it('has as many connections as requests at a time', async () => {
    const { client, connections } = await scripted(() => ok('x'))
    await Promise.all([text(client), text(client), text(client)])
    await Promise.all([text(client), text(client)])
    expect(connections()).toBe(3)
  })

  it.each([
    ['that is to be closed', ok('x', 'Connection: close')],
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\nx'],
    ['with more than was asked for', `${ok('x')}more`],
  ])('does not reuse a connection %s', async (_, answer) => {
    const { client, connections } = await scripted((__, socket) => {
      if (!answer.includes('Content-Length')) socket.end(answer)
      return answer.includes('Content-Length') ? answer : ''
    })
    for (let count = 1; count <= 4; count++) {
      expect(await text(client)).toBe('x')
      await nextTurn()
    }
    expect(connections()).toBe(4)
  })

  it('reads chunks, headers in pieces, and informational responses', async () => {
    const { client } = await scripted((_, socket) => {
      socket.write('HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200')
      setImmediate(() => socket.write(' OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n'))
      return ''
    })
    expect(await text(client)).toBe('abc')
  })

  it.each([
    ['broke the connection off', undefined],
    ['does not speak HTTP', 'SSH-2.0-OpenSSH\r\n\r\n'],
    ['does not speak HTTP', 'HTTP/1.1 200 OK\r\nno colon\r\n\r\n'],
    ['does not speak HTTP', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(70_000)}`],
    ['broke the connection off', ok('x', 'Content-Length: 2')],
    ['does not speak HTTP', ok('x', 'Transfer-Encoding: chunked')],
    ['does not speak HTTP', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'],
  ])('%s: reports a server that answers %j', async (reason, answer) => {
    const { client } = await scripted(() => answer)
    expect(networkReason(await failure(text(client)))).toBe(reason)
  })

  it('fails a body that is cut off, or that is too large', async () => {
    const { client } = await scripted((_, socket, count) => {
      if (count === 1) socket.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
      return count === 1 ? '' : ok('x'.repeat(2_000))
    })
    expect(networkReason(await failure(text(client)))).toBe('broke the connection off')
    expect(await failure(text(client))).toMatchObject({ name: 'BodyTooLarge' })
  })

  it('ends a cancelled request, and all requests when it is closed', async () => {
    const { client } = await scripted(() => '')
    const cancellation = new Cancellation()
    const aborted = failure(client.send(post({}, { cancellation })))
    const open = failure(client.send(post()))
    cancellation.cancel(new Error('enough'))
    expect(await failure(client.send(post({}, { cancellation })))).toMatchObject({ message: 'enough' })
    expect(await aborted).toMatchObject({ message: 'enough' })
    client.close()
    expect(await open).toMatchObject({ code: 'ECONNRESET' })
    expect(await failure(client.send(post()))).toMatchObject({ code: 'ECONNRESET' })
  })

  it('ends a response whose request is cancelled, and not the next one', async () => {
    const { client } = await scripted((_, __, count) =>
      count === 1 ? 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf' : ok('whole'),
    )
    const [cancellation, later] = [new Cancellation(), new Cancellation()]
    const { body } = await client.send(post({}, { cancellation }))
    cancellation.cancel(new Error('enough'))
    expect(await failure(readText(body, 100))).toMatchObject({ message: 'enough' })
    expect(await text(client, post({}, { cancellation: later }))).toBe('whole')
    later.cancel(new Error('too late'))
    expect(await text(client)).toBe('whole')
  })

  it('sends header values beyond ASCII, and refuses those that would start another header', async () => {
    const { client, requests } = await scripted(() => ok('x'))
    expect(await text(client, post({ 'x-name': 'Malmö', host: 'other.example' }))).toBe('x')
    expect(requests[0]).toContain('host: other.example')
    expect(await failure(text(client, post({ 'x-name': 'a\r\nb: c' })))).toMatchObject({ code: 'UND_ERR_INVALID_ARG' })
    expect(requests).toHaveLength(1)
  })

  it('sends the user name of the URL, unless there is an Authorization header', async () => {
    const { dispatcher, url, requests } = await scripted(() => ok('x'))
    const client = new HttpClient({ dispatcher, url: new URL(url.href.replace('//', '//us%20er:pass@')) })
    await text(client)
    await text(client, post({ authorization: 'Bearer ours' }))
    expect(requests[0]).toContain(`authorization: Basic ${btoa('us er:pass')}\r\n`)
    expect(requests[1]).toContain('authorization: Bearer ours\r\n')
    expect(requests[1]).not.toContain('Basic')
  })

  it('leaves the other requests alone when it is closed', async () => {
    const { client, dispatcher, url } = await scripted((_, socket) => {
      setTimeout(() => socket.write(ok('late')), 20)
      return ''
    })
    const other = text(new HttpClient({ dispatcher, url }))
    const closed = failure(text(client))
    client.close()
    expect(await closed).toMatchObject({ code: 'ECONNRESET' })
    expect(await other).toBe('late')
  })

  it('speaks HTTPS as it speaks HTTP, and refuses a certificate that is not trusted', async () => {
    const server = createHttpsServer(LOCALHOST_CERTIFICATE, (req, res) => req.pipe(res))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = new URL(`https://localhost:${(server.address() as AddressInfo).port}/mcp`)
    const [untrusting, trusting] = [openDispatcher(), openDispatcher()]
    const before = getCACertificates('default')
    cleanups.push(
      () => setDefaultCACertificates(before),
      () => void untrusting.destroy(),
      () => void trusting.destroy(),
      () => server.close(),
    )
    expect(await failure(text(new HttpClient({ dispatcher: untrusting, url })))).toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    })
    setDefaultCACertificates([...before, LOCALHOST_CERTIFICATE.cert])
    expect(await text(new HttpClient({ dispatcher: trusting, url }))).toBe('{"ü":1}')
  })

  it('follows a redirect within its origin that keeps the method, and no other', async () => {
    let redirect = ''
    const { client, url, requests } = await scripted((request) =>
      request.includes(' /mcp?x=1 ') ? `HTTP/1.1 ${redirect}\r\nContent-Length: 0\r\n\r\n` : ok('found'),
    )
    redirect = `307 Temporary Redirect\r\nLocation: ${url.origin}/there`
    expect(await text(client)).toBe('found')
    expect(requests.at(-1)).toMatch(/^POST \/there HTTP[^]*\{"ü":1\}$/)
    for (redirect of [`302 Found\r\nLocation: /there`, `307 Temporary Redirect\r\nLocation: http://127.0.0.2/there`]) {
      const { status } = await client.send(post())
      expect(status).toBe(Number(redirect.slice(0, 3)))
    }
  })
})
