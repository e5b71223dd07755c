import type { AuthConfig } from '@tooldex/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { RateLimit } from '../../access/rate-limit.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { GatewayModel } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { hashToken } from '../../access/tokens.ts'
import { projectOf } from '../../catalog/snapshot.case.ts'
import { GatewayError } from '../../errors.ts'
import { FakeHandler } from './listener.case.ts'
import { HttpServer, type HttpServerOptions } from './http-server.ts'
import { RequestAccess } from './request-access.ts'
import { answerMetadata, metadataUrl } from './resource-metadata.ts'

const AUTH: AuthConfig = {
  ...{ issuer: 'https://login.example.org', audience: 'tooldex', algorithms: ['ES256'], clockToleranceSeconds: 0 },
  ...{ scopePrefix: 'project:', readOnlyScope: 'read-only' },
}
const endpoint = (id: string, projectId = id): Endpoint => ({
  ...{ id, projectId, disclosure: {}, auth: 'token', transparent: false },
})
const model = (over: Partial<GatewayModel> = {}): GatewayModel => ({
  servers: [],
  serverTools: new Map(),
  trust: new Map(),
  projects: new Map(['default', 'team'].map((id) => [id, projectOf(id, [])])),
  endpoints: new Map(['default', 'team'].map((id) => [id, endpoint(id)])),
  tokens: new Map([[hashToken('ours'), { tokenId: 'ours', name: 'ours', readOnly: false }]]),
  ...over,
})
const vouched = (projects: string[]): Principal => ({
  tokenId: 'jwt:a',
  name: 'a',
  readOnly: false,
  projects: new Set(projects),
})
const JWTS = new Map<string, Principal | GatewayError>([
  ['eyJteam.a.b', vouched(['team'])],
  ['eyJnone.a.b', vouched([])],
  ['eyJbad.a.b', new GatewayError('TOKEN_INVALID')],
  ['eyJaway.a.b', new GatewayError('ISSUER_UNAVAILABLE', { retryAfter: 10 })],
])
const jwt = {
  async verify(token: string): Promise<Principal> {
    const known = JWTS.get(token) ?? new GatewayError('TOKEN_INVALID')
    if (known instanceof GatewayError) throw known
    return known
  },
}

let http: HttpServer | undefined
afterEach(() => http?.close())

async function listener(options: Partial<HttpServerOptions> = {}, models = { current: () => model() }) {
  const access = new RequestAccess({ models, now: Date.now, jwt })
  const page = (): void => {}
  http = new HttpServer({
    handler: new FakeHandler(),
    access,
    log: { warn: page, error: page },
    ...{ health: page, ready: page, metrics: page, port: 0, metadataUrl },
    areas: new Map([['.well-known', (req, res) => answerMetadata(req, res, AUTH)]]),
    rightsNow: (client) => access.rightsNow(client),
    ...options,
  })
  const { url } = await http.listen()
  const ping = (path: string, token?: string) =>
    fetch(url + path, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: INITIALIZE }),
    })
  return { url, ping }
}
const INITIALIZE = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } }

describe('tokens of an external issuer', () => {
  it('open the endpoints of their projects, beside local tokens', async () => {
    const { ping } = await listener()
    expect((await ping('/team/mcp', 'eyJteam.a.b')).status).toBe(200)
    expect((await ping('/mcp', 'eyJteam.a.b')).status).toBe(404)
    expect((await ping('/mcp', 'ours')).status).toBe(200)
  })

  it('are refused with a challenge that names the metadata', async () => {
    const { ping, url } = await listener()
    const challenge = async (path: string, token?: string) => {
      const response = await ping(path, token)
      return [response.status, response.headers.get('www-authenticate')]
    }
    const where = (path: string) => `resource_metadata="${url}/.well-known/oauth-protected-resource${path}"`
    expect(await challenge('/mcp')).toEqual([401, `Bearer realm="tooldex", ${where('/mcp')}`])
    expect(await challenge('/team/mcp', 'eyJbad.a.b')).toEqual([
      401,
      `Bearer realm="tooldex", error="invalid_token", ${where('/team/mcp')}`,
    ])
    for (const path of ['/team/mcp', '/nobody/mcp']) {
      const [status, header] = await challenge(path, 'eyJnone.a.b')
      expect([status, header]).toEqual([403, `Bearer realm="tooldex", error="insufficient_scope", ${where(path)}`])
    }
  })

  it('wait for their issuer, while local tokens do not', async () => {
    const { ping } = await listener()
    const away = await ping('/mcp', 'eyJaway.a.b')
    expect([away.status, away.headers.get('retry-after')]).toEqual([503, '10'])
    expect((await ping('/mcp', 'ours')).status).toBe(200)
  })

  it('are announced by metadata, the same for existing and missing endpoints', async () => {
    const { url } = await listener()
    for (const path of ['', '/mcp', '/team/mcp', '/nobody/mcp']) {
      const response = await fetch(`${url}/.well-known/oauth-protected-resource${path}`)
      expect(await response.json()).toMatchObject({ resource: url + path, authorization_servers: [AUTH.issuer] })
    }
    expect((await fetch(`${url}/.well-known/nothing`)).status).toBe(404)
    expect((await fetch(`${url}/.well-known/oauth-protected-resource/a/b/c`)).status).toBe(404)
  })
})

