import { createServer, type IncomingMessage } from 'node:http'
import { duplexPair } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LeanReader, type LeanRequest } from './lean-request.ts'

const read = (text: string): LeanRequest | 'more' | undefined =>
  new LeanReader({ remoteAddress: '127.0.0.1' }).read(Buffer.from(text, 'latin1'))

const plain = (lines: readonly string[] = [], body = '{"a":1}', first = 'POST /mcp HTTP/1.1'): string =>
  [first, 'Host: localhost', ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')

/** What Node's own parser makes of the same bytes: the request and its body, or nothing. */
function readByNode(text: string): Promise<{ req: IncomingMessage; body: string } | undefined> {
  return new Promise((resolve) => {
    const [client, far] = duplexPair()
    const server = createServer((req) => {
      let body = ''
      req.on('data', (chunk: Buffer) => (body += chunk.toString('latin1')))
      req.on('end', () => resolve({ req, body }))
    })
    server.on('clientError', () => resolve(undefined))
    server.emit('connection', far)
    client.end(Buffer.from(text, 'latin1'))
  })
}

describe('a plain request', () => {
  it('is read whole', () => {
    const { head, body } = read(plain(['X-Some:  thing \t', 'Empty:', 'Accept: a, b'])) as LeanRequest
    expect(head).toMatchObject({ method: 'POST', url: '/mcp', bodyBytes: 7 })
    expect({ ...head.headers }).toEqual({
      ...{ host: 'localhost', 'x-some': 'thing', empty: '', accept: 'a, b' },
      'content-length': '7',
    })
    expect(head.rawHeaders.slice(0, 4)).toEqual(['Host', 'localhost', 'X-Some', 'thing'])
    expect(body.toString()).toBe('{"a":1}')
  })

  it('is waited for while its body is incomplete', () => {
    expect(read(plain().slice(0, -1))).toBe('more')
    expect(read(plain([], '').slice(0, -1))).toBeUndefined()
  })

  it('is the same again when a connection repeats it', () => {
    const reader = new LeanReader({})
    const first = reader.read(Buffer.from(plain())) as LeanRequest
    expect((reader.read(Buffer.from(plain([], '{"b":2}'))) as LeanRequest).head).toBe(first.head)
    expect(reader.read(Buffer.from(plain(['Upgrade: x'])))).toBeUndefined()
    expect(reader.read(Buffer.from(plain(['Upgrade: x'])))).toBeUndefined()
  })

  it('has headers of any name, whatever that name means elsewhere', () => {
    const { head } = read(plain(['__proto__: x', 'constructor: y', 'toString: z'])) as LeanRequest
    expect(head.headers['__proto__']).toBe('x')
    expect(head.headers['valueof']).toBeUndefined()
  })
})

describe('left to Node is', () => {
  it.each([
    ['another method', plain([], '', 'GET /mcp HTTP/1.1')],
    ['a method in small letters', plain([], '', 'post /mcp HTTP/1.1')],
    ['another version', plain([], '{}', 'POST /mcp HTTP/1.0')],
    ['a whole address', plain([], '{}', 'POST http://localhost/mcp HTTP/1.1')],
    ['a query', plain([], '{}', 'POST /mcp?token=x HTTP/1.1')],
    ['two spaces', plain([], '{}', 'POST  /mcp HTTP/1.1')],
    ['an empty line before', `\r\n${plain()}`],
    ['a body of chunks', plain(['Transfer-Encoding: chunked'])],
    ['a body of chunks, spelled oddly', plain(['Transfer-Encoding : chunked'])],
    ['what expects a word before its body', plain(['Expect: 100-continue'])],
    ['another protocol', plain(['Upgrade: h2c'])],
    ['the last of a connection', plain(['Connection: close'])],
    ['headers for one hop', plain(['Connection: keep-alive, x-some'])],
    ['a length that is said twice', plain(['Content-Length: 7'])],
    ['a length that is no number', plain().replace('Content-Length: 7', 'Content-Length: +7')],
    ['a length with zeros in front', plain().replace('Content-Length: 7', 'Content-Length: 07')],
    ['a list of lengths', plain().replace('Content-Length: 7', 'Content-Length: 7, 7')],
    ['no length', plain().replace('Content-Length: 7\r\n', '')],
    ['no host', plain().replace('Host: localhost\r\n', '')],
    ['two hosts', plain(['Host: evil.com'])],
    ['any header twice', plain(['X-Some: 1', 'x-some: 2'])],
    ['a folded header', plain(['X-Some: 1\r\n 2'])],
    ['a space before the colon', plain(['X-Some : 1'])],
    ['a header without a colon', plain(['X-Some'])],
    ['a header without a name', plain([': 1'])],
    ['lines that end with LF', plain(['X-Some: 1\nContent-Length: 0'])],
    ['a lone CR', plain(['X-Some: 1\rContent-Length: 0'])],
    ['a zero byte', plain(['X-Some: \0'])],
    ['letters beyond ASCII', plain(['X-Some: \u00e4'])],
    ['more than one request', plain() + plain()],
    ['more than its length', `${plain()}x`],
    ['a very long head', plain([`X-Some: ${'x'.repeat(16_400)}`])],
    ['very many headers', plain(Array.from({ length: 60 }, (_, at) => `X-${at}: 1`))],
    ['a large body', plain([], 'x'.repeat(70_000))],
    ['a large body that has just begun', plain([], 'x'.repeat(70_000)).slice(0, 500)],
    ['half a head', 'POST /mcp HTTP/1.1\r\nHost: local'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })
})

const token = fc.stringMatching(/^[a-zA-Z-]{1,12}$/)
const value = fc.oneof(
  fc.stringMatching(/^[ -~\t]{0,20}$/),
  fc.constantFrom('chunked', 'close', 'keep-alive', '0', '7', 'a\r\n b', 'a\nb', 'ä', '\0', 'gzip'),
)
const odd = fc.constantFrom(
  'Transfer-Encoding',
  'Content-Length',
  'Connection',
  'Host',
  'Expect',
  'TE',
  'Upgrade',
  'X ',
  '',
)
const line = fc.tuple(fc.oneof({ weight: 4, arbitrary: token }, odd), fc.constantFrom(': ', ':', ' :', ':\t'), value)
const request = fc
  .record({
    first: fc.constantFrom('POST /mcp HTTP/1.1', 'POST /a%20b/mcp HTTP/1.1', 'POST /mcp HTTP/1.0', 'GET /mcp HTTP/1.1'),
    lines: fc.array(line, { maxLength: 4 }),
    end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\n'),
    body: fc.stringMatching(/^[ -~]{0,30}$/),
    more: fc.constantFrom('', '', '', 'POST /smuggled HTTP/1.1\r\n\r\n', '\r\n'),
  })
  .map(({ first, lines, end, body, more }) =>
    [first, 'Host: localhost', ...lines.map((parts) => parts.join('')), `Content-Length: ${body.length}`, '', body]
      .join(end)
      .concat(more),
  )

describe('any request that is read here', () => {
  it('is read by Node in the same way', async () => {
    let readHere = 0
    await fc.assert(
      fc.asyncProperty(request, async (text) => {
        const here = read(text)
        if (here === undefined || here === 'more') return
        readHere++
        const there = await readByNode(text)
        expect(there?.req.url).toBe(here.head.url)
        expect(there?.req.method).toBe('POST')
        expect({ ...there?.req.headers }).toEqual({ ...here.head.headers })
        expect(there?.req.rawHeaders).toEqual(here.head.rawHeaders)
        expect(there?.body).toBe(here.body.toString('latin1'))
      }),
      { numRuns: 400 },
    )
    expect(readHere).toBeGreaterThan(20)
  })

  it('is read from no bytes that are not one, and none make it fail', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(200), (bytes, at) => {
        const text = plain(['X-Some: thing'])
        const broken = text.slice(0, at) + Buffer.from(bytes).toString('latin1') + text.slice(at)
        const here = read(broken)
        if (typeof here === 'object') expect(here.head.bodyBytes).toBe(here.body.length)
      }),
    )
  })
})
