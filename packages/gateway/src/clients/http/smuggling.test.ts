import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modernRequest, openListener, POLITE } from './listener.case.ts'
import { sendPieces } from './raw-http.case.ts'

let gateway: Awaited<ReturnType<typeof openListener>>
beforeAll(async () => {
  gateway = await openListener()
})
afterAll(() => gateway.server.close())

type Headers = Readonly<Record<string, string>>

const whoami = modernRequest('tools/call', { name: 'whoami' })
const BODY = JSON.stringify(whoami.message)
const linesOf = (headers: Headers): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('')

/** A request that would be answered with who asked, changed in one way or another. */
function request({
  first = 'POST /mcp HTTP/1.1',
  host = 'localhost',
  headers = {},
  more = '',
  body = BODY,
} = {}): string {
  const all = { host, ...whoami.headers, 'content-length': String(Buffer.byteLength(body)), ...headers }
  return `${first}\r\n${linesOf(all)}${more}\r\n${body}`
}
const without = (text: string, name: string): string => text.replace(new RegExp(`^${name}: .*\r\n`, 'im'), '')

/** The tokens whose requests reached the handler, and the reply. */
async function sent(text: string, answers = 1): Promise<{ reply: string; asked: readonly string[] }> {
  const before = gateway.handler.asked.length
  const reply = await sendPieces(gateway.port, [Buffer.from(text, 'latin1')], answers)
  const asked = gateway.handler.asked.slice(before).map(({ caller }) => caller.principal.tokenId)
  return { reply, asked }
}
const statusesIn = (reply: string): readonly string[] =>
  [...reply.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status = '']) => status)

