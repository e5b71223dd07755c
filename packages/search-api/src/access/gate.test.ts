import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { apiWith, post, problem, SECRET, sha256, TOOLS } from '../ask.case.ts'
import type { SearchApi } from '../search-api.ts'

const body = { query: ['file'], tools: TOOLS }
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const codeOf = async (api: SearchApi, token: string, sent: object = body) =>
  (await problem(api, sent, bearer(token))).code

describe('a token', () => {
  const api = apiWith({
    tokens: [
      { sha256: sha256(SECRET), project: 'work' },
      { sha256: sha256('any').toUpperCase(), project: '*' },
      { sha256: sha256('old'), project: 'work', expiresAt: 1_000 },
    ],
    now: () => 1_000,
  })
  afterAll(() => api.close())

  it('must be there', async () => {
    const { status, headers, body: told } = await post(api, body, { headers: { authorization: '' } })
    expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
    expect(told).toMatchObject({ code: 'TOKEN_MISSING', errors: [{ field: 'Authorization' }] })
  })

  it.each([['Basic dXNlcjpwYXNz'], ['Bearer'], [`Bearer ${SECRET} ${SECRET}`], [SECRET]])(
    'is not the header %j',
    async (authorization) => {
      expect((await problem(api, body, { headers: { authorization } })).code).toBe('TOKEN_MISSING')
    },
  )

  it.each([['foreign'], ['old'], [sha256(SECRET)], ['a.b.c'], ['x'.repeat(10_000)]])(
    'that is not ours or has expired is refused: %#',
    async (token) => {
      expect(await codeOf(api, token)).toBe('TOKEN_INVALID')
    },
  )

  it('is asked for before anything of the body is looked at', async () => {
    expect((await problem(api, 'no JSON', bearer('foreign'))).status).toBe(401)
  })

  it('is good for its own project', async () => {
    expect((await post(api, { ...body, projectId: 'work' })).status).toBe(200)
  })

  it('is refused for another project', async () => {
    const told = await problem(api, { ...body, projectId: 'home' })
    expect(told).toMatchObject({ status: 403, code: 'PROJECT_FORBIDDEN', errors: [{ field: 'projectId' }] })
  })

  it('of every project is good for each', async () => {
    expect((await post(api, { ...body, projectId: 'home' }, bearer('any'))).status).toBe(200)
  })

  it('lets nobody in where none is configured', async () => {
    const closed = apiWith({ tokens: [] })
    expect((await problem(closed, body)).code).toBe('TOKEN_INVALID')
    closed.close()
  })
})

describe('a signed token', () => {
  const claims = { project: 'work' }
  let keys: Awaited<ReturnType<typeof generateKeyPair>>
  let strangers: typeof keys
  let issuer: Server
  let isDown = false
  let jwksUrl: string
  let api: SearchApi

  beforeAll(async () => {
    keys = await generateKeyPair('ES256')
    strangers = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'ES256' }
    issuer = createServer((_, res) => {
      res.writeHead(isDown ? 500 : 200, { 'content-type': 'application/json' }).end(JSON.stringify({ keys: [jwk] }))
    })
    await new Promise<void>((resolve) => issuer.listen(0, '127.0.0.1', resolve))
    jwksUrl = `http://127.0.0.1:${(issuer.address() as AddressInfo).port}/jwks`
    api = apiWith({ jwt: { issuer: 'https://issuer.test', audience: 'search', jwksUrl } })
  })
  afterAll(async () => {
    api.close()
    issuer.closeAllConnections()
    await new Promise((resolve) => issuer.close(resolve))
  })

  const sign = (payload: JWTPayload, facts: { audience?: string; expires?: string; key?: CryptoKey } = {}) =>
    new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', kid: 'one' })
      .setIssuer('https://issuer.test')
      .setAudience(facts.audience ?? 'search')
      .setExpirationTime(facts.expires ?? '5m')
      .sign(facts.key ?? keys.privateKey)

  it('is good for the project that it names', async () => {
    const token = await sign(claims)
    expect((await post(api, { ...body, projectId: 'work' }, bearer(token))).status).toBe(200)
    expect(await codeOf(api, token, { ...body, projectId: 'home' })).toBe('PROJECT_FORBIDDEN')
  })

  it('must name a project', async () => {
    expect(await codeOf(api, await sign({}))).toBe('PROJECT_FORBIDDEN')
    expect(await codeOf(api, await sign({ project: ['work'] }))).toBe('PROJECT_FORBIDDEN')
  })

  it('is refused when it is for others, too old, or of somebody else', async () => {
    expect(await codeOf(api, await sign(claims, { audience: 'mail' }))).toBe('TOKEN_INVALID')
    expect(await codeOf(api, await sign(claims, { expires: '-1m' }))).toBe('TOKEN_INVALID')
    expect(await codeOf(api, await sign(claims, { key: strangers.privateKey }))).toBe('TOKEN_INVALID')
  })

  it('is refused unsigned, and with a secret for a key', async () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const payload = { ...claims, iss: 'https://issuer.test', aud: 'search', exp: 9_999_999_999 }
    expect(await codeOf(api, `${part({ alg: 'none' })}.${part(payload)}.x`)).toBe('TOKEN_INVALID')
    const shared = await new SignJWT(payload).setProtectedHeader({ alg: 'HS256', kid: 'one' }).sign(new Uint8Array(32))
    expect(await codeOf(api, shared)).toBe('TOKEN_INVALID')
  })

  it('cannot be checked while its issuer is down', async () => {
    isDown = true
    const fresh = apiWith({ jwt: { issuer: 'https://issuer.test', audience: 'search', jwksUrl } })
    expect(await problem(fresh, body, bearer(await sign(claims)))).toMatchObject({ status: 503, code: 'UNAVAILABLE' })
    expect((await post(fresh, body)).status).toBe(200)
    isDown = false
    fresh.close()
  })
})
