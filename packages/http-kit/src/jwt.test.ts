import { SignJWT, UnsecuredJWT } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { type IdentityProvider, NOW, useIdentityProvider } from './identity-provider.case.ts'
import { JwtError, JwtVerifier, type JwtVerifierOptions } from './jwt.ts'

const identityProvider = useIdentityProvider()
let provider: IdentityProvider
let clock: number
beforeEach(() => {
  provider = identityProvider()
  clock = NOW
})

const verifierWith = (more: Partial<JwtVerifierOptions> = {}): JwtVerifier =>
  new JwtVerifier({
    ...{ issuer: provider.issuer, audience: 'tooldex', clockToleranceSeconds: 30, now: () => clock },
    requiredClaims: ['sub'],
    ...more,
  })

async function outcome(jwt: string, verifier = verifierWith()): Promise<string> {
  try {
    await verifier.verify(jwt)
    return 'accepted'
  } catch (error) {
    if (!(error instanceof JwtError)) throw error
    return error.kind
  }
}

describe('JwtVerifier', () => {
  it('returns the claims of a JWT that the issuer signed, with keys that it finds once', async () => {
    const verifier = verifierWith()
    expect(await verifier.verify(await provider.sign({ name: 'Ada' }))).toMatchObject({ sub: 'ada', name: 'Ada' })
    await verifier.verify(await provider.sign())
    expect(provider.fetches).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  it('fetches the keys from a configured URL without discovery', async () => {
    expect(await outcome(await provider.sign(), verifierWith({ jwksUri: provider.jwksUri }))).toBe('accepted')
    expect(provider.fetches).toEqual(['/jwks'])
  })

  it('refuses other issuers, audiences, keys, algorithms and times', async () => {
    const { issuer, foreignKey, keys } = provider
    const sign = (...args: Parameters<IdentityProvider['sign']>) => provider.sign(...args)
    const claims = { iss: issuer, aud: 'tooldex', sub: 'ada', exp: NOW / 1_000 + 300 }
    const bad: [string, Promise<string> | string][] = [
      ['issuer', sign({ iss: 'https://evil.example.org' })],
      ['audience', sign({ aud: 'mail' })],
      ['no audience', sign({ aud: undefined })],
      ['no expiry', sign({ exp: undefined })],
      ['not yet', sign({ nbf: NOW / 1_000 + 60 })],
      ['no subject', sign({ sub: undefined })],
      ['key', sign({}, foreignKey)],
      ['unknown key id', sign({}, foreignKey, { kid: 'unknown' })],
      ['unsigned', new UnsecuredJWT(claims).encode()],
      ['nonsense', 'eyJhbGciOiJub25lIn0.e30.'],
      ['damaged', `${await sign()}x`],
      [
        'shared secret',
        new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: 'one' })
          .sign(new TextEncoder().encode(JSON.stringify(keys[0]))),
      ],
    ]
    for (const [what, jwt] of bad) expect([what, await outcome(await jwt)]).toEqual([what, 'invalid'])
    expect(await outcome(await sign(), verifierWith({ algorithms: ['RS256'] }))).toBe('invalid')
  })

  it('tells an expired JWT from a wrong one, by its signature, issuer and audience', async () => {
    const exp = NOW / 1_000 - 31
    expect(await outcome(await provider.sign({ exp }))).toBe('expired')
    expect(await outcome(await provider.sign({ exp }, provider.foreignKey))).toBe('invalid')
    expect(await outcome(await provider.sign({ exp, aud: 'mail' }))).toBe('invalid')
    expect(await outcome(await provider.sign({ exp, iss: 'https://evil.example.org' }))).toBe('invalid')
  })

  it('tolerates a small difference between clocks', async () => {
    const late = await provider.sign({ exp: NOW / 1_000 - 20 })
    expect(await outcome(late)).toBe('accepted')
    expect(await outcome(late, verifierWith({ clockToleranceSeconds: 0 }))).toBe('expired')
  })

  it('pauses after a failure of the issuer, then tries again', async () => {
    provider.isDown = true
    const verifier = verifierWith()
    expect(await outcome(await provider.sign(), verifier)).toBe('unavailable')
    const asked = provider.fetches.length
    expect(await outcome(await provider.sign(), verifier)).toBe('unavailable')
    expect(provider.fetches).toHaveLength(asked)
    provider.isDown = false
    clock += 10_000
    expect(await outcome(await provider.sign(), verifier)).toBe('accepted')
  })

  it('keeps using known keys while the issuer is down', async () => {
    const verifier = verifierWith()
    await verifier.verify(await provider.sign())
    provider.isDown = true
    expect(await outcome(await provider.sign({ sub: 'new' }), verifier)).toBe('accepted')
    const unknown = await provider.sign({}, provider.foreignKey, { kid: 'unknown' })
    expect(await outcome(unknown, verifier)).toBe('invalid')
  })

  it('refuses metadata of another issuer', async () => {
    const metadata = { issuer: 'https://other.example.org', jwks_uri: provider.jwksUri }
    const liar: typeof fetch = async (url, init) =>
      new Request(url).url === provider.jwksUri ? fetch(url, init) : Response.json(metadata)
    const verifier = verifierWith({ fetch: liar })
    expect(await outcome(await provider.sign(), verifier)).toBe('unavailable')
  })
})
