import { connect } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { modernRequest, openDoor, POLITE } from './front-door.case.ts'
import { asBytes, comparable, type Headers, sendPieces } from './raw-http.case.ts'

const modern = (method: string, params: Record<string, unknown> = {}, more: Headers = {}, path = '/mcp'): Buffer => {
  const { headers, message } = modernRequest(method, params)
  return asBytes(path, { ...headers, ...more }, JSON.stringify(message))
}

const text = (bytes: Buffer, change: (text: string) => string): Buffer => Buffer.from(change(bytes.toString()))
const echo = modern('tools/call', { name: 'echo', arguments: { text: 'größer → 大' } })
const list = modern('tools/list')
const sayHello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } }

/** Everything that a client may send, well or badly, and how many answers there are to it. */
const REQUESTS: ReadonlyMap<string, readonly [bytes: Buffer, answers?: number]> = new Map([
  ['a list', [list]],
  ['a call', [echo]],
  ['a call that fails', [modern('tools/call', { name: 'gateway-error' })]],
  ['a call of nothing', [modern('tools/call', { name: 'nothing' })]],
  ['a method for the SDK', [modern('prompts/list')]],
  ['an unknown method', [modern('no/such')]],
  ['another endpoint', [modern('tools/list', {}, {}, '/team/mcp')]],
  ['no endpoint', [modern('tools/list', {}, {}, '/nowhere/mcp')]],
  ['no page', [modern('tools/list', {}, {}, '/no/such/page')]],
  [
    'a session',
    [asBytes('/mcp', POLITE, JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'initialize', params: sayHello }))],
  ],
  [
    'no session',
    [asBytes('/mcp', { ...POLITE, 'mcp-session-id': 'x' }, '{"jsonrpc":"2.0","id":1,"method":"tools/list"}')],
  ],
  ['a notification of nobody', [asBytes('/mcp', POLITE, '{"jsonrpc":"2.0","method":"notifications/initialized"}')]],
  ['broken JSON', [asBytes('/mcp', POLITE, '{"jsonrpc":')]],
  ['nested JSON', [asBytes('/mcp', POLITE, '['.repeat(100))]],
  ['a batch', [asBytes('/mcp', POLITE, '[]')]],
  ['no body', [asBytes('/mcp', POLITE, '')]],
  ['another type', [asBytes('/mcp', { ...POLITE, 'content-type': 'text/plain' }, '{}')]],
  ['a packed body', [asBytes('/mcp', { ...POLITE, 'content-encoding': 'gzip' }, '{}')]],
  ['a foreign token', [modern('tools/list', {}, { authorization: 'Bearer wrong' })]],
  ['no token', [asBytes('/mcp', { 'content-type': 'application/json' }, '{}')]],
  ['a web page', [modern('tools/list', {}, { origin: 'https://evil.com' })]],
  ['a foreign host', [text(list, (each) => each.replace('Host: localhost', 'Host: evil.com'))]],
  ['two hosts', [text(list, (each) => each.replace('Host: localhost', 'Host: localhost\r\nHost: evil.com'))]],
  ['a token in the URL', [modern('tools/list', {}, {}, '/mcp?token=x')]],
  ['another method', [asBytes('/mcp', POLITE, '', 'PUT')]],
  ['a page', [asBytes('/healthz', {}, '', 'GET')]],
  ['the last of its connection', [modern('tools/list', {}, { connection: 'close' })]],
  ['two lengths', [text(list, (each) => each.replace('Content-Length', 'Content-Length: 5\r\nContent-Length'))]],
  ['an odd length', [text(list, (each) => each.replace('Content-Length: ', 'Content-Length: +'))]],
  ['a folded header', [text(list, (each) => each.replace('accept: ', 'accept:\r\n '))]],
  ['lines that end with LF', [text(list, (each) => each.replaceAll('\r\n', '\n'))]],
  ['a space before the colon', [text(list, (each) => each.replace('accept:', 'accept :'))]],
  ['a very long head', [modern('tools/list', {}, { 'x-long': 'x'.repeat(17_000) })]],
  ['a body of chunks', [Buffer.from(`${chunkedHead()}2\r\n{}\r\n0\r\n\r\n`)]],
  ['chunks and a length', [Buffer.from(`${chunkedHead('Content-Length: 4\r\n')}2\r\n{}\r\n0\r\n\r\n`)]],
  ['two at once', [Buffer.concat([list, echo]), 2]],
  ['one smuggled behind another', [Buffer.concat([asBytes('/mcp', POLITE, '{}'), echo]), 2]],
] as const)

