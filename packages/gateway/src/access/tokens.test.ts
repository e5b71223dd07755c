import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { principalOf } from '../catalog/snapshot.case.ts'
import type { Principal } from '../model/principal.ts'
import {
  authenticate,
  authenticateSecret,
  createToken,
  forwardClock,
  hashToken,
  hasExpired,
  sharedRights,
} from './tokens.ts'

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

describe('The clock of expiry', () => {
  it('never goes back: an expired token stays expired when the system time is set back', () => {
    let [system, elapsed] = [1_000_000, 0]
    const now = forwardClock(
      () => system,
      () => elapsed,
    )
    const token = { expiresAt: 1_000_500 }
    elapsed = 600
    system += 600
    expect([now(), hasExpired(token, now())]).toEqual([1_000_600, true])
    system -= 3_600_000
    elapsed += 100
    expect([now(), hasExpired(token, now())]).toEqual([1_000_700, true])
    // Others expire in time, too.
    elapsed += 5_000
    expect(now()).toBe(1_005_700)
    elapsed += 0.75
    expect(now()).toBe(1_005_700)
    // A machine that slept has no elapsed time, but its system time went on.
    system = 9_000_000
    expect(now()).toBe(9_000_000)
  })
})

describe('Rights that two tokens share', () => {
  const ids = fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'c')), { nil: undefined })
  interface Rights {
    readonly projects: string[] | undefined
    readonly servers: string[] | undefined
    readonly readOnly: boolean
    readonly expiresAt: number | undefined
  }
  const token: fc.Arbitrary<Rights> = fc.record({
    projects: ids,
    servers: ids,
    readOnly: fc.boolean(),
    expiresAt: fc.option(fc.nat(), { nil: undefined }),
  })
  const principal = (tokenId: string, { projects, servers, readOnly, expiresAt }: Rights): Principal => ({
    tokenId,
    name: tokenId,
    readOnly,
    ...(projects && { projects: new Set(projects) }),
    ...(servers && { servers: new Set(servers) }),
    ...(expiresAt !== undefined && { expiresAt }),
  })
  const has = (set: ReadonlySet<string> | undefined, id: string) => set === undefined || set.has(id)

  it('[R41] are those that both have, never more', () => {
    fc.assert(
      fc.property(token, token, (first, second) => {
        const [own, shown] = [principal('own', first), principal('shown', second)]
        const both = sharedRights(own, shown)
        expect(both.tokenId).toBe('shown')
        expect(both.readOnly).toBe(own.readOnly || shown.readOnly)
        for (const id of ['a', 'b', 'c']) {
          expect(has(both.projects, id)).toBe(has(own.projects, id) && has(shown.projects, id))
          expect(has(both.servers, id)).toBe(has(own.servers, id) && has(shown.servers, id))
        }
        for (const now of [0, 1, own.expiresAt ?? 0, shown.expiresAt ?? 0]) {
          expect(hasExpired(both, now)).toBe(hasExpired(own, now) || hasExpired(shown, now))
        }
      }),
    )
  })
})

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
    expect(codeOf(`Bearer ${expiring.secret}`, 1_000)).toBe('TOKEN_EXPIRED')
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
