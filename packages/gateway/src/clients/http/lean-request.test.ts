import { createServer, type IncomingMessage } from 'node:http'
import { duplexPair } from 'node:stream'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { LeanReader, type LeanRequest } from './lean-request.ts'

const read = (text: string): LeanRequest | number | 'more' | undefined =>
  new LeanReader({ remoteAddress: '127.0.0.1' }).read(Buffer.from(text, 'latin1'))

const plain = (lines: readonly string[] = [], body = '{"a":1}', first = 'POST /mcp HTTP/1.1'): string =>
  [first, 'Host: localhost', ...lines, `Content-Length: ${body.length}`, '', body].join('\r\n')

interface ReadByNode {
  readonly req: IncomingMessage
  body: string
  isWhole: boolean
}

/** What Node's own parser makes of the same bytes: all requests in them, or nothing where it refuses any. */
function readByNode(text: string): Promise<readonly ReadByNode[]> {
  return new Promise((resolve) => {
    const [client, far] = duplexPair()
    const requests: ReadByNode[] = []
    const server = createServer((req, res) => {
      const one = { req, body: '', isWhole: false }
      requests.push(one)
      req.on('data', (chunk: Buffer) => (one.body += chunk.toString('latin1')))
      req.on('end', () => {
        one.isWhole = true
        res.end()
      })
      req.on('error', () => undefined)
    })
    server.on('clientError', () => resolve([]))
    server.emit('connection', far)
    client.on('close', () => resolve(requests))
    client.on('end', () => client.destroy())
    client.resume()
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
    expect(read(plain().slice(0, -1))).toBe(plain().length)
    expect(read(plain([], 'x'.repeat(60_000)).slice(0, 100))).toBe(plain([], 'x'.repeat(60_000)).length)
  })

  it.each([
    'P',
    'POST',
    'POST ',
    'POST /mcp HTTP/1.1\r\nHost: local',
    plain([], '').slice(0, -1),
    'GET /healthz',
    'QUERY /x',
  ])('is waited for while its head is incomplete, whatever it may become: %j', (text) =>
    expect(read(text)).toBe('more'),
  )

  it('is the same again when a connection repeats it', () => {
    const reader = new LeanReader({})
    const first = reader.read(Buffer.from(plain())) as LeanRequest
    expect((reader.read(Buffer.from(plain([], '{"b":2}'))) as LeanRequest).head).toBe(first.head)
    expect(reader.read(Buffer.from(plain(['Upgrade: x'])))).toBeUndefined()
    expect(reader.read(Buffer.from(plain(['Upgrade: x'])))).toBeUndefined()
  })

  it('has headers of any name, whatever that name means elsewhere', () => {
    const { head } = read(plain(['constructor: y', 'toString: z'])) as LeanRequest
    expect([head.headers['constructor'], head.headers['tostring']]).toEqual(['y', 'z'])
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
    ['a header that Node forgets', plain(['__proto__: x'])],
    ['a header that Node makes a list of', plain(['Set-Cookie: x=y'])],
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
    ['half a head of no request', 'post'],
    ['half a head that begins with an empty line', '\r\nPOST /mcp HTTP/1.1'],
    ['half a head whose lines end with LF', 'POST /mcp HTTP/1.1\nHost: localhost\n\n'],
    ['half a head that is too long already', `POST /${'x'.repeat(16_400)}`],
    ['another protocol from its first byte', '\x16\x03\x01'],
    ['nothing', ''],
  ])('%s', (_, text) => {
    expect(read(text)).toBeUndefined()
  })
})

