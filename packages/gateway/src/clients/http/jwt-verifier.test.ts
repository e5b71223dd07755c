import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthConfig } from '@tooldex/contract'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { looksLikeJwt } from '../../access/jwt-principal.ts'
import { GatewayError } from '../../errors.ts'
import { JwtVerifier } from './jwt-verifier.ts'

/** An identity provider on this machine. */
let provider: Server
let issuer: string
let keys: JWK[]
let isDown: boolean
let fetches: string[]
let signing: CryptoKey
let foreign: CryptoKey
const now = Date.parse('2026-11-01T12:00:00Z')
beforeAll(async () => {
  const pair = await generateKeyPair('ES256', { extractable: true })
  signing = pair.privateKey
  foreign = (await generateKeyPair('ES256')).privateKey
  keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }]
  provider = createServer((req, res) => {
    fetches.push(req.url ?? '')
    if (isDown) return void res.writeHead(500).end()
    const body =
      req.url === '/jwks'
        ? { keys }
        : req.url === '/.well-known/openid-configuration'
          ? { issuer, jwks_uri: `${issuer}/jwks` }
          : undefined
    if (body === undefined) return void res.writeHead(404).end()
    res.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`
})
afterAll(() => provider.close())

let verifier: JwtVerifier
let clock: number
const configWith = (over: Partial<AuthConfig> = {}): AuthConfig => ({
  ...{ issuer, audience: 'tooldex', algorithms: ['ES256'], clockToleranceSeconds: 30 },
  ...{ scopePrefix: 'project:', readOnlyScope: 'read-only' },
  ...over,
})
const verifierWith = (over: Partial<AuthConfig> = {}) => new JwtVerifier({ config: configWith(over), now: () => clock })
beforeEach(() => {
  isDown = false
  fetches = []
  clock = now
  verifier = verifierWith()
})

interface Claims {
  readonly [claim: string]: unknown
}

const jwt = (claims: Claims = {}, key: CryptoKey = signing, header = {}): Promise<string> =>
  new SignJWT({
    iss: issuer,
    aud: 'tooldex',
    sub: 'ada',
    exp: now / 1_000 + 300,
    scope: 'openid project:work',
    ...claims,
  })
    .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
    .sign(key)
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work
    return 'accepted'
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    return error.code
  }
}
const refusal = async (token: string, with_ = verifier) => codeOf((async () => with_.verify(token))())

describe('JwtVerifier', () => {
  it('accepts what the issuer signed for us, and knows it again at once', async () => {
    const token = await jwt({ name: 'Ada' })
    expect(looksLikeJwt(token)).toBe(true)
    const principal = await verifier.verify(token)
    expect(principal).toEqual({
      tokenId: 'jwt:ada',
      name: 'Ada',
      projects: new Set(['work']),
      readOnly: false,
      expiresAt: now + 300_000,
    })
    const again = verifier.verify(token)
    expect(again).toBe(principal)
    expect(fetches).toEqual(['/.well-known/openid-configuration', '/jwks'])
  })

  it('refuses other issuers, audiences, keys, algorithms and times', async () => {
    const bad: [string, Promise<string> | string][] = [
      ['issuer', jwt({ iss: 'https://evil.example.org' })],
      ['audience', jwt({ aud: 'somebody-else' })],
      ['no audience', jwt({ aud: undefined })],
      ['expired', jwt({ exp: now / 1_000 - 31 })],
      ['no expiry', jwt({ exp: undefined })],
      ['not yet', jwt({ nbf: now / 1_000 + 60 })],
      ['no subject', jwt({ sub: undefined })],
      ['key', jwt({}, foreign)],
      ['unsigned', new UnsecuredJWT({ iss: issuer, aud: 'tooldex', sub: 'ada', exp: now / 1_000 + 300 }).encode()],
      ['nonsense', 'eyJhbGciOiJub25lIn0.e30.'],
      ['damaged', `${await jwt()}x`],
      ['too long', `eyJ.${'x'.repeat(20_000)}.y`],
    ]
    for (const [what, token] of bad) expect([what, await refusal(await token)]).toEqual([what, 'TOKEN_INVALID'])
    const secret = new TextEncoder().encode(JSON.stringify(keys[0]))
    const confused = await new SignJWT({ iss: issuer, aud: 'tooldex', sub: 'a', exp: now / 1_000 + 300 })
      .setProtectedHeader({ alg: 'HS256', kid: 'one' })
      .sign(secret)
    expect(await refusal(confused)).toBe('TOKEN_INVALID')
    expect(await refusal(await jwt(), verifierWith({ algorithms: ['RS256'] }))).toBe('TOKEN_INVALID')
  })

  it('lets clocks differ a little, and forgets a JWT when it expires', async () => {
    expect(await refusal(await jwt({ exp: now / 1_000 - 20 }))).toBe('accepted')
    const token = await jwt()
    await verifier.verify(token)
    clock = now + 331_000
    expect(await refusal(token)).toBe('TOKEN_INVALID')
  })

  it('never gives more than the claims say: no project, nothing', async () => {
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

  it('says that the issuer is away, pauses, and goes on when it is back; what is known goes on meanwhile', async () => {
    const known = await jwt({ sub: 'known' })
    await verifier.verify(known)
    isDown = true
    const fresh = verifierWith()
    expect(await refusal(await jwt(), fresh)).toBe('ISSUER_UNAVAILABLE')
    const asked = fetches.length
    expect(await refusal(await jwt({ sub: 'eve' }), fresh)).toBe('ISSUER_UNAVAILABLE')
    expect(fetches).toHaveLength(asked)
    expect(await refusal(known)).toBe('accepted')
    expect(await refusal(await jwt({ sub: 'new, with a known key' }))).toBe('accepted')
    expect(await refusal(await jwt({}, foreign, { kid: 'unheard of' }))).toBe('TOKEN_INVALID')
    isDown = false
    clock += 10_000
    expect(await refusal(await jwt(), fresh)).toBe('accepted')
  })

  it('does not take metadata of another issuer', async () => {
    const liar = new JwtVerifier({
      config: configWith(),
      now: () => clock,
      fetch: async () => Response.json({ issuer: 'https://other.example.org', jwks_uri: `${issuer}/jwks` }),
    })
    expect(await refusal(await jwt(), liar)).toBe('ISSUER_UNAVAILABLE')
  })
})
