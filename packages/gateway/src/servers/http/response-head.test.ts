import { describe, expect, it } from 'vitest'
import { parseHead } from './response-head.ts'

const head = (...lines: string[]) => parseHead(['HTTP/1.1 200 OK', ...lines].join('\r\n'))

describe('parseHead', () => {
  it('reads status and headers, whatever the case of names, and joins repeated ones', () => {
    const { status, statusText, headers } = parseHead('HTTP/1.1 404 Not Found\r\nX-A: 1\r\nx-a:2 \r\nContent-Length: 0')
    expect({ status, statusText }).toEqual({ status: 404, statusText: 'Not Found' })
    expect(Object.fromEntries(headers)).toEqual({ 'x-a': '1, 2', 'content-length': '0' })
  })

  it.each([
    [['Content-Length: 12'], { kind: 'length', bytes: 12 }],
    [['Transfer-Encoding: Chunked'], { kind: 'chunked' }],
    [[], { kind: 'close' }],
  ])('knows where a body ends: %j', (lines, framing) => {
    expect(head(...lines).framing).toEqual(framing)
  })

  it('expects no body behind 204', () => {
    expect(parseHead('HTTP/1.1 204 No Content').framing).toEqual({ kind: 'length', bytes: 0 })
  })

  it.each([
    [['Content-Length: 1', 'Keep-Alive: timeout=5'], 4_000],
    [['Content-Length: 1', 'Keep-Alive: timeout=0'], 0],
    [['Content-Length: 1', 'Connection: keep-alive, Close'], 0],
    [['Transfer-Encoding: chunked'], 4_000],
    [[], 0],
  ])('keeps a connection for as long as the server does: %j', (lines, ms) => {
    expect(head(...lines).keepAliveMs).toBe(ms)
  })

  it('keeps none of HTTP/1.0', () => {
    expect(parseHead('HTTP/1.0 200 OK\r\nContent-Length: 1').keepAliveMs).toBe(0)
  })

  it.each([
    'HTTP/2 200 OK',
    'SSH-2.0-OpenSSH',
    'HTTP/1.1 200 OK\r\n folded: yes',
    'HTTP/1.1 200 OK\r\nno colon',
    'HTTP/1.1 200 OK\r\nX: a\nb',
    'HTTP/1.1 200 OK\r\nContent-Length: -1',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2',
    'HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked',
  ])('refuses %j', (text) => {
    expect(() => parseHead(text)).toThrow(expect.objectContaining({ code: 'EPROTO' }))
  })
})