const name = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-zA-Z-]{1,12}$/) },
  { weight: 2, arbitrary: fc.stringMatching(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,12}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      ...[
        'Transfer-Encoding',
        'Content-Length',
        'Connection',
        'Host',
        'Expect',
        'TE',
        'Trailer',
        'Upgrade',
        'Keep-Alive',
      ],
      ...['Set-Cookie', 'Cookie', 'Authorization', 'User-Agent', 'Content-Type', 'Origin', 'X-Forwarded-For'],
      ...['__proto__', 'constructor', 'hasOwnProperty', 'HTTP2-Settings', 'Proxy-Connection'],
    ),
  },
  { weight: 1, arbitrary: fc.constantFrom('X ', ' X', 'X\t', '', 'X\0', 'X\x7f', 'ä', 'X:Y', '"X"', 'X(Y)', 'X@Y') },
)
const value = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[ -~\t]{0,20}$/) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 6 }).map((bytes) => Buffer.from(bytes).toString('latin1')) },
  {
    weight: 3,
    arbitrary: fc.constantFrom(
      ...['chunked', 'chunked, identity', 'identity', 'gzip', 'close', 'keep-alive', 'Keep-Alive, TE', 'upgrade'],
      ...[
        '100-continue',
        'websocket',
        '0',
        '7',
        '007',
        '+7',
        '-7',
        '0x7',
        '7 ',
        '7, 7',
        '7.0',
        '1e1',
        '18446744073709551616',
      ],
      ...['a\r\n b', 'a\n b', 'a\rb', 'ä', '\0', 'a\tb', '\t\t', ' x ', 'localhost', 'evil.com'],
    ),
  },
)
const line = fc.tuple(name, fc.constantFrom(': ', ': ', ':', ' :', ':\t', '\t:', ':  '), value)
const path = fc.oneof(
  fc.constantFrom(
    '/mcp',
    '/mcp',
    '/a%20b/mcp',
    '//mcp',
    '/../mcp',
    '/%2e%2e/mcp',
    '/mcp?x=1',
    '/mcp#x',
    '/%zz',
    '/a~b',
  ),
  fc.constantFrom('*', 'http://evil.com/mcp', 'localhost:80', '/m cp', '/ä', '/\\mcp', '/mcp\t', '/;a=b', '/a:b@c'),
  fc.stringMatching(/^\/[ -~]{0,12}$/),
)
const first = fc
  .tuple(
    fc.constantFrom('POST', 'POST', 'POST', 'POST', 'GET', 'post', 'CONNECT', 'PRI', 'POST\t', ' POST'),
    path,
    fc.constantFrom(
      'HTTP/1.1',
      'HTTP/1.1',
      'HTTP/1.1',
      'HTTP/1.0',
      'HTTP/2.0',
      'HTTP/1.1 ',
      'http/1.1',
      'HTTP/1.10',
      '',
    ),
  )
  .map((parts) => parts.join(' '))
const request = fc
  .record({
    first: fc.oneof({ weight: 2, arbitrary: fc.constant('POST /mcp HTTP/1.1') }, first),
    before: fc.array(line, { maxLength: 2 }),
    lines: fc.array(line, { maxLength: 3 }),
    end: fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n', '\r'),
    body: fc.oneof(fc.stringMatching(/^[ -~]{0,30}$/), fc.constantFrom('2\r\n{}\r\n0\r\n\r\n', '0\r\n\r\n')),
    off: fc.constantFrom(0, 0, 0, 0, 1, -1, 20),
    sign: fc.constantFrom('', '', '', '', '', '+', '0', '-', '0x', '\t', ' ', '1,'),
    more: fc.constantFrom('', '', '', 'POST /smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n', '\r\n', '\0'),
  })
  .map(({ first: begin, before, lines, end, body, off, sign, more }) =>
    [
      begin,
      ...before.map((parts) => parts.join('')),
      'Host: localhost',
      ...lines.map((parts) => parts.join('')),
      `Content-Length: ${sign}${Math.max(0, body.length + off)}`,
      '',
      body,
    ]
      .join(end)
      .concat(more),
  )

describe('any request that is read here', () => {
  const expectTheSame = async (text: string, here: LeanRequest): Promise<void> => {
    const [there, ...others] = await readByNode(text)
    expect(others).toEqual([])
    expect(there?.isWhole).toBe(true)
    expect(there?.req.url).toBe(here.head.url)
    expect(there?.req.method).toBe('POST')
    expect(there?.req.httpVersion).toBe('1.1')
    expect({ ...there?.req.headers }).toEqual({ ...here.head.headers })
    expect(there?.req.rawHeaders).toEqual(here.head.rawHeaders)
    expect(there?.body).toBe(here.body.toString('latin1'))
  }

  it('is read by Node in the same way', { timeout: 60_000 }, async () => {
    let [readHere, waitedFor] = [0, 0]
    await fc.assert(
      fc.asyncProperty(request, async (text) => {
        const here = read(text)
        if (typeof here === 'object') {
          readHere++
          await expectTheSame(text, here)
        } else if (typeof here === 'number') {
          // What is waited for is as much as Node would wait for.
          waitedFor++
          const whole = text.padEnd(here, 'x')
          await expectTheSame(whole, read(whole) as LeanRequest)
        }
      }),
      { numRuns: 6_000 },
    )
    expect(readHere).toBeGreaterThan(50)
    expect(waitedFor).toBeGreaterThan(5)
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

  it('is taken apart alike wherever it is broken by a byte', { timeout: 60_000 }, async () => {
    const text = plain(['Authorization: Bearer a', 'X-Some: thing'])
    const bytes = fc.constantFrom(
      '\0',
      '\r',
      '\n',
      '\t',
      ' ',
      ':',
      ',',
      ';',
      '\x7f',
      '\x80',
      '\xff',
      '\r\n',
      '\n\n',
      '0',
    )
    await fc.assert(
      fc.asyncProperty(fc.nat(text.length), fc.boolean(), bytes, async (at, isInsertion, byte) => {
        const broken = text.slice(0, at) + byte + text.slice(isInsertion ? at : at + byte.length)
        const here = read(broken)
        if (typeof here === 'object') await expectTheSame(broken, here)
      }),
      { numRuns: 500 },
    )
  })
})
