import { describe, expect, it } from 'vitest'
import { listen, plain } from '../fixtures/http-servers.case.ts'
import { isInternalAddress, isLoopbackHost, loginFetch } from './login-fetch.ts'

const PUBLIC = 'https://mcp.example/mcp'
const resolve = async (hostname: string) => {
  const address = { 'mcp.example': '203.0.113.7', 'auth.example': '203.0.113.8', 'sly.example': '10.0.0.5' }[hostname]
  return [{ address: address ?? hostname, family: hostname.includes(':') ? 6 : 4 }]
}

describe('loginFetch', () => {
  it.each([
    'http://auth.example/x',
    'ftp://auth.example/x',
    'file:///etc/passwd',
    'http://169.254.169.254/latest',
    'https://169.254.169.254/latest',
    'https://127.0.0.1/x',
    'https://[::1]/x',
    'https://[::ffff:10.0.0.1]/x',
    'https://user:pass@auth.example/x',
    'https://sly.example/x',
    'http://localhost/x',
  ])('does not ask %s for a server out in the world', async (url) => {
    const error = await loginFetch(PUBLIC, resolve)(url).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ name: 'ForbiddenAddress' })
  })

  it('asks this machine for a server on this machine, and follows no redirect', async () => {
    const there = await listen((_, res) => plain(res, 302, { location: 'http://169.254.169.254/' }))
    const answer = await loginFetch('http://127.0.0.1:1/mcp')(there.url)
    expect(answer.status).toBe(302)
    await there.close()
  })

  it('reads no more than a megabyte', async () => {
    const there = await listen((_, res) => void res.end(Buffer.alloc(2_000_000)))
    await expect(loginFetch(there.url)(there.url)).rejects.toMatchObject({ name: 'ForbiddenAddress' })
    await there.close()
  })
})

describe('isInternalAddress', () => {
  it.each([
    '10.1.2.3',
    '192.168.0.1',
    '172.31.0.1',
    '169.254.1.1',
    '127.0.0.2',
    '100.64.0.1',
    '::1',
    'fe80::1',
    'fd00::1',
  ])('knows %s', (address) => expect(isInternalAddress(address)).toBe(true))

  it.each(['8.8.8.8', '172.32.0.1', '2606:4700::1'])('lets %s be', (address) =>
    expect(isInternalAddress(address)).toBe(false),
  )

  it('knows this machine by its names', () => {
    expect(['localhost', '127.0.0.1', '[::1]'].every(isLoopbackHost)).toBe(true)
    expect(isLoopbackHost('localhost.example')).toBe(false)
  })
})
