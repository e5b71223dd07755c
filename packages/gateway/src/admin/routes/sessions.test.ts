import { createHmac } from 'node:crypto'
import type { AdminRouteId } from '@tooldex/contract/admin'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AdminAccess } from '../access/admin-access.ts'
import { AdminSessions } from '../access/admin-sessions.ts'
import { type AdminKit, adminKit, requestOf } from '../admin-kit.case.ts'
import { StoredTokens } from '../../model/stored-tokens.ts'

const HOUR = 3_600_000
const PAGE = { origin: 'http://127.0.0.1:7420', host: '127.0.0.1:7420' }

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

/** The headers of a console that has signed in: the cookie, which browsers send, and the page secret. */
interface SignedIn extends Record<string, string> {
  readonly cookie: string
  readonly 'x-tooldex-console': string
}

async function signedIn(body: object, headers: Record<string, string> = PAGE): Promise<SignedIn> {
  const response = await kit.api(requestOf('signIn', { body, headers }))
  expect(response.status).toBe(200)
  const { pageSecret } = (await response.json()) as { pageSecret: string }
  return {
    cookie: (response.headers.get('set-cookie') ?? '').split(';')[0] ?? '',
    'x-tooldex-console': pageSecret,
  }
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
    expect(await response.json()).toEqual({
      name: 'root',
      role: 'administrator',
      via: 'session',
      expiresAt: kit.clock.now + 12 * HOUR,
      pageSecret: expect.stringMatching(/^[\w-]{43}$/),
    })
    expect(callerWith(await signedIn({ token: secret }))).toMatchObject({ tokenId: id, via: 'session' })
  })

  it('takes a one-time code once, and within ten minutes', async () => {
    const { code } = await kit.ask('createSignInCode')
    expect(callerWith(await signedIn({ code }))).toMatchObject({ tokenId: 'local' })
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
    const [one, other] = [await signedIn({ token: secret }), await signedIn({ token: secret })]
    const out = await kit.send('signOut', { headers: one })
    expect(out.headers.get('set-cookie')).toContain('Max-Age=0')
    expect(codeOf(() => callerWith(one))).toBe('TOKEN_INVALID')
    expect(callerWith(other)).toMatchObject({ tokenId: id })
    await kit.ask('createToken', { body: { name: 'root 2', kind: 'admin' } })
    await kit.ask('revokeToken', { params: { token: id } })
    expect(codeOf(() => callerWith(other))).toBe('TOKEN_INVALID')
    const { code } = await kit.ask('createSignInCode')
    const third = await signedIn({ code })
    kit.clock.now += 12 * HOUR
    expect(codeOf(() => callerWith(third))).toBe('TOKEN_INVALID')
  })

  it('stays signed out for all replicas on the database, and after a restart', async () => {
    // The database forgets by its own clock.
    kit.clock.now = Date.now()
    const session = await signedIn({ token: secret })
    const other = new AdminSessions({
      tokens: () => kit.store.current().tokens,
      key: () => kit.store.signingKey('console sessions'),
      now: kit.parts.now,
      ended: kit.store.replicas,
    })
    const elsewhere = new AdminAccess({
      ...{ tokens: () => kit.store.current().tokens, sessions: other, now: kit.parts.now },
      isClientToken: () => false,
    })
    const request = new Request('http://127.0.0.1:7420/api/v1/servers', { headers: session })
    await elsewhere.checkEnd(request)
    expect(elsewhere.callerOf(request)).toMatchObject({ tokenId: id })
    await kit.send('signOut', { headers: session })
    await elsewhere.checkEnd(request)
    expect(codeOf(() => elsewhere.callerOf(request))).toBe('TOKEN_INVALID')
  })

  it('can be signed out here while the database is away', async () => {
    const session = await signedIn({ token: secret })
    await kit.store.close()
    await access.checkEnd(new Request('http://127.0.0.1:7420', { headers: session }))
    expect(callerWith(session)).toMatchObject({ tokenId: id })
    const out = await kit.send('signOut', { headers: session })
    expect([out.status, out.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect(codeOf(() => callerWith(session))).toBe('TOKEN_INVALID')
  })

  it('cannot be forged or modified', async () => {
    const session = await signedIn({ token: secret })
    const [name = '', value = ''] = session.cookie.split('=')
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
      expect(codeOf(() => callerWith({ ...session, cookie: `${name}=${forged}` }))).toBe('TOKEN_INVALID')
    }
  })

  it('cannot be forged with a copy of the database: the key is not in it', async () => {
    const hash = kit.store.current().tokens.get(id)?.hash ?? ''
    const now = kit.clock.now
    const ticket = { tokenId: id, issuedAt: now, expiresAt: now + HOUR, nonce: 'x'.repeat(22) }
    const payload = Buffer.from(JSON.stringify(ticket)).toString('base64url')
    const empty = createHmac('sha256', '').update(`tooldex session ${id} ${hash}`).digest()
    // As version 0.1 signed them, and with every key that can be made from the stored hash.
    const forged = [`tooldex session ${payload}`, `ticket ${payload}`].flatMap((text) =>
      [hash, Buffer.from(hash, 'hex'), empty].map((key) => [text, key] as const),
    )
    for (const [text, key] of forged) {
      const cookie = `tooldex_session=${payload}.${createHmac('sha256', key).update(text).digest('base64url')}`
      const page = createHmac('sha256', key).update(`page ${payload}`).digest('base64url')
      expect(codeOf(() => callerWith({ cookie, 'x-tooldex-console': page }))).toBe('TOKEN_INVALID')
    }
  })

  it('ends with another secret key, and with another secret of its token', async () => {
    const session = await signedIn({ token: secret })
    const { sessions } = kit.parts
    const [ticket, page] = [session.cookie.split('=')[1] ?? '', session['x-tooldex-console']]
    const { tokens } = kit.store.current()
    const sessionsWith = (key: Buffer, hash?: string) =>
      new AdminSessions({
        tokens: () => StoredTokens.of([...tokens].map((token) => ({ ...token, ...(hash !== undefined && { hash }) }))),
        key: () => key,
        now: () => kit.clock.now,
      })
    const key = kit.store.signingKey('console sessions')
    expect(sessions.callerOf(ticket, page)).toMatchObject({ tokenId: id })
    // A restart and another replica know the same key.
    expect(sessionsWith(key).callerOf(ticket, page)).toMatchObject({ tokenId: id })
    expect(sessionsWith(Buffer.alloc(32)).callerOf(ticket, page)).toBeUndefined()
    expect(sessionsWith(kit.store.signingKey('something else')).callerOf(ticket, page)).toBeUndefined()
    expect(sessionsWith(key, 'f'.repeat(64)).callerOf(ticket, page)).toBeUndefined()
    await kit.store.rotateSecrets()
    expect(sessions.callerOf(ticket, page)).toBeUndefined()
  })

  it('is of no use as a stolen cookie: without the page secret, or with that of another session', async () => {
    const [mine, other] = [await signedIn({ token: secret }), await signedIn({ token: secret })]
    for (const page of ['1', '', other['x-tooldex-console'], `${mine['x-tooldex-console']}x`]) {
      for (const method of ['GET', 'POST']) {
        const stolen = { ...PAGE, cookie: mine.cookie, 'x-tooldex-console': page }
        expect(codeOf(() => callerWith(stolen, method))).toBe('TOKEN_INVALID')
      }
    }
    for (const [method, code] of [
      ['GET', 'TOKEN_INVALID'],
      ['POST', 'REQUEST_FORBIDDEN'],
      ['DELETE', 'REQUEST_FORBIDDEN'],
    ]) {
      expect(codeOf(() => callerWith({ ...PAGE, cookie: mine.cookie }, method))).toBe(code)
    }
  })

  it('is refused while the clock is behind its beginning: the clock was set back', async () => {
    const session = await signedIn({ token: secret })
    kit.clock.now -= 30_000
    expect(callerWith(session)).toMatchObject({ tokenId: id })
    kit.clock.now -= HOUR
    expect(codeOf(() => callerWith(session))).toBe('TOKEN_INVALID')
  })

  it('accepts changes from the pages of the gateway only', async () => {
    const session = await signedIn({ token: secret })
    expect(callerWith({ ...PAGE, ...session }, 'POST')).toMatchObject({ via: 'session' })
    const foreign: Record<string, string>[] = [
      { ...PAGE, origin: 'http://evil.example.org' },
      { ...PAGE, origin: 'http://127.0.0.1:3000' },
      { ...PAGE, origin: 'null' },
      { host: PAGE.host },
      { ...PAGE, 'sec-fetch-site': 'cross-site' },
      { ...PAGE, 'sec-fetch-site': 'same-site' },
    ]
    for (const headers of foreign) {
      expect(codeOf(() => callerWith({ ...headers, ...session }, 'POST'))).toBe('REQUEST_FORBIDDEN')
    }
    expect(codeOf(() => callerWith({ ...session, host: PAGE.host, origin: 'http://localhost:1' }))).toBe(
      'REQUEST_FORBIDDEN',
    )
    expect(callerWith({ ...session, 'sec-fetch-site': 'same-origin' })).toMatchObject({ via: 'session' })
  })
})

