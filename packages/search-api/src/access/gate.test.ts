import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type IdentityProvider, NOW, useIdentityProvider } from '../../../http-kit/src/identity-provider.case.ts'
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

  it('is required', async () => {
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
    'that is unknown or has expired is refused: %#',
    async (token) => {
      expect(await codeOf(api, token)).toBe('TOKEN_INVALID')
    },
  )

  it('is checked before the body', async () => {
    expect((await problem(api, 'no JSON', bearer('foreign'))).status).toBe(401)
  })

  it('is valid for its own project', async () => {
    expect((await post(api, { ...body, projectId: 'work' })).status).toBe(200)
  })

  it('is refused for another project', async () => {
    const told = await problem(api, { ...body, projectId: 'home' })
    expect(told).toMatchObject({ status: 403, code: 'PROJECT_FORBIDDEN', errors: [{ field: 'projectId' }] })
  })

  it('for all projects is valid for each', async () => {
    expect((await post(api, { ...body, projectId: 'home' }, bearer('any'))).status).toBe(200)
  })

  it('is always refused if none is configured', async () => {
    const closed = apiWith({ tokens: [] })
    expect((await problem(closed, body)).code).toBe('TOKEN_INVALID')
    await closed.close()
  })
})

describe('a JWT', () => {
  const identityProvider = useIdentityProvider()
  let provider: IdentityProvider
  let api: SearchApi
  beforeAll(() => {
    provider = identityProvider()
    api = apiTrusting(provider)
  })
  afterAll(() => api.close())

  const apiTrusting = ({ issuer, jwksUri: jwksUrl }: IdentityProvider): SearchApi =>
    apiWith({ jwt: { issuer, audience: 'tooldex', jwksUrl }, now: () => NOW })

  it('is valid for the project that it names', async () => {
    const token = await provider.sign({ project: 'work' })
    expect((await post(api, { ...body, projectId: 'work' }, bearer(token))).status).toBe(200)
    expect(await codeOf(api, token, { ...body, projectId: 'home' })).toBe('PROJECT_FORBIDDEN')
  })

  it('must name a project', async () => {
    expect(await codeOf(api, await provider.sign())).toBe('PROJECT_FORBIDDEN')
    expect(await codeOf(api, await provider.sign({ project: ['work'] }))).toBe('PROJECT_FORBIDDEN')
  })

  it('is refused with another audience, expiry or key', async () => {
    const project = 'work'
    expect(await codeOf(api, await provider.sign({ project, aud: 'mail' }))).toBe('TOKEN_INVALID')
    expect(await codeOf(api, await provider.sign({ project, exp: NOW / 1_000 - 1 }))).toBe('TOKEN_INVALID')
    expect(await codeOf(api, await provider.sign({ project }, provider.foreignKey))).toBe('TOKEN_INVALID')
  })

  it('is answered with 503 while its issuer is down; other tokens work meanwhile', async () => {
    provider.isDown = true
    const fresh = apiTrusting(provider)
    const { status, headers, body: told } = await post(fresh, body, bearer(await provider.sign({ project: 'work' })))
    expect([status, headers.get('retry-after')]).toEqual([503, '5'])
    expect(told).toMatchObject({ code: 'UNAVAILABLE' })
    expect((await post(fresh, body)).status).toBe(200)
    await fresh.close()
  })
})
