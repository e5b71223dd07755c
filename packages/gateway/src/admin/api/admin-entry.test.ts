import { type AdminRoute, type AdminRouteId, adminRoutes } from '@tooldex/contract/admin'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hashToken } from '../../access/tokens.ts'
import { FakeHandler } from '../../clients/http/listener.case.ts'
import { HttpServer } from '../../clients/http/http-server.ts'
import { RequestAccess } from '../../clients/http/request-access.ts'
import { collectGarbage } from '../../collect-garbage.case.ts'
import { AdminAccess } from '../access/admin-access.ts'
import { AdminSessions } from '../access/admin-sessions.ts'
import { type AdminKit, adminKit, requestOf } from '../admin-kit.case.ts'
import { AdminEntry } from './admin-entry.ts'

const LOCAL = 'tdx_local-secret-of-the-run-record'

let kit: AdminKit
let http: HttpServer
let url: string
let entry: AdminEntry
let loads = 0
const uses: string[] = []
const secrets = { admin: '', client: '' }
beforeAll(async () => {
  kit = await adminKit({ file: { mcpServers: { notes: { command: 'notes' } } } })
  for (const kind of ['admin', 'client'] as const) {
    secrets[kind] = (await kit.ask('createToken', { body: { name: kind, kind } })).secret
  }
  const { sessions, now, log } = kit.parts
  const access = new AdminAccess({
    tokens: () => kit.store.current().tokens,
    localHash: hashToken(LOCAL),
    isClientToken: (hash) => kit.models.current().tokens.has(hash),
    sessions,
    now,
    onUse: (tokenId) => uses.push(tokenId),
  })
  const load = async () => {
    loads++
    return kit.api
  }
  // All invalid tokens come from one address; the clock keeps them below the attempt limit.
  let clock = 0
  const onTokensChanged = (listener: () => void) => kit.store.onChange(listener)
  entry = new AdminEntry({ access, signInCode: () => 'code', load, log, onTokensChanged, now: () => (clock += 60_000) })
  const page = (): void => {}
  http = new HttpServer({
    handler: new FakeHandler(),
    access: new RequestAccess({ models: kit.models, now }),
    log: { warn: page, error: page },
    ...{ health: page, ready: page, metrics: page, port: 0 },
    areas: new Map([['api', (req, res, sender) => entry.handle(req, res, sender).then(() => true)]]),
  })
  url = (await http.listen()).url
})
afterAll(async () => {
  await http.close()
  await kit.stop()
})