describe('Request smuggling', { timeout: 60_000 }, () => {
  it('a request is answered to the owner of its token', async () => {
    const { reply, asked } = await sent(request())
    expect(statusesIn(reply)).toEqual(['200'])
    expect(asked).toEqual(['a'])
  })

  const SMUGGLED = request({ headers: { authorization: 'Bearer secret-b' }, first: 'POST /team/mcp HTTP/1.1' })
  it.each([
    ['a wrong token', { headers: { authorization: 'Bearer wrong' } }, '401'],
    ['a foreign host', { host: 'evil.com' }, '403'],
    ['a foreign page', { headers: { origin: 'https://evil.com' } }, '403'],
    ['no such path', { first: 'POST /no/such/page HTTP/1.1' }, '404'],
    ['no such endpoint', { first: 'POST /nowhere/mcp HTTP/1.1' }, '404'],
    ['another method', { first: 'PUT /mcp HTTP/1.1' }, '405'],
    ['another type', { headers: { 'content-type': 'text/plain' } }, '415'],
    ['no JSON', {}, '400'],
  ] as const)('the body of a request that is refused for %s is no request', async (_why, change, status) => {
    const refused = request({ ...change, body: SMUGGLED })
    const next = request()
    const { reply, asked } = await sent(refused + next, 2)
    // The next one is answered, or the connection closed: nothing in between.
    expect(['a', '']).toContain(asked.join())
    expect(statusesIn(reply)).toEqual(asked.length === 1 ? [status, '200'] : [status])
  })

  it('the body of a request that is refused for its size is no request', async () => {
    const body = SMUGGLED.padEnd(5_000_000, ' ')
    const { reply, asked } = await sent(request({ body }) + request(), 2)
    expect(statusesIn(reply)).toEqual(['413', '200'])
    expect(asked).toEqual(['a'])
  })

  it('each request of a connection has its own token only', async () => {
    const second = request({ headers: { authorization: 'Bearer secret-b' }, first: 'POST /team/mcp HTTP/1.1' })
    const third = without(request(), 'authorization')
    const { reply, asked } = await sent(request() + second + third, 3)
    expect(statusesIn(reply)).toEqual(['200', '200', '401'])
    expect(asked).toEqual(['a', 'b'])
  })

  it('a length that is too short leaves a rest that is read as a request of its own', async () => {
    const rest = without(request(), 'authorization')
    const short = request({ body: '{}' })
    const { reply, asked } = await sent(short + rest, 2)
    expect(statusesIn(reply)).toEqual(['400', '401'])
    expect(asked).toEqual([])
  })

  it('a length that is too long keeps waiting until the client disconnects', async () => {
    const long = request({ headers: { 'content-length': String(BODY.length + 10) } })
    const before = gateway.handler.asked.length
    const reply = await new Promise<string>((resolve) => {
      let text = ''
      const socket = connect(gateway.port, '127.0.0.1', () => socket.end(long))
      socket.on('data', (chunk) => (text += chunk.toString()))
      socket.on('close', () => resolve(text))
    })
    expect(statusesIn(reply)).toEqual(['400'])
    expect(gateway.handler.asked.length).toBe(before)
  })

  const CHUNKED = `${BODY.length.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
  const chunked = (body: string, more = ''): string =>
    without(request({ more: `transfer-encoding: chunked\r\n${more}`, body }), 'content-length')

  it('chunks are read, with extensions and trailers', async () => {
    for (const body of [
      CHUNKED,
      CHUNKED.replace('\r\n', ';a=b;c="d"\r\n'),
      CHUNKED.replace('0\r\n\r\n', '0\r\nx-trailer: y\r\n\r\n'),
    ]) {
      const { reply, asked } = await sent(chunked(body))
      expect([statusesIn(reply), asked]).toEqual([['200'], ['a']])
    }
  })

  it.each([
    ['a length beside chunks', request({ more: 'transfer-encoding: chunked\r\n', body: CHUNKED })],
    [
      'chunks beside a length of nothing',
      request({ headers: { 'content-length': '0' }, more: 'transfer-encoding: chunked\r\n' }),
    ],
    ['two lengths', request({ more: `content-length: 0\r\n` })],
    ['the same length twice', request({ more: `Content-Length: ${BODY.length}\r\n` })],
    ['a list of lengths', request({ headers: { 'content-length': `${BODY.length}, ${BODY.length}` } })],
    ['a length with a sign', request({ headers: { 'content-length': `+${BODY.length}` } })],
    ['a negative length', request({ headers: { 'content-length': '-1' } })],
    ['a hexadecimal length', request({ headers: { 'content-length': `0x${BODY.length.toString(16)}` } })],
    ['a length with a space in it', request({ headers: { 'content-length': `1 ${BODY.length}` } })],
    ['a length beyond any', request({ headers: { 'content-length': '99999999999999999999' } })],
    ['another coding under the chunks', chunked(CHUNKED).replace('chunked', 'chunked, identity')],
    ['a coding of a strange name', chunked(CHUNKED).replace('chunked', 'xchunked')],
    ['a coding with a space before its colon', chunked(CHUNKED).replace('transfer-encoding:', 'transfer-encoding :')],
    ['a coding behind a lone LF', request({ headers: { 'x-a': 'b\ntransfer-encoding: chunked' }, body: CHUNKED })],
    ['a coding on a folded line', request({ more: 'transfer-encoding:\r\n chunked\r\n', body: CHUNKED })],
    [
      'a length on a folded line',
      request({ headers: { 'x-a': 'b\r\n content-length: 0' } }).replace(/^content-length: .*\r\n/m, ''),
    ],
    ['a chunk size with a sign', chunked(CHUNKED.replace(/^/, '+'))],
    ['a chunk size that is none', chunked(`zz\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk that is longer than it says', chunked(`2\r\n${BODY}\r\n0\r\n\r\n`)],
    ['a chunk of lone LF lines', chunked(CHUNKED.replaceAll('\r\n', '\n'))],
    ['a chunk size beyond any', chunked(`ffffffffffffffffff\r\n${BODY}`)],
    ['an extension without end', chunked(CHUNKED.replace('\r\n', `;${'a'.repeat(20_000)}\r\n`))],
    ['a zero byte in a header', request({ headers: { 'x-a': 'b\0' } })],
    ['a zero byte in a name', request({ more: 'x\0a: b\r\n' })],
    ['a space in a name', request({ more: 'x a: b\r\n' })],
    ['a header without a colon', request({ more: 'x-a\r\n' })],
    ['a lone CR', request({ headers: { 'x-a': 'b\rc' } })],
    ['lines that end with LF', request().replaceAll('\r\n', '\n')],
    ['a very long line', request({ first: `POST /${'x'.repeat(20_000)} HTTP/1.1` })],
    ['very long headers', request({ more: `x-a: ${'x'.repeat(20_000)}\r\n` })],
    ['another version', request({ first: 'POST /mcp HTTP/3.0' })],
    ['no version', request({ first: 'POST /mcp' })],
    ['a whole address', request({ first: 'POST http://localhost/mcp HTTP/1.1' })],
    ['an address of another host', request({ first: 'POST http://evil.com/mcp HTTP/1.1' })],
    ['a path that begins like a host', request({ first: 'POST //localhost/mcp HTTP/1.1' })],
    ['a path out of somewhere', request({ first: 'POST /team/../mcp HTTP/1.1' })],
    ['an encoded slash', request({ first: 'POST /%2fmcp HTTP/1.1' })],
    ['an encoded name of the path', request({ first: 'POST /%6dcp HTTP/1.1' })],
    ['a path with a zero byte in code', request({ first: 'POST /mcp%00 HTTP/1.1' })],
    ['a whole server as its target', request({ first: 'OPTIONS * HTTP/1.1' })],
    ['a tunnel', request({ first: 'CONNECT localhost:80 HTTP/1.1' })],
    ['another expectation', request({ more: 'expect: the-unexpected\r\n' })],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
  ])('%s is refused, and leads to no call', async (_what, text) => {
    // A reader that was led astray would take this for the next request.
    const { reply, asked } = await sent(text + request(), 2)
    const [status = '', ...others] = statusesIn(reply)
    expect(status).toMatch(/^(?:4\d\d|)$/)
    // If its end is beyond doubt, the next one may be answered, as itself.
    expect([[], ['200']]).toContainEqual(others)
    expect(asked).toEqual(others.map(() => 'a'))
  })

  it.each([
    ['wants to be invited', 'expect: 100-continue\r\n', ['100', '200']],
    ['offers another protocol', 'connection: upgrade\r\nupgrade: websocket\r\n', ['200']],
    ['offers HTTP/2', 'connection: upgrade, http2-settings\r\nupgrade: h2c\r\nhttp2-settings: AAMAAABk\r\n', ['200']],
    ['names a header for one hop', 'connection: authorization\r\n', ['200']],
  ])('a request that %s is answered as what it is', async (_what, more, statuses) => {
    const { reply, asked } = await sent(request({ more }))
    expect([statusesIn(reply), asked]).toEqual([statuses, ['a']])
  })

  it('nothing behind a refused chunk is read', async () => {
    const { asked, reply } = await sent(`${chunked('zz\r\n')}${request()}`, 2)
    expect(asked).toEqual([])
    expect(statusesIn(reply)).toEqual(['400'])
  })
})

describe('A reply', () => {
  it('reveals nothing of earlier requests on its connection', async () => {
    const { reply } = await sent(
      request({ headers: { ...POLITE, authorization: 'Bearer wrong-and-secret' } }) + request(),
      2,
    )
    expect(reply).not.toContain('wrong-and-secret')
  })
})