describe('a fresh proof', () => {
  const MINUTE = 60_000
  /** The outcome of a request in the session. */
  const outcome = async (id: AdminRouteId, ask: object, session: SignedIn): Promise<string> => {
    const response = await kit.api(requestOf(id, ask), callerWith({ ...PAGE, ...session }, 'POST'))
    return response.ok ? 'done' : String(((await response.json()) as { code: string }).code)
  }
  const NEEDED = 'FRESH_PROOF_REQUIRED'

  it('is needed to add or change a program that runs on this machine, five minutes after the sign-in', async () => {
    const session = await signedIn({ token: secret })
    const program = { id: 'p', command: '/bin/sh', args: ['-c', 'true'], start: 'on-demand' }
    kit.clock.now += 5 * MINUTE - 1
    expect(await outcome('createServer', { body: program }, session)).toBe('done')
    kit.clock.now += 1
    expect(await outcome('createServer', { body: { ...program, id: 'q' } }, session)).toBe(NEEDED)
    const change = (body: object) => outcome('changeServer', { params: { server: 'p' }, body }, session)
    for (const body of [
      { command: '/bin/ls' },
      { args: ['-c', 'false'] },
      { env: { LD_PRELOAD: '/tmp/x.so' } },
      { cwd: '/tmp' },
      { envFile: '/tmp/env' },
      { inputs: { KEY: 'x' } },
    ]) {
      expect([body, await change(body)]).toEqual([body, NEEDED])
    }
    const imported = { mcpServers: { r: { command: '/bin/sh' } } }
    expect(await outcome('importAll', { query: { dryRun: 'false' }, body: imported }, session)).toBe(NEEDED)
    expect(await outcome('importAll', { query: { dryRun: 'true' }, body: imported }, session)).toBe('done')
    expect(kit.store.current().servers.map((server) => server.id)).toEqual(['p'])
    // What runs stays the same.
    expect(await change({ name: 'Renamed' })).toBe('done')
    expect(await change({ toolPermissions: { x: false } })).toBe('done')
    expect(await outcome('disableServer', { params: { server: 'p' } }, session)).toBe('done')
    expect(await outcome('createServer', { body: { id: 'u', url: 'http://127.0.0.1:9/mcp' } }, session)).toBe('done')
    const turned = { command: '/bin/sh', url: null }
    expect(await outcome('changeServer', { params: { server: 'u' }, body: turned }, session)).not.toBe('done')
  })

  it('is needed to send values of this machine to a server behind a URL', async () => {
    const session = await signedIn({ token: secret })
    kit.clock.now += 6 * MINUTE
    const url = 'http://127.0.0.1:9/mcp'
    const sent = { headers: { authorization: 'Bearer ${AWS_SECRET}' } }
    expect(await outcome('createServer', { body: { id: 'u', url, ...sent } }, session)).toBe(NEEDED)
    expect(await outcome('createServer', { body: { id: 'u', url: `${url}?k=\${file:/etc/passwd}` } }, session)).toBe(
      NEEDED,
    )
    expect(await outcome('createServer', { body: { id: 'u', url, headers: { a: '${input:KEY}' } } }, session)).toBe(
      'done',
    )
    expect(await outcome('changeServer', { params: { server: 'u' }, body: sent }, session)).toBe(NEEDED)
  })

  it('is needed for what would outlive the session: admin tokens and one-time codes', async () => {
    const session = await signedIn({ token: secret })
    kit.clock.now += 6 * MINUTE
    expect(await outcome('createToken', { body: { name: 'x', kind: 'admin' } }, session)).toBe(NEEDED)
    expect(await outcome('createSignInCode', {}, session)).toBe(NEEDED)
    expect(await outcome('createToken', { body: { name: 'x' } }, session)).toBe('done')
  })

  it('is given by the admin token in the request, and by signing in again', async () => {
    kit.clock.now += 60 * MINUTE
    const body = { id: 'p', command: '/bin/sh', start: 'on-demand' }
    const caller = callerWith({ authorization: `Bearer ${secret}` }, 'POST')
    expect((await kit.api(requestOf('createServer', { body }), caller)).status).toBe(201)
    const again = await signedIn({ token: secret })
    expect(await outcome('createServer', { body: { ...body, id: 'q' } }, again)).toBe('done')
  })
})

describe('AdminAccess', () => {
  it('accepts admin tokens, and distinguishes client tokens from unknown ones', async () => {
    const client = await kit.ask('createToken', { body: { name: 'laptop' } })
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
    expect(callerWith(bearer(secret))).toEqual({
      ...{ tokenId: id, name: 'root', role: 'administrator', via: 'token', isFresh: true },
    })
    expect(codeOf(() => callerWith({}))).toBe('TOKEN_MISSING')
    expect(codeOf(() => callerWith({ authorization: 'Basic eDp5' }))).toBe('TOKEN_MISSING')
    expect(codeOf(() => callerWith(bearer(client.secret)))).toBe('ADMIN_REQUIRED')
    expect(codeOf(() => callerWith(bearer('tdxa_nonsense')))).toBe('TOKEN_INVALID')
    expect(codeOf(() => callerWith(bearer('x'.repeat(10_000))))).toBe('TOKEN_INVALID')
    // A token in a header takes precedence over a cookie.
    expect(codeOf(() => callerWith({ ...bearer('wrong'), cookie: 'tooldex_session=x.y' }))).toBe('TOKEN_INVALID')
  })
})