async function send(id: AdminRouteId, headers: Record<string, string> = {}, body?: unknown): Promise<Response> {
  const { pathname, search } = new URL(requestOf(id, {}).url)
  const { method, body: schema }: AdminRoute = adminRoutes[id]
  const sent = body ?? (schema === undefined ? undefined : {})
  return fetch(url + pathname + search, {
    method,
    headers: { ...(sent !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(sent !== undefined && { body: JSON.stringify(sent) }),
  })
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const routes = Object.keys(adminRoutes) as AdminRouteId[]
const guarded = routes.filter((id) => (adminRoutes[id] as AdminRoute).access !== 'open')

describe('the admin API over HTTP', () => {
  it('has one open route, which authenticates by itself', () => {
    expect(routes.filter((id) => !guarded.includes(id))).toEqual(['signIn'])
  })

  it('compresses what it reads out for clients that accept it, and no answer that may have a new secret', async () => {
    const admin = bearer(secrets.admin)
    const zipped = await send('getOpenApi', { ...admin, 'accept-encoding': 'gzip' })
    expect(zipped.headers.get('content-encoding')).toBe('gzip')
    const plain = await send('getOpenApi', { ...admin, 'accept-encoding': 'identity' })
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await zipped.json()).toEqual(await plain.json())
    const made = await send('createToken', { ...admin, 'accept-encoding': 'gzip' }, { name: 'x'.repeat(100) })
    expect([made.status, made.headers.get('content-encoding')]).toEqual([201, null])
    const small = await send('getHealth', { ...admin, 'accept-encoding': 'gzip' })
    expect([small.status, small.headers.get('content-encoding')]).toEqual([200, null])
  })

  it.each(guarded)('%s refuses requests without an admin token', async (id) => {
    const before = JSON.stringify(kit.store.current())
    const tries = [{}, bearer('tdxa_wrong'), bearer(secrets.client), { cookie: 'tooldex_session=a.b' }]
    const answers = await Promise.all(tries.map((headers) => send(id, headers)))
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 403, adminRoutes[id].method === 'GET' ? 401 : 403])
    for (const answer of answers) {
      expect(answer.headers.get('content-type')).toBe('application/problem+json')
      expect(Object.keys((await answer.json()) as object).toSorted()).not.toContain('items')
    }
    expect(answers[0]?.headers.get('www-authenticate')).toBe('Bearer realm="tooldex admin"')
    expect(JSON.stringify(kit.store.current())).toBe(before)
  })

  it('is loaded once, with the first authenticated request', async () => {
    const [one, other] = await Promise.all([
      send('listServers', bearer(secrets.admin)),
      send('listServers', bearer(LOCAL)),
    ])
    expect([one.status, other.status]).toEqual([200, 200])
    expect(one.headers.get('cache-control')).toBe('no-store')
    expect(loads).toBe(1)
  })

  it('takes changes with a body, and answers with their result', async () => {
    const made = await send('createServer', bearer(secrets.admin), { id: 'x', command: 'x' })
    expect([made.status, made.headers.get('etag')]).toEqual([201, expect.stringMatching(/^"\w+"$/)])
    const huge = await send('createServer', bearer(secrets.admin), { id: 'y', command: 'y'.repeat(5 * 1024 * 1024) })
    expect(huge.status).toBe(413)
    const unproven = await send('createServer', {}, { id: 'y', command: 'y'.repeat(5 * 1024 * 1024) })
    expect(unproven.status).toBe(401)
  })

  /** The headers of a console that has signed in. */
  const sessionOf = async (token: string): Promise<Record<string, string>> => {
    const entered = await send('signIn', { origin: url }, { token })
    const { pageSecret } = (await entered.json()) as { pageSecret: string }
    return { cookie: (entered.headers.get('set-cookie') ?? '').split(';')[0] ?? '', 'x-tooldex-console': pageSecret }
  }

  it('signs a browser in and out', async () => {
    const page = await sessionOf(secrets.admin)
    const { cookie = '' } = page
    expect((await send('getSession', page)).status).toBe(200)
    expect((await send('createSignInCode', { ...page, origin: url })).status).toBe(201)
    expect((await send('createSignInCode', page)).status).toBe(403)
    expect((await send('signOut', { ...page, origin: url })).status).toBe(204)
    expect((await send('getSession', page)).status).toBe(401)
    expect((await send('getSession', { cookie })).status).toBe(401)
  })

  it('refuses a session that was signed out through another replica', async () => {
    const before = kit.clock.now
    // The database forgets by its own clock.
    kit.clock.now = Date.now()
    const page = await sessionOf(secrets.admin)
    expect((await send('getSession', page)).status).toBe(200)
    const { tokens } = kit.store.current()
    const key = () => kit.store.signingKey('console sessions')
    const { now } = kit.parts
    const other = new AdminSessions({ tokens: () => tokens, key, now, ended: kit.store.replicas })
    await other.end(page['cookie']?.split('=')[1] ?? '')
    expect((await send('getSession', page)).status).toBe(401)
    kit.clock.now = before
  })

  it('refuses the cookie that a page on another port received', async () => {
    const { cookie = '' } = await sessionOf(secrets.admin)
    const replayed = { cookie, origin: url, 'x-tooldex-console': '1' }
    expect((await send('getSession', replayed)).status).toBe(401)
    const before = kit.store.current().tokens.size
    expect((await send('createToken', replayed, { name: 'thief', kind: 'admin' })).status).toBe(401)
    expect(kit.store.current().tokens.size).toBe(before)
  })

  it('refuses other hosts and origins, like every other path', async () => {
    const foreign = await send('listServers', { ...bearer(secrets.admin), origin: 'http://evil.example.org' })
    expect(foreign.status).toBe(403)
  })

  it('keeps cookies and admin tokens out of endpoints', async () => {
    const mcp = (headers: Record<string, string>) =>
      fetch(`${url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
      })
    expect((await mcp({ cookie: 'tooldex_session=a.b' })).status).toBe(401)
    const admin = await mcp(bearer(secrets.admin))
    expect([admin.status, await admin.text()]).toEqual([
      401,
      expect.stringContaining('admin tokens open the admin API'),
    ])
  })

  it('streams, and stops when the reader disconnects', async () => {
    const leaving = new AbortController()
    const response = await fetch(`${url}/api/v1/events`, { headers: bearer(secrets.admin), signal: leaving.signal })
    const reader = response.body?.getReader()
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain('hello')
    leaving.abort()
    await expect(reader?.read()).rejects.toThrow('aborted')
  })

  const STREAMS = [
    ['events', '/events'],
    ['the audit', '/audit/stream'],
    ['a log', '/servers/notes/logs'],
  ] as const
  const follow = async (path: string, headers: Record<string, string>): Promise<Response> => {
    const response = await fetch(`${url}/api/v1${path}`, { headers: { accept: 'text/event-stream', ...headers } })
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/event-stream'])
    return response
  }
  const makeAdmin = (body: object = {}) => kit.ask('createToken', { body: { name: 'guest', kind: 'admin', ...body } })
  const revoke = (id: string) => kit.ask('revokeToken', { params: { token: id } })

  it.each(STREAMS)('ends the stream of %s when its token is revoked, and no other', async (_, path) => {
    const { secret, token } = await makeAdmin()
    const [byToken, bySession] = [await follow(path, bearer(secret)), await follow(path, await sessionOf(secret))]
    const other = await follow(path, bearer(secrets.admin))
    await revoke(token.id)
    expect(await byToken.text()).toContain('hello')
    expect(await bySession.text()).toContain('hello')
    const reader = other.body?.getReader()
    expect((await reader?.read())?.done).toBe(false)
    await reader?.cancel()
    const refused = await fetch(`${url}/api/v1${path}`, { headers: bearer(secret) })
    expect(refused.status).toBe(401)
  })

  it.each(STREAMS)('ends the stream of %s when its token expires', async (_, path) => {
    const before = kit.clock.now
    const { secret, token } = await makeAdmin({ expiresAt: before + 60_000 })
    const [byToken, bySession] = [await follow(path, bearer(secret)), await follow(path, await sessionOf(secret))]
    kit.clock.now = before + 60_000
    expect(await byToken.text()).toContain('hello')
    expect(await bySession.text()).toContain('hello')
    kit.clock.now = before
    await revoke(token.id)
  })

  it.each(STREAMS)('ends the stream of %s when the role of its token changes', async (_, path) => {
    const { secret, token } = await makeAdmin({ role: 'operator' })
    const [byToken, bySession] = [await follow(path, bearer(secret)), await follow(path, await sessionOf(secret))]
    await kit.ask('changeToken', { params: { token: token.id }, body: { role: 'reader' } })
    expect(await byToken.text()).toContain('hello')
    expect(await bySession.text()).toContain('hello')
    const again = await follow(path, bearer(secret))
    await again.body?.cancel()
    expect((await send('restartServer', bearer(secret))).status).toBe(403)
    await revoke(token.id)
  })

  it('ends streams also after a garbage collection', async () => {
    const { secret, token } = await makeAdmin()
    const streams = await Promise.all(STREAMS.map(([, path]) => follow(path, bearer(secret))))
    await collectGarbage()
    await revoke(token.id)
    for (const stream of streams) expect(await stream.text()).toContain('hello')
  })

  it('cancels a call that is tried out when its token is revoked', async () => {
    const { secret, token } = await makeAdmin()
    const server = await kit.offer('notes', [{ name: 'wait' }])
    const { promise: asked, resolve: ask } = Promise.withResolvers<AbortSignal | undefined>()
    const answered = server.request.bind(server)
    server.request = (request, options) => {
      if (request.method !== 'tools/call') return answered(request, options)
      ask(options?.signal)
      return new Promise(() => {})
    }
    const call = await fetch(`${url}/api/v1/tools/notes:wait/call`, {
      method: 'POST',
      headers: { ...bearer(secret), accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ project: 'default', arguments: {} }),
    })
    const signal = await asked
    expect(signal?.aborted).toBe(false)
    await revoke(token.id)
    expect(await call.text()).toContain('event: begun')
    expect(signal?.aborted).toBe(true)
    expect((await send('getSession', bearer(secret))).status).toBe(401)
  })

  it('ends the streams of a session with the session, and no others', async () => {
    const [one, another] = [await sessionOf(secrets.admin), await sessionOf(secrets.admin)]
    const [mine, other] = [await follow('/events', one), await follow('/events', another)]
    await send('signOut', { ...one, origin: url })
    expect(await mine.text()).toContain('hello')
    expect((await send('getSession', another)).status).toBe(200)
    await other.body?.cancel()
  })

  it('counts a stream as one use of its token, however long it lasts', async () => {
    const { secret, token } = await makeAdmin()
    const stream = await follow('/events', bearer(secret))
    await kit.ask('changeToken', { params: { token: token.id }, body: { name: 'still good' } })
    expect(uses.filter((id) => id === token.id)).toHaveLength(1)
    await stream.body?.cancel()
    await revoke(token.id)
  })

  it('ends all streams when it closes', async () => {
    const stream = await follow('/events', bearer(secrets.admin))
    entry.close()
    expect(await stream.text()).toContain('hello')
  })
})