function chunkedHead(more = ''): string {
  const polite = Object.entries(POLITE).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST /mcp HTTP/1.1\r\nHost: localhost\r\n${polite.join('')}${more}Transfer-Encoding: chunked\r\n\r\n`
}

describe('through the front door', () => {
  let gateway: Awaited<ReturnType<typeof openDoor>>
  beforeAll(async () => {
    gateway = await openDoor()
  })
  afterAll(() => gateway.door.close())

  /** Whatever begins with an empty line is left to Node, which reads on behind it. */
  const byNode = (bytes: Buffer, answers?: number): Promise<string> =>
    sendPieces(gateway.port, [Buffer.concat([Buffer.from('\r\n'), bytes])], answers)

  it.each([...REQUESTS])('%s is answered byte for byte as through Node', async (_, [bytes, answers]) => {
    const answer = comparable(await sendPieces(gateway.port, [bytes], answers))
    expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /)
    expect(answer).toBe(comparable(await byNode(bytes, answers)))
  })

  it('is answered alike wherever the network cuts it', { timeout: 60_000 }, async () => {
    const known = new Map<string, string>()
    const pieces = fc.tuple(fc.constantFrom(...REQUESTS.keys()), fc.array(fc.nat(600), { maxLength: 3 }))
    await fc.assert(
      fc.asyncProperty(pieces, async ([name, cuts]) => {
        const [bytes, answers] = REQUESTS.get(name) ?? [list]
        const expected = known.get(name) ?? comparable(await byNode(bytes, answers))
        known.set(name, expected)
        const places = [0, ...cuts.map((cut) => Math.min(cut, bytes.length)), bytes.length].toSorted((a, b) => a - b)
        const cut = places.slice(1).map((to, at) => bytes.subarray(places[at], to))
        expect(comparable(await sendPieces(gateway.port, cut, answers))).toBe(expected)
      }),
      { numRuns: 100 },
    )
  })

  it('counts a request once, whichever way it takes', async () => {
    const taken: string[] = []
    const limits = {
      address: (address: string) => void taken.push(address),
      token: (tokenId: string) => void taken.push(tokenId),
    }
    await using door = await openDoor({ limits })
    await sendPieces(door.port, [list])
    await sendPieces(door.port, [Buffer.from('\r\n'), list])
    await sendPieces(door.port, [modern('prompts/list')])
    expect(taken).toEqual(['127.0.0.1', 'a', '127.0.0.1', 'a', '127.0.0.1', 'a'])
  })

  it('answers a plain refusal of a limit like any other', async () => {
    const limits = {
      address: () => {
        throw new GatewayError('RATE_LIMITED', { retryAfterSeconds: 7 })
      },
      token: () => undefined,
    }
    await using door = await openDoor({ limits })
    expect(await sendPieces(door.port, [list])).toMatch(/^HTTP\/1\.1 429 .*retry-after: 7\r\n/s)
  })

  it('waits for what is under way when it closes, and not for ever', async () => {
    const door = await openDoor()
    const idle = connect(door.port, '127.0.0.1')
    const isUnderWay = door.handler.waiting('x')
    const answer = sendPieces(door.port, [modern('tools/call', { name: 'wait', arguments: { text: 'x' } })])
    await isUnderWay
    const [asked] = door.handler.asked
    const closing = door.door.close()
    expect(asked?.request.method).toBe('tools/call')
    await closing
    expect(await answer).toBe('')
    await expect.poll(() => door.handler.aborted).toEqual(['x'])
    idle.destroy()
  })
})
