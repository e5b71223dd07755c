import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors.ts'
import { ClientAddresses } from './client-address.ts'
import { modernRequest, openListener } from './listener.case.ts'

const PROXIES = ['10.0.0.0/8', '192.0.2.7', 'fd00::/8']
const addresses = new ClientAddresses(PROXIES)
const addressOf = (remoteAddress: string | undefined, headers: Record<string, string> = {}, reader = addresses) =>
  reader.of({ headers, socket: { remoteAddress } })

describe('The address of a client', () => {
  it('is that of the connection, whatever the headers say, unless a trusted proxy connects', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' }
    expect(addressOf('198.51.100.1', headers)).toBe('198.51.100.1')
    expect(addressOf('10.0.0.1', headers, new ClientAddresses())).toBe('10.0.0.1')
    expect(addressOf('::ffff:198.51.100.1', headers)).toBe('198.51.100.1')
    expect(addressOf('fe80::1%eth0', headers)).toBe('fe80::1%eth0')
    expect(addressOf(undefined, headers)).toBe('')
  })

  it.each([
    ['203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, 203.0.113.9, 10.1.1.1,192.0.2.7', '203.0.113.9'],
    ['10.1.1.1', '10.1.1.1'],
    ['203.0.113.9:4711', '203.0.113.9'],
    ['2001:DB8::0:1', '2001:db8::1'],
    ['[2001:db8::1]:4711', '2001:db8::1'],
    ['::ffff:203.0.113.9', '203.0.113.9'],
    ['6.6.6.6, unknown, 10.1.1.1', '10.1.1.1'],
    ['6.6.6.6, , 10.1.1.1', '10.1.1.1'],
    ['fe80::1%eth0', '10.0.0.1'],
    ['', '10.0.0.1'],
    [',', '10.0.0.1'],
    ['300.1.1.1', '10.0.0.1'],
  ])('is read from X-Forwarded-For: %j', (list, client) => {
    expect(addressOf('::ffff:10.0.0.1', { 'x-forwarded-for': list })).toBe(client)
  })

  it.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['for=6.6.6.6, For=203.0.113.9;proto=https;by=10.0.0.1', '203.0.113.9'],
    ['proto=https; for="[2001:db8::1]:4711"', '2001:db8::1'],
    ['for="6.6.6.6, for=203.0.113.9', '203.0.113.9'],
    ['for=203.0.113.9, for=10.1.1.1', '203.0.113.9'],
    ['for=6.6.6.6, for=_hidden', '10.0.0.1'],
    ['for=6.6.6.6, for=unknown', '10.0.0.1'],
    ['for=6.6.6.6, proto=https', '10.0.0.1'],
    ['203.0.113.9', '10.0.0.1'],
    ['for="6.6.6.6', '10.0.0.1'],
    ['before=203.0.113.9', '10.0.0.1'],
  ])('is read from Forwarded: %j', (list, client) => {
    expect(addressOf('10.0.0.1', { forwarded: list })).toBe(client)
  })

  it('is that of the proxy if both headers are there and differ, because a client may have written one of them', () => {
    const both = { 'x-forwarded-for': '203.0.113.9' }
    expect(addressOf('10.0.0.1', { ...both, forwarded: 'for=203.0.113.9' })).toBe('203.0.113.9')
    expect(addressOf('10.0.0.1', { ...both, forwarded: 'for=6.6.6.6' })).toBe('10.0.0.1')
  })

  it('cannot be chosen by a client, whatever it sends through a proxy that adds its address', () => {
    const written = fc.oneof(fc.string(), fc.stringMatching(/^[for=",;: 0-9.[\]]*$/), fc.array(fc.ipV4()).map(String))
    const client = fc.oneof(fc.ipV4(), fc.ipV6()).filter((each) => !/^(?:10|0)\.|^192\.0\.2\.7$|^fd|%|^::/i.test(each))
    fc.assert(
      fc.property(written, client, fc.boolean(), (text, address, isListed) => {
        const plain = addressOf('10.0.0.1', { 'x-forwarded-for': `${text}, ${address}` })
        const named = address.includes(':') ? `for="[${address}]:1"` : `for=${address}`
        const headers = isListed
          ? { 'x-forwarded-for': `${text}, ${address}` }
          : { forwarded: `${text}, ${named};proto=http` }
        expect(addressOf('10.0.0.1', headers)).toBe(addressOf(address))
        expect(
          addressOf('10.0.0.1', { ...headers, ...(isListed ? { forwarded: text } : { 'x-forwarded-for': text }) }),
        ).toSatisfy((found) => found === plain || found === '10.0.0.1')
      }),
    )
  })

  it('comes from the headers of a chain of any length', () => {
    const proxies = fc.array(
      fc.nat({ max: 255 }).map((last) => `10.0.0.${last}`),
      { maxLength: 200 },
    )
    fc.assert(
      fc.property(proxies, (chain) => {
        expect(addressOf('10.0.0.1', { 'x-forwarded-for': ['203.0.113.9', ...chain].join(', ') })).toBe('203.0.113.9')
      }),
    )
  })
})

describe('A listener behind a proxy', () => {
  const { headers, message } = modernRequest('tools/list')
  const body = JSON.stringify(message)
  const from = (url: string, client: string, authorization = headers['authorization'] ?? '') =>
    fetch(`${url}/mcp`, { method: 'POST', headers: { ...headers, authorization, 'x-forwarded-for': client }, body })

  it('counts wrong tokens for each client, and refusals under its address', async () => {
    const refused: string[] = []
    const onRefused = (address: string) => void refused.push(address)
    await using listener = await openListener({ trustedProxies: ['127.0.0.1'], onRefused })
    const statuses: number[] = []
    for (let count = 0; count < 21; count++)
      statuses.push((await from(listener.url, '203.0.113.9', 'Bearer no')).status)
    expect(statuses).toEqual([...Array<number>(20).fill(401), 429])
    expect((await from(listener.url, '203.0.113.10', 'Bearer no')).status).toBe(401)
    expect(refused.slice(-2)).toEqual(['203.0.113.9', '203.0.113.10'])
  })

  it('answers an expired token with 401 and how to get another, however many were shown', async () => {
    const access = {
      authenticate: () => {
        throw new GatewayError('TOKEN_EXPIRED')
      },
      endpoint: () => undefined,
    }
    await using listener = await openListener({ access, metadataUrl: () => 'https://tools.example.org/metadata' })
    const answers = await Promise.all(Array.from({ length: 30 }, () => from(listener.url, '203.0.113.9')))
    const challenge =
      'Bearer realm="tooldex", error="invalid_token", resource_metadata="https://tools.example.org/metadata"'
    for (const answer of answers) {
      expect([answer.status, answer.headers.get('www-authenticate')]).toEqual([401, challenge])
    }
  })

  it('limits the requests under way of one client, and not the connections of the proxy', async () => {
    const connectionLimits = { maxConnectionsPerAddress: 1 }
    await using listener = await openListener({ trustedProxies: ['127.0.0.1'], connectionLimits })
    const waits = modernRequest('tools/call', { name: 'wait', arguments: { text: 'a' } })
    const cancel = new AbortController()
    const isOpen = listener.handler.waiting('a')
    const open = fetch(`${listener.url}/mcp`, {
      ...{ method: 'POST', body: JSON.stringify(waits.message), signal: cancel.signal },
      headers: { ...waits.headers, 'x-forwarded-for': '203.0.113.9' },
    })
    await isOpen
    const refused = await from(listener.url, '203.0.113.9')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await from(listener.url, '203.0.113.10')).status).toBe(200)
    const isAborted = listener.handler.waiting('a aborted')
    cancel.abort()
    await Promise.all([expect(open).rejects.toThrow(/abort/i), isAborted])
    expect((await from(listener.url, '203.0.113.9')).status).toBe(200)
  })

  it('is never this machine, even if a trusted proxy says so', async () => {
    await using listener = await openListener({ trustedProxies: ['127.0.0.1'] })
    const { authorization: _, ...anonymous } = headers
    for (const forwarded of [{ 'x-forwarded-for': '127.0.0.1' }, { forwarded: 'for=127.0.0.1' }]) {
      const open = { method: 'POST', headers: { ...anonymous, ...forwarded }, body }
      expect((await fetch(`${listener.url}/open/mcp`, open)).status).toBe(401)
      expect((await fetch(`${listener.url}/metrics`, { headers: forwarded })).status).toBe(401)
    }
  })
})
