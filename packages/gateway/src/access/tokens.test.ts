import { describe, expect, it } from 'vitest'
import { principalOf } from '../catalog/snapshot.case.ts'
import { authenticate, authenticateSecret, createToken, hashToken } from './tokens.ts'

const { secret, hash } = createToken()
const expiring = createToken()
const principal = principalOf()
const model = {
  tokens: new Map([
    [hash, principal],
    [expiring.hash, principalOf({ tokenId: 't2', expiresAt: 1_000 })],
  ]),
}
const codeOf = (header: string | undefined, now = 0): string | undefined => {
  try {
    authenticate(header, model, now)
    return undefined
  } catch (error) {
    return (error as { code?: string }).code
  }
}

describe('tokens', () => {
  it('[R44] are 256 random bits with a prefix, and only the hash is stored', () => {
    expect(secret).toMatch(/^tdx_[A-Za-z0-9_-]{43}$/)
    expect(hash).toMatch(/^[0-9a-f]{64}$/)
    expect(hashToken(secret)).toBe(hash)
    expect(new Set(Array.from({ length: 100 }, () => createToken().secret)).size).toBe(100)
  })

  it('identify the sender of a request', () => {
    expect(authenticate(`Bearer ${secret}`, model, 0)).toBe(principal)
    expect(authenticate(`bearer  ${secret} `, model, 0)).toBe(principal)
    expect(authenticateSecret(secret, model, 0)).toBe(principal)
  })

  it.each([undefined, '', 'Bearer', 'Bearer ', 'Basic abc', `Bearer a b`, `${'x'.repeat(9)}`])(
    '[R40] are missing from the header %j',
    (header) => {
      expect(codeOf(header)).toBe('TOKEN_MISSING')
    },
  )

  it('[R40] are missing if the header is the bare secret', () => {
    expect(codeOf(secret)).toBe('TOKEN_MISSING')
  })

  it('are invalid when unknown, altered, already hashed or too long', () => {
    const altered = secret.slice(0, -1) + (secret.endsWith('A') ? 'B' : 'A')
    for (const wrong of ['x', altered, hash, '__proto__', secret.toUpperCase(), 'x'.repeat(100_000)]) {
      expect(codeOf(`Bearer ${wrong}`)).toBe('TOKEN_INVALID')
    }
  })

  it('[R44] are invalid after expiry and revocation', () => {
    expect(codeOf(`Bearer ${expiring.secret}`, 999)).toBeUndefined()
    expect(codeOf(`Bearer ${expiring.secret}`, 1_000)).toBe('TOKEN_INVALID')
    expect(() => authenticate(`Bearer ${secret}`, { tokens: new Map() }, 0)).toThrow(/revoked/)
  })

  it('never appear in an error', () => {
    for (const wrong of [`Bearer tdx_${'s'.repeat(43)}`, `Basic tdx_${'s'.repeat(43)}`]) {
      try {
        authenticate(wrong, model, 0)
      } catch (error) {
        expect(JSON.stringify([String(error), error])).not.toContain('sss')
      }
    }
  })
})