describe('rate limits', () => {
  it('refuse requests beyond the limit of a token or an address, with Retry-After', async () => {
    const [tokens, addresses] = [new RateLimit(2, () => 0), new RateLimit(4, () => 0)]
    const limits = { token: (id: string) => tokens.take(id), address: (address: string) => addresses.take(address) }
    const { ping } = await listener({ limits })
    const statuses = [await ping('/mcp', 'ours'), await ping('/mcp', 'ours'), await ping('/mcp', 'ours')]
    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(statuses[2]?.headers.get('retry-after')).toBe('30')
    expect((await ping('/mcp')).status).toBe(401)
    expect((await ping('/mcp')).status).toBe(429)
  })
})

describe('an open session', () => {
  it('ends when its token is revoked or narrowed, or its endpoint or project removed', async () => {
    let current = model()
    const access = new RequestAccess({ models: { current: () => current }, now: () => 0, jwt })
    const ours = access.authenticate('Bearer ours') as Principal
    const isValid = (principal: Principal, id: string) =>
      access.rightsNow({ principal, endpoint: endpoint(id) }) !== undefined
    expect(isValid(ours, 'team')).toBe(true)
    const without = (...changes: Partial<GatewayModel>[]): boolean => {
      current = model(Object.assign({}, ...changes))
      return isValid(ours, 'team')
    }
    expect(without({ tokens: new Map() })).toBe(false)
    expect(without({ tokens: new Map([['x', { ...ours, projects: new Set(['default']) }]]) })).toBe(false)
    expect(without({ endpoints: new Map() })).toBe(false)
    expect(without({ projects: new Map() })).toBe(false)
    expect(without({})).toBe(true)
    const outside = await access.authenticate('Bearer eyJteam.a.b')
    expect([isValid(outside, 'team'), isValid(outside, 'default')]).toEqual([true, false])
  })

  it('[R41] has the rights that both tokens of a narrowed request have now, and none for other senders', async () => {
    const owner: Principal = { tokenId: 'local', name: 'local', readOnly: false }
    const token = (tokenId: string, servers: string[]): [string, Principal] => [
      hashToken(tokenId),
      { tokenId, name: tokenId, readOnly: false, servers: new Set(servers) },
    ]
    const tokens = (own: string[], shown: string[]) =>
      model({ tokens: new Map([[hashToken('record'), owner], token('own', own), token('shown', shown)]) })
    let current = tokens(['a', 'b'], ['b', 'c'])
    const access = new RequestAccess({ models: { current: () => current }, now: () => 0, jwt, owner })
    const both = access.authenticate('Tooldex-Narrowed record own shown') as Principal
    const serversNow = () => [
      ...(access.rightsNow({ principal: both, endpoint: endpoint('team') })?.principal.servers ?? ['no rights']),
    ]
    expect([...(both.servers ?? [])]).toEqual(['b'])
    expect(access.authenticate('Tooldex-Narrowed record own shown')).toBe(both)
    expect(serversNow()).toEqual(['b'])
    current = tokens(['a', 'b'], ['a', 'b', 'c', 'd'])
    expect(serversNow()).toEqual(['a', 'b'])
    for (const revoked of ['own', 'shown']) {
      const { tokens: all } = tokens(['a', 'b'], ['b', 'c'])
      current = model({ tokens: new Map([...all].filter(([, { tokenId }]) => tokenId !== revoked)) })
      expect(serversNow()).toEqual(['no rights'])
      expect(() => access.authenticate('Tooldex-Narrowed record own shown')).toThrow(/not valid/)
    }
    current = tokens(['a', 'b'], ['b', 'c'])
    const outside = await access.authenticate('Tooldex-Narrowed record own eyJteam.a.b')
    expect([outside.servers, outside.projects]).toEqual([new Set(['a', 'b']), new Set(['team'])])
    const inside = await access.authenticate('Tooldex-Narrowed record eyJteam.a.b shown')
    expect([inside.tokenId, inside.servers, inside.projects]).toEqual(['shown', new Set(['b', 'c']), new Set(['team'])])
    for (const sender of ['own', 'shown', 'unknown']) {
      expect(() => access.authenticate(`Tooldex-Narrowed ${sender} own shown`)).toThrow(/not valid/)
    }
    const withoutOwner = new RequestAccess({ models: { current: () => current }, now: () => 0 })
    expect(() => withoutOwner.authenticate('Tooldex-Narrowed record own shown')).toThrow(/not valid/)
  })

  it('[R44] a session of a removed endpoint ends with the next sweep, and its requests get 404', async () => {
    let current = model()
    const { ping, url } = await listener({}, { current: () => current })
    const opened = await ping('/team/mcp', 'ours')
    const sessionId = opened.headers.get('mcp-session-id') ?? ''
    await opened.text()
    const stream = await fetch(`${url}/team/mcp`, {
      headers: { authorization: 'Bearer ours', accept: 'text/event-stream', 'mcp-session-id': sessionId },
    })
    expect([stream.status, http?.sessionCount]).toEqual([200, 1])
    current = model({ endpoints: new Map([['default', endpoint('default')]]) })
    expect((await ping('/team/mcp', 'ours')).status).toBe(404)
    http?.sweep()
    expect(http?.sessionCount).toBe(0)
    await stream.text()
  })
})
