import type { AuthConfig } from '@tooldex/contract'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  type Claims,
  type IdentityProvider,
  NOW,
  useIdentityProvider,
} from '../../../../http-kit/src/identity-provider.case.ts'
import { looksLikeJwt } from '../../access/jwt-principal.ts'
import { GatewayError } from '../../errors.ts'
import { JwtVerifier } from './jwt-verifier.ts'

const identityProvider = useIdentityProvider()
let provider: IdentityProvider
let verifier: JwtVerifier
let clock: number
beforeEach(() => {
  provider = identityProvider()
  clock = NOW
  verifier = verifierWith()
})

const verifierWith = (over: Partial<AuthConfig> = {}): JwtVerifier => {
  const config: AuthConfig = {
    ...{ issuer: provider.issuer, audience: 'tooldex', algorithms: ['ES256'], clockToleranceSeconds: 30 },
    ...{ scopePrefix: 'project:', readOnlyScope: 'read-only' },
    ...over,
  }
  return new JwtVerifier({ config, now: () => clock })
}
const jwt = (claims: Claims = {}): Promise<string> => provider.sign({ scope: 'openid project:work', ...claims })
const refusal = async (token: string, by = verifier): Promise<string> => {
  try {
    await by.verify(token)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.code
  }
}

describe('JwtVerifier', () => {
  it('makes a principal of a JWT, and returns it synchronously the second time', async () => {
    const token = await jwt({ name: 'Ada' })
    expect(looksLikeJwt(token)).toBe(true)
    const principal = await verifier.verify(token)
    expect(principal).toEqual({
      tokenId: 'jwt:ada',
      name: 'Ada',
      projects: new Set(['work']),
      readOnly: false,
      expiresAt: NOW + 300_000,
    })
    expect(verifier.verify(token)).toBe(principal)
    expect(provider.fetches).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  it('compares subjects whole, and refuses one that is too long to keep', async () => {
    const long = 'x'.repeat(250)
    const [a, b] = [
      await verifier.verify(await jwt({ sub: `${long}A` })),
      await verifier.verify(await jwt({ sub: `${long}B` })),
    ]
    expect([a.tokenId, b.tokenId]).toEqual([`jwt:${long}A`, `jwt:${long}B`])
    expect(await refusal(await jwt({ sub: 'é'.repeat(501) }))).toBe('TOKEN_INVALID')
  })

  it('refuses invalid JWTs and those that are too long', async () => {
    expect(await refusal(await jwt({ aud: 'mail' }))).toBe('TOKEN_INVALID')
    expect(await refusal(await jwt({ sub: undefined }))).toBe('TOKEN_INVALID')
    expect(await refusal(await jwt(), verifierWith({ algorithms: ['RS256'] }))).toBe('TOKEN_INVALID')
    expect(await refusal(`eyJ.${'x'.repeat(20_000)}.y`)).toBe('TOKEN_INVALID')
  })

  it('forgets a JWT when it expires, with the configured tolerance', async () => {
    const token = await jwt()
    await verifier.verify(token)
    clock = NOW + 329_000
    expect(await refusal(token)).toBe('accepted')
    clock = NOW + 331_000
    expect(await refusal(token)).toBe('TOKEN_EXPIRED')
    expect(await refusal(await jwt({ exp: NOW / 1_000 }))).toBe('TOKEN_EXPIRED')
  })

  it('grants no more than the claims name: without a project, nothing', async () => {
    const projects = async (claims: Claims, over = {}) => [
      ...((await verifierWith(over).verify(await jwt(claims))).projects ?? ['everything']),
    ]
    expect(await projects({ scope: 'openid' })).toEqual([])
    expect(await projects({ scope: undefined })).toEqual([])
    expect(await projects({ scope: 'project:' })).toEqual([])
    expect(await projects({ scope: undefined, scp: ['project:a', 7, 'b'] })).toEqual(['a'])
    expect(await projects({ scope: '', groups: ['x', 'y'] }, { projectsClaim: 'groups' })).toEqual(['x', 'y'])
    expect(await projects({ scope: '', groups: 'x' }, { projectsClaim: 'groups' })).toEqual([])
    expect((await verifierWith().verify(await jwt({ scope: 'read-only project:a' }))).readOnly).toBe(true)
  })

  it('reports an unavailable issuer while known JWTs stay valid', async () => {
    const known = await jwt({ sub: 'known' })
    await verifier.verify(known)
    provider.isDown = true
    const fresh = verifierWith()
    expect(await refusal(await jwt(), fresh)).toBe('ISSUER_UNAVAILABLE')
    expect(await refusal(known)).toBe('accepted')
    provider.isDown = false
    clock += 10_000
    expect(await refusal(await jwt(), fresh)).toBe('accepted')
  })
})
