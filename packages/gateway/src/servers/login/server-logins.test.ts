import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import type { HttpTransport, ServerAuth } from '../../model/server.ts'
import type { LoginStore } from '../../model/store.ts'
import { Browser, type LoginWorld, startLoginWorld } from '../fixtures/authorization-server.case.ts'
import { listen } from '../fixtures/http-servers.case.ts'
import { call, define, failure, makePool, textOf, until } from '../fixtures/pool.case.ts'
import { loginPages } from './login-pages.ts'
import { loginControl, restartOnLogin, ServerLogins } from './server-logins.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

/** Keeps logins while the test lasts. */
class MemoryStore implements LoginStore {
  readonly kept = new Map<string, Readonly<Record<string, unknown>>>()
  isFull = false

  async load(id: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    return structuredClone(this.kept.get(id))
  }

  async save(id: string, login: Readonly<Record<string, unknown>>): Promise<void> {
    if (this.isFull) throw new Error('disk full')
    this.kept.set(id, structuredClone(login))
  }

  async remove(id: string): Promise<void> {
    this.kept.delete(id)
  }
}

async function setUp(
  auth?: ServerAuth,
  store = new MemoryStore(),
  world?: LoginWorld,
  { era = 'legacy', kind = 'http' }: { era?: 'legacy' | 'auto'; kind?: 'http' | 'sse' } = {},
) {
  const used = world ?? (await startLoginWorld(kind))
  if (world === undefined) cleanups.push(() => used.close())
  const clock = { now: 1_800_000_000_000 }
  let callback = ''
  const logins = new ServerLogins({ store, callbackUrl: () => callback, now: () => clock.now })
  const page = loginPages(logins)
  const gateway = await listen(async (req, res) => void (await page(req, res)), '/oauth/callback')
  callback = gateway.url
  cleanups.push(() => gateway.close())
  const { pool, add, events } = makePool({ logins, now: () => clock.now })
  cleanups.push(() => pool.stop())
  const transport: HttpTransport = { kind, url: used.mcpUrl, headers: {}, ...(auth && { auth }) }
  const server = await add(define(transport, { era }))
  restartOnLogin(logins, pool)
  const control = loginControl(logins, pool)
  const linkOf = async (): Promise<string> => {
    const error = await failure(server.request(call('echo')))
    expect(error.code).toBe('SERVER_NEEDS_LOGIN')
    expect(JSON.stringify([error.message, error.details])).not.toMatch(/https?:/)
    return String(server.status().loginUrl)
  }
  const browser = new Browser()
  const logIn = async (): Promise<Response> => browser.fetch(await browser.openLink(await linkOf()))
  return { browser, world: used, store, clock, logins, control, pool, server, events, linkOf, logIn, callback }
}

