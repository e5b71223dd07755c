import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AdminAccess } from '../access/admin-access.ts'
import { type AdminKit, adminKit, requestOf } from '../admin-kit.case.ts'

const HOUR = 3_600_000
const PAGE = { origin: 'http://127.0.0.1:7420', host: '127.0.0.1:7420', 'x-tooldex-console': '1' }

let kit: AdminKit
let secret: string
let id: string
let access: AdminAccess
beforeEach(async () => {
  kit = await adminKit()
  const made = await kit.ask('createToken', { body: { name: 'root', kind: 'admin' } })
  secret = made.secret
  id = made.token.id
  const tokens = () => kit.store.current().tokens
  const { sessions, now } = kit.parts
  access = new AdminAccess({ tokens, sessions, now, isClientToken: (hash) => kit.models.current().tokens.has(hash) })
})
afterEach(() => kit.stop())

/** The cookie that a browser sends back. */
async function cookieFor(body: object, headers: Record<string, string> = PAGE): Promise<string> {
  const response = await kit.api(requestOf('signIn', { body, headers }))
  expect(response.status).toBe(200)
  return (response.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
}
const callerWith = (headers: Record<string, string>, method = 'GET') =>
  access.callerOf(new Request('http://127.0.0.1:7420/api/v1/servers', { method, headers }))
const codeOf = (work: () => unknown): string => {
  try {
    work()
    return 'nothing'
  } catch (error) {
    return (error as { code: string }).code
  }
}

describe('signing in', () => {
  it('exchanges an admin token for a cookie that is hidden from scripts, other sites and plain HTTP', async () => {
    const response = await kit.api(
      requestOf('signIn', { body: { token: secret }, headers: { ...PAGE, origin: 'https://x' } }),
    )
    const cookie = response.headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(
      /^tooldex_session=[\w-]+\.[\w-]+; Path=\/api\/v1; HttpOnly; SameSite=Strict; Secure; Max-Age=43200$/,
    )
    expect(cookie).not.toContain(secret)
    expect(await response.json()).toEqual({ name: 'root', via: 'session', expiresAt: kit.clock.now + 12 * HOUR })
    expect(callerWith({ cookie: await cookieFor({ token: secret }) })).toMatchObject({ tokenId: id, via: 'session' })
  })

  it('takes a one-time code once, and within ten minutes', async () => {
    const { code } = await kit.ask('createSignInCode')
    const cookie = await cookieFor({ code })
    expect(callerWith({ cookie })).toMatchObject({ tokenId: 'local' })
    const again = await kit.api(requestOf('signIn', { body: { code } }))
    expect([again.status, ((await again.json()) as { code: string }).code]).toEqual([401, 'TOKEN_INVALID'])
    const late = await kit.ask('createSignInCode')
    kit.clock.now += 600_000
    expect((await kit.api(requestOf('signIn', { body: { code: late.code } }))).status).toBe(401)
  })

  it('refuses client tokens, unknown tokens, and a token together with a code', async () => {
    const client = await kit.ask('createToken', { body: { name: 'laptop' } })
    for (const body of [{ token: client.secret }, { token: 'nonsense' }, { token: '' }, { code: '' }]) {
      expect((await kit.api(requestOf('signIn', { body }))).status).toBe(401)
    }
    for (const body of [{}, { token: secret, code: 'x' }, { token: 7 }]) {
      expect((await kit.api(requestOf('signIn', { body }))).status).toBe(400)
    }
  })
})

describe('a session', () => {
  it('ends when it expires, on sign-out, and with its token', async () => {
    const [one, other] = [await cookieFor({ token: secret }), await cookieFor({ token: secret })]
    const out = await kit.send('signOut', { headers: { cookie: one } })
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(codeOf(() => callerWith({ cookie: one }))).toBe('TOKEN_INVALID')
    expect(callerWith({ cookie: other })).toMatchObject({ tokenId: id })
    await kit.ask('createToken', { body: { name: 'root 2', kind: 'admin' } })
    await kit.ask('revokeToken', { params: { token: id } })
    expect(codeOf(() => callerWith({ cookie: other }))).toBe('TOKEN_INVALID')
    const { code } = await kit.ask('createSignInCode')
    const third = await cookieFor({ code })
    kit.clock.now += 12 * HOUR
    expect(codeOf(() => callerWith({ cookie: third }))).toBe('TOKEN_INVALID')
  })

  it('cannot be forged or modified', async () => {
    const cookie = await cookieFor({ token: secret })
    const [name = '', value = ''] = cookie.split('=')
    const [payload = '', signature = ''] = value.split('.')
    const ticket = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    const longer = Buffer.from(JSON.stringify({ ...ticket, expiresAt: 9e15 })).toString('base64url')
    const local = Buffer.from(JSON.stringify({ ...ticket, tokenId: 'local' })).toString('base64url')
    for (const forged of [
      `${longer}.${signature}`,
      `${local}.${signature}`,
      payload,
      `${payload}.`,
      '.',
      'x.y',
      `${payload}.${signature}x`,
    ]) {
      expect(codeOf(() => callerWith({ cookie: `${name}=${forged}` }))).toBe('TOKEN_INVALID')
    }
  })

  it('accepts changes from the pages of the gateway only', async () => {
    const cookie = await cookieFor({ token: secret })
    expect(callerWith({ ...PAGE, cookie }, 'POST')).toMatchObject({ via: 'session' })
    const foreign: Record<string, string>[] = [
      { ...PAGE, origin: 'http://evil.example.org' },
      { ...PAGE, origin: 'http://127.0.0.1:3000' },
      { ...PAGE, origin: 'null' },
      { host: PAGE.host, origin: PAGE.origin },
      { host: PAGE.host, 'x-tooldex-console': '1' },
      { ...PAGE, 'sec-fetch-site': 'cross-site' },
      { ...PAGE, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      expect(codeOf(() => callerWith({ ...headers, cookie }, 'POST'))).toBe('REQUEST_FORBIDDEN')
    }
    expect(codeOf(() => callerWith({ cookie, host: PAGE.host, origin: 'http://localhost:1' }))).toBe(
      'REQUEST_FORBIDDEN',
    )
    expect(callerWith({ cookie, 'sec-fetch-site': 'same-origin' })).toMatchObject({ via: 'session' })
  })
})

describe('AdminAccess', () => {
  it('accepts admin tokens, and distinguishes client tokens from unknown ones', async () => {
    const client = await kit.ask('createToken', { body: { name: 'laptop' } })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    expect(callerWith(bearer(secret))).toEqual({ tokenId: id, name: 'root', via: 'token' })
    expect(codeOf(() => callerWith({}))).toBe('TOKEN_MISSING')
    expect(codeOf(() => callerWith({ authorization: 'Basic eDp5' }))).toBe('TOKEN_MISSING')
    expect(codeOf(() => callerWith(bearer(client.secret)))).toBe('ADMIN_REQUIRED')
    expect(codeOf(() => callerWith(bearer('tdxa_nonsense')))).toBe('TOKEN_INVALID')
    expect(codeOf(() => callerWith(bearer('x'.repeat(10_000))))).toBe('TOKEN_INVALID')
    // A token in a header takes precedence over a cookie.
    expect(codeOf(() => callerWith({ ...bearer('wrong'), cookie: 'tooldex_session=x.y' }))).toBe('TOKEN_INVALID')
  })
})
