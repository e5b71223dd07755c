// An identity provider on the loopback interface: metadata, keys and JWTs.
import { createServer } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { drainServer, listen } from './server.ts'

/** The time at which JWTs are made, in epoch milliseconds. */
export const NOW = Date.parse('2026-11-01T12:00:00Z')

/** Claims that differ from the usual ones; undefined leaves one out. */
export interface Claims {
  readonly [claim: string]: unknown
}

/** A running identity provider. */
export interface IdentityProvider {
  readonly issuer: string
  readonly jwksUri: string
  readonly keys: readonly JWK[]
  /** A key that the provider does not publish. */
  readonly foreignKey: CryptoKey
  /** The paths of all requests, in order. */
  readonly fetches: string[]
  /** Answers with 500 while it is set. */
  isDown: boolean
  /** A JWT for the audience `tooldex`, valid for five minutes. */
  sign(claims?: Claims, key?: CryptoKey, header?: object): Promise<string>
  close(): Promise<void>
}

/** A provider for the tests of a file, reachable again and without recorded requests before each. */
export function useIdentityProvider(): () => IdentityProvider {
  let provider: IdentityProvider
  beforeAll(async () => {
    provider = await startIdentityProvider()
  })
  beforeEach(() => {
    provider.isDown = false
    provider.fetches.length = 0
  })
  afterAll(() => provider.close())
  return () => provider
}

async function startIdentityProvider(): Promise<IdentityProvider> {
  const pair = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }]
  const foreignKey = (await generateKeyPair('ES256')).privateKey
  const server = createServer((req, res) => {
    provider.fetches.push(req.url ?? '')
    if (provider.isDown) return void res.writeHead(500).end()
    const body = pages.get(req.url)
    if (body === undefined) return void res.writeHead(404).end()
    res.setHeader('content-type', 'application/json').end(JSON.stringify(body))
  })
  const { url: issuer } = await listen(server, '127.0.0.1', 0)
  const jwksUri = `${issuer}/jwks`
  const pages = new Map<string | undefined, object>([
    ['/jwks', { keys }],
    ['/.well-known/openid-configuration', { issuer, jwks_uri: jwksUri }],
  ])
  const provider: IdentityProvider = {
    ...{ issuer, jwksUri, keys, foreignKey, fetches: [], isDown: false },
    sign: (claims = {}, key = pair.privateKey, header = {}) =>
      new SignJWT({ iss: issuer, aud: 'tooldex', sub: 'ada', exp: NOW / 1_000 + 300, ...claims })
        .setProtectedHeader({ alg: 'ES256', kid: 'one', ...header })
        .sign(key),
    close: () => drainServer(server, 0),
  }
  return provider
}