describe('A server that wants to know who uses it', () => {
  it('[R37] needs a login, says where, and works after a person was there', async () => {
    const { browser, server, linkOf, world, callback } = await setUp()
    const link = await linkOf()
    expect(server.status()).toMatchObject({ state: 'needs-login', loginUrl: link })
    expect(link.startsWith(`${new URL(callback).origin}/oauth/login?login=`)).toBe(true)
    const authorization = await browser.begin(link)
    const asked = authorization.searchParams
    expect(authorization.origin).toBe(world.issuer)
    expect(asked.get('code_challenge_method')).toBe('S256')
    expect(asked.get('redirect_uri')).toBe(callback)
    expect(asked.get('resource')).toBe(world.mcpUrl)
    expect(asked.get('scope')).toBe('tools')

    const answer = await browser.fetch(await browser.openLink(link))
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const page = await answer.text()
    expect(page).toContain('cheese')
    expect(page).not.toContain('<script')
    await until(() => server.status().state === 'running')
    expect(textOf(await server.request(call('echo', { n: 1 })))).toBe('{"n":1}')
    expect(server.status().loginUrl).toBeUndefined()
  })

  it('needs a login, and works after it, also where its era is not known yet', async () => {
    const { server, logIn } = await setUp(undefined, undefined, undefined, { era: 'auto' })
    expect((await logIn()).status).toBe(200)
    await until(() => server.status().state === 'running')
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('needs a login, and works after it, over the old HTTP+SSE as well', async () => {
    const { server, logIn, world } = await setUp(undefined, undefined, undefined, { kind: 'sse' })
    expect((await logIn()).status).toBe(200)
    await until(() => server.status().state === 'running')
    world.valid.clear()
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('gives the operator the login page before the first call, and none after the login', async () => {
    const { browser, control, server } = await setUp()
    const link = await control.begin('s1')
    expect((await browser.fetch(await browser.openLink(link ?? ''))).status).toBe(200)
    await until(() => server.status().state === 'running')
    expect(await control.begin('s1')).toBeUndefined()
    expect(await control.begin('unknown')).toBeUndefined()
    await control.forget('s1')
    await until(() => server.status().state === 'needs-login')
  })

  it('gives all callers the same link while it is valid, and another one when it has expired', async () => {
    const { linkOf, clock, world } = await setUp()
    const links = await Promise.all(Array.from({ length: 5 }, linkOf))
    expect(new Set(links).size).toBe(1)
    expect(world.registered.size).toBe(2)
    clock.now += 11 * 60_000
    expect(await linkOf()).not.toBe(links[0])
    expect(world.registered.size).toBe(2)
  })

  it('keeps the login over a restart of the gateway', async () => {
    const first = await setUp()
    await first.logIn()
    await until(() => first.server.status().state === 'running')
    const again = await setUp(undefined, first.store, first.world)
    expect(textOf(await again.server.request(call('echo')))).toBe('{}')
  })

  it('does not hand the login to a server that moved', async () => {
    const first = await setUp()
    await first.logIn()
    const other = await startLoginWorld()
    cleanups.push(() => other.close())
    const moved = await setUp(undefined, first.store, other)
    await moved.linkOf()
    expect(JSON.stringify(other.seen.headers)).not.toContain('access-')
  })

  it('is logged out of when asked, and needs a login again', async () => {
    const { logIn, logins, server, store } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    await logins.forget('s1')
    await until(() => server.status().state === 'needs-login')
    expect(JSON.stringify(store.kept.get('s1') ?? {})).not.toContain('access-')
  })

  it('uses the client that was configured, and registers none', async () => {
    const { browser, linkOf, world } = await setUp({ type: 'oauth', clientId: 'configured', scope: 'a b' })
    const asked = (await browser.begin(await linkOf())).searchParams
    expect([asked.get('client_id'), asked.get('scope')]).toEqual(['configured', 'a b'])
    expect(world.registered.size).toBe(1)
  })

  it('lets the gateway itself log in with client credentials, again before they end', async () => {
    const auth = { type: 'client-credentials', clientId: 'configured', clientSecret: 's3cret', scope: 'x' } as const
    const { server, world, clock } = await setUp(auth)
    expect(textOf(await server.request(call('echo')))).toBe('{}')
    expect(world.tokenRequests).toHaveLength(1)
    expect(world.tokenRequests[0]?.get('scope')).toBe('x')
    clock.now += 3_590_000
    await Promise.all(Array.from({ length: 10 }, () => server.request(call('echo'))))
    expect(world.tokenRequests).toHaveLength(2)
  })

  it('says that client credentials are wrong, without repeating them', async () => {
    const auth = { type: 'client-credentials', clientId: 'configured', clientSecret: 'wrong-canary' } as const
    const { server } = await setUp(auth)
    const error = await failure(server.request(call('echo')))
    expect(error).toMatchObject({ code: 'SERVER_NEEDS_LOGIN' })
    expect(error.message).toContain('invalid_client')
    expect(JSON.stringify([error.message, error.details, server.status()])).not.toContain('canary')
  })

  it('sends configured secrets only to the issuer that was configured', async () => {
    const issuer = 'https://elsewhere.example'
    const auth = { type: 'client-credentials', clientId: 'configured', clientSecret: 's3cret', issuer } as const
    const { server, world } = await setUp(auth)
    expect((await failure(server.request(call('echo')))).message).toContain('auth.issuer')
    expect(world.tokenRequests).toEqual([])
  })
})

describe('Tokens', () => {
  it('are renewed once before they end, however many calls wait', async () => {
    const { logIn, server, world, clock } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    world.tokenRequests.splice(0)
    clock.now += 3_595_000
    const answers = await Promise.all(Array.from({ length: 50 }, (_, n) => server.request(call('echo', { n }))))
    expect(answers.map(textOf)).toEqual(answers.map((_, n) => `{"n":${n}}`))
    expect(world.tokenRequests.map((asked) => asked.get('grant_type'))).toEqual(['refresh_token'])
  })

  it('are renewed once when the server takes them back early', async () => {
    const { logIn, server, world } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    world.tokenRequests.splice(0)
    world.valid.clear()
    await Promise.all(Array.from({ length: 50 }, () => server.request(call('echo'))))
    expect(world.tokenRequests).toHaveLength(1)
  })

  it('that cannot be renewed any more mean a new login', async () => {
    const { logIn, server, world, store, linkOf } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    world.valid.clear()
    world.refusesRefresh = true
    await linkOf()
    expect(server.status()).toMatchObject({ state: 'needs-login', loginUrl: expect.any(String) })
    expect(store.kept.get('s1')?.['tokens']).toBeUndefined()
  })

  it('stay when the token endpoint is dead, and are renewed when it is back', async () => {
    const { logIn, server, world, clock, store } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    world.isTokenEndpointDead = true
    clock.now += 3_595_000
    expect(textOf(await server.request(call('echo')))).toBe('{}')
    clock.now += 60_000
    world.valid.clear()
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_NEEDS_LOGIN' })
    expect(store.kept.get('s1')?.['tokens']).toBeDefined()
    world.isTokenEndpointDead = false
    clock.now += 60_000
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('are taken over from another process that renewed them first', async () => {
    const first = await setUp()
    await first.logIn()
    await until(() => first.server.status().state === 'running')
    const second = await setUp(undefined, first.store, first.world)
    await second.server.request(call('echo'))
    first.clock.now += 3_595_000
    second.clock.now += 3_595_000
    await Promise.all([first, second].map(({ server }) => server.request(call('echo'))))
    await first.server.request(call('echo'))
    await second.server.request(call('echo'))
    expect(first.store.kept.get('s1')?.['tokens']).toBeDefined()
  })

  it('survive a store that takes nothing for a while', async () => {
    const { logIn, server, world, clock, store } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    for (const isFull of [true, true, false]) {
      store.isFull = isFull
      clock.now += 3_595_000
      await server.request(call('echo'))
    }
    const kept = store.kept.get('s1')?.['tokens'] as { access_token: string } | undefined
    expect(world.valid.has(kept?.access_token ?? '')).toBe(true)
    expect(world.tokenRequests.filter((asked) => asked.get('grant_type') === 'refresh_token')).toHaveLength(3)
  })

  it('are in no error, status, event or message to another origin', async () => {
    const { logIn, server, world, events } = await setUp()
    await logIn()
    await until(() => server.status().state === 'running')
    world.valid.clear()
    world.refusesRefresh = true
    const error = await failure(server.request(call('echo')))
    const shown = JSON.stringify([error.message, error.details, server.status(), events, server.logs()])
    expect(shown).not.toMatch(/access-|refresh-/)
  })
})

describe('The page that people are sent back to', () => {
  it('refuses a wrong state, and leaves the login open', async () => {
    const { browser, linkOf, callback, world, server } = await setUp()
    const back = await browser.openLink(await linkOf())
    const forged = new URL(back)
    forged.searchParams.set('state', `${back.searchParams.get('state')?.split('.')[0]}.${'a'.repeat(43)}`)
    for (const url of [forged, `${callback}?code=x`, `${callback}?state=x&code=x`, `${callback}?state=a&state=b`]) {
      const answer = await browser.fetch(url)
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain('did not work')
    }
    expect(world.tokenRequests).toEqual([])
    expect((await browser.fetch(back)).status).toBe(200)
    await until(() => server.status().state === 'running')
  })

  it('takes no answer but the one to its own question', async () => {
    const { linkOf, logins, world } = await setUp()
    await linkOf()
    const name = fc.constantFrom('state', 'code', 'error', 'iss', 'x')
    const value = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('czE.', 'czE', 'czE.AAAA', 's1'))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(name, value)), async (given) => {
        const outcome = await logins.finish(new URLSearchParams(given), () => 'x').catch((error: unknown) => error)
        expect(outcome).toMatchObject({ name: 'LoginFailure' })
      }),
      { numRuns: 50 },
    )
    expect(world.tokenRequests).toEqual([])
  })

  it('takes an answer from the browser that opened the link, and from no other', async () => {
    const { browser, linkOf, world, server } = await setUp()
    const [link, thief] = [await linkOf(), new Browser()]
    expect((await fetch(link, { redirect: 'manual' })).headers.get('set-cookie')).toMatch(
      /^tooldex_login_[0-9a-f]{16}=[\w-]{43}; Path=\/oauth; HttpOnly; SameSite=Lax; Max-Age=600$/,
    )
    const back = await browser.openLink(link)
    for (const refused of [await thief.fetch(back), await fetch(back)]) {
      expect([refused.status, await refused.text()]).toEqual([400, expect.stringContaining('in another browser')])
    }
    expect(world.tokenRequests).toEqual([])
    // A link that an administrator opens again counts for the browser that opened it last.
    const theirs = await thief.openLink(link)
    expect((await browser.fetch(back)).status).toBe(400)
    expect((await thief.fetch(theirs)).status).toBe(200)
    await until(() => server.status().state === 'running')
    for (const wrong of [link, `${link}x`, `${new URL(link).origin}/oauth/login?login=a&login=b`]) {
      expect((await fetch(wrong, { redirect: 'manual' })).status).toBe(400)
    }
  })

  it('takes an answer once', async () => {
    const { browser, linkOf, world } = await setUp()
    const back = await browser.openLink(await linkOf())
    expect((await browser.fetch(back)).status).toBe(200)
    expect((await browser.fetch(back)).status).toBe(400)
    expect(world.tokenRequests).toHaveLength(1)
  })

  it('says that the login was refused, as text', async () => {
    const { browser, linkOf, world } = await setUp()
    world.denies = true
    const back = await browser.openLink(await linkOf())
    back.searchParams.set('error_description', '<script>alert(1)</script>')
    const answer = await browser.fetch(back)
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain('the login was refused')
    expect(page).not.toContain('script')
  })

  it('refuses an answer that comes after ten minutes', async () => {
    const { browser, linkOf, clock, world } = await setUp()
    const back = await browser.openLink(await linkOf())
    clock.now += 600_001
    expect(await (await browser.fetch(back)).text()).toContain('took too long')
    expect(world.tokenRequests).toEqual([])
  })

  it('refuses an answer of another issuer', async () => {
    const { browser, linkOf, world } = await setUp()
    const back = await browser.openLink(await linkOf())
    back.searchParams.set('iss', 'https://elsewhere.example')
    expect((await browser.fetch(back)).status).toBe(400)
    expect(world.tokenRequests).toEqual([])
  })

  it('says that the token endpoint is dead, and a new login works when it is back', async () => {
    const { browser, linkOf, world, server, logins } = await setUp()
    world.isTokenEndpointDead = true
    const answer = await browser.fetch(await browser.openLink(await linkOf()))
    expect(await answer.text()).toContain('cannot be used now')
    world.isTokenEndpointDead = false
    const link = await logins.begin('s1')
    expect((await browser.fetch(await browser.openLink(link ?? ''))).status).toBe(200)
    await until(() => server.status().state === 'running')
  })
})

describe('An authorization server that is not what it should be', () => {
  it.each([
    ['an authorization endpoint that is no web address', 'metadata', { authorization_endpoint: 'javascript:alert(1)' }],
    ['a token endpoint in a private network, without TLS', 'metadata', { registration_endpoint: 'http://10.0.0.1/r' }],
    ['no way to register', 'metadata', { registration_endpoint: undefined }],
    ['another issuer than it says', 'metadata', { issuer: 'https://elsewhere.example' }],
    ['another resource', 'resource', { resource: 'https://elsewhere.example/mcp' }],
    ['no PKCE with S256', 'metadata', { code_challenge_methods_supported: ['plain'] }],
  ] as const)('gets no login: %s', async (_, part, change) => {
    const { server, world } = await setUp()
    Object.assign(world[part], change)
    const error = await failure(server.request(call('echo')))
    expect(error).toMatchObject({ code: 'SERVER_NEEDS_LOGIN' })
    expect(error.details['loginUrl']).toBeUndefined()
    expect(error.message).toContain('"cheese" cannot be used')
    expect(server.status().state).toBe('needs-login')
  })
})
