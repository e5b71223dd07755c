import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { modernRequest, openListener } from './listener.case.ts'
import { isLocal } from '@tooldex/http-kit/server'
import { checkSource, namesOf } from './guards.ts'
import { sendPieces } from './raw-http.case.ts'

const NAMES = namesOf(['Tools.Example.org', 'proxy.example.org:8443', 'fd00::1', '10.0.0.7', '0.0.0.0'])

const isTaken = (host: string, origin?: string): boolean => {
  const headers = origin === undefined ? { host } : { host, origin }
  try {
    checkSource({ url: '/mcp', headers, rawHeaders: Object.entries(headers).flat(), socket: {} }, NAMES)
    return true
  } catch {
    return false
  }
}

describe('the names of the gateway', () => {
  it.each([
    ...['localhost', 'LOCALHOST', 'localhost:7420', '127.0.0.1:1', '[::1]', '[::1]:7420'],
    ...['tools.example.org', 'TOOLS.example.ORG:443', 'proxy.example.org', 'proxy.example.org:8443'],
    ...['[fd00::1]', '[FD00::1]:7420', '10.0.0.7:80', '0.0.0.0:7420'],
  ])('include %s', (host) => expect(isTaken(host)).toBe(true))

  it.each([
    ...['', ' ', 'evil.com', 'localhost.', 'localhost.evil.com', 'evil.com:localhost', 'localhost:', 'localhost:80:80'],
    ...['localhost:http', 'localhost@evil.com', 'evil.com@localhost', 'localhost/evil.com', 'localhost,evil.com'],
    ...[
      'localhost evil.com',
      '127.1',
      '2130706433',
      '0x7f.0.0.1',
      '127.0.0.1.evil.com',
      '::1',
      '[::1',
      '[::ffff:127.0.0.1]',
    ],
    ...['[fd00::2]', 'fd00::1', 'example.org', 'a.tools.example.org', 'tools.example.org.evil.com', 'xn--localhost'],
  ])('do not include %j', (host) => expect(isTaken(host)).toBe(false))

  it.each([
    ...['http://localhost', 'http://localhost:3000', 'https://127.0.0.1', 'http://[::1]:1'],
    ...['https://tools.example.org', 'https://proxy.example.org:8443', 'http://[fd00::1]:7420'],
  ])('are allowed origins: %s', (origin) => expect(isTaken('localhost', origin)).toBe(true))

  it.each([
    ...['', 'null', 'https://evil.com', 'http://localhost.evil.com', 'http://evil.com#localhost', 'localhost'],
    ...[
      'file://localhost',
      'chrome-extension://localhost',
      'javascript:localhost',
      'http://localhost, https://evil.com',
    ],
    ...['https://a.tools.example.org', 'ws://localhost', '//localhost', 'http://[::2]'],
  ])('do not allow the origin %j', (origin) => expect(isTaken('localhost', origin)).toBe(false))

  it.each(['http://localhost/mcp', 'http://evil.com/mcp', '*', 'localhost:80', '', 'mcp'])(
    'do not allow the target %j',
    (url) => {
      const rawHeaders = ['host', 'localhost']
      expect(() => checkSource({ url, headers: { host: 'localhost' }, rawHeaders, socket: {} }, NAMES)).toThrow(/Host/)
    },
  )
})

describe('this machine itself', () => {
  const from = (remoteAddress: string | undefined, headers: Record<string, string> = {}): boolean =>
    isLocal({ headers, socket: { remoteAddress } })

  it.each(['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1'])('is %s', (address) =>
    expect(from(address)).toBe(true),
  )

  it.each([undefined, '', '10.0.0.1', '::ffff:10.0.0.1', '::2', '127.evil.com', '1270.0.0.1', 'fe80::1'])(
    'is not %s',
    (address) => expect(from(address)).toBe(false),
  )

  it('is not a request that came through a proxy', () => {
    expect(from('127.0.0.1', { 'x-forwarded-for': '10.0.0.1' })).toBe(false)
    expect(from('127.0.0.1', { 'x-forwarded-for': '' })).toBe(false)
    expect(from('::1', { forwarded: 'for=10.0.0.1' })).toBe(false)
  })
})

describe('The listener', () => {
  let gateway: Awaited<ReturnType<typeof openListener>>
  beforeAll(async () => {
    gateway = await openListener({ allowedHosts: ['Tools.Example.org'] })
  })
  afterAll(() => gateway.server.close())

  const { headers, message } = modernRequest('tools/list')
  const statusFor = async (lines: readonly string[]): Promise<string> => {
    const body = JSON.stringify(message)
    const polite = Object.entries(headers).map((line) => line.join(': '))
    const text = ['POST /mcp HTTP/1.1', ...lines, ...polite, `content-length: ${body.length}`, '', body].join('\r\n')
    return (await sendPieces(gateway.port, [Buffer.from(text)])).slice(9, 12)
  }

  it('refuses two Authorization headers, whichever comes first', async () => {
    const asked = gateway.handler.asked.length
    const lines = ['Authorization: Bearer other', 'authorization: Bearer third']
    expect(await statusFor(['Host: localhost', ...lines])).toBe('400')
    expect(await statusFor(['Host: localhost', lines[0] ?? ''])).toBe('400')
    expect(gateway.handler.asked.length).toBe(asked)
  })

  it('refuses foreign names and pages before they have any effect', async () => {
    expect(await statusFor(['Host: tools.example.org'])).toBe('200')
    expect(await statusFor(['Host: localhost', 'Origin: https://tools.example.org'])).toBe('200')
    const asked = gateway.handler.asked.length
    for (const lines of [
      ...[['Host: evil.com'], ['Host: localhost.'], ['Host: '], ['Host: localhost', 'Host: localhost']],
      ...[
        ['Host: localhost', 'Origin: https://evil.com'],
        ['Host: localhost', 'Origin: null'],
        ['Host: localhost', 'Origin: '],
      ],
      ['Host: localhost', 'Origin: http://localhost', 'Origin: https://evil.com'],
      ['Host: localhost', 'Origin: https://evil.com', 'Origin: http://localhost'],
    ]) {
      expect([lines, await statusFor(lines)]).toEqual([lines, expect.stringMatching(/^40[03]$/)])
    }
    expect(gateway.handler.asked.length).toBe(asked)
  })
})
