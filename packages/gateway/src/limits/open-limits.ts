import { createHmac } from 'node:crypto'
import type { RateLimitsConfig } from '@tooldex/contract'
import { RateLimit } from '../access/rate-limit.ts'
import { canonicalText } from '../model/canonical-json.ts'
import type { FailedAttempts } from '../model/shared-limits.ts'

/** The limits of a gateway; with a shared store, those of all its replicas together. */
export interface GatewayLimits {
  /** Counts a request. @throws GatewayError RATE_LIMITED, also as a rejection */
  readonly address: (address: string) => void | Promise<void>
  readonly token: (tokenId: string) => void | Promise<void>
  /** Count wrong tokens of endpoints and of the admin API; absent where each replica counts its own. */
  readonly attempts?: FailedAttempts
  readonly adminAttempts?: FailedAttempts
  /** How much of a limit on what is open this replica may use. */
  readonly share: (key: string, limit: number) => number
  /** How replicas differ that should be alike, one sentence each. */
  readonly problems: () => readonly string[]
  readonly start: () => void
  readonly stop: () => Promise<void>
}

/** Limits of this process alone. */
export function openLimits({ addressPerMinute, tokenPerMinute }: RateLimitsConfig): GatewayLimits {
  const limit = (perMinute: number | undefined): GatewayLimits['token'] => {
    if (perMinute === undefined) return () => {}
    const limited = new RateLimit(perMinute, () => performance.now())
    return (key) => limited.take(key)
  }
  return {
    ...{ address: limit(addressPerMinute), token: limit(tokenPerMinute) },
    ...{ share: (_, all) => all, problems: () => [], start: () => {}, stop: async () => {} },
  }
}

/** Tokens with fewer sessions are not told to other replicas: there may be thousands of them. */
const FEW_SESSIONS = 10

/** What this replica has open that counts towards limits of all replicas. */
export function openCounts(
  servers: readonly { readonly definition: { readonly id: string }; readonly sharedCalls: number }[],
  sessionsPerToken: ReadonlyMap<string, number> = new Map(),
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const { definition, sharedCalls } of servers)
    if (sharedCalls > 0) counts.set(`calls ${definition.id}`, sharedCalls)
  for (const [id, count] of sessionsPerToken) if (count >= FEW_SESSIONS) counts.set(`sessions ${id}`, count)
  return counts
}

/** A hash of the declared entries, keyed because they may have secrets. Made again only if the file was read again. */
export function fileHash(declared: () => unknown, key: () => Buffer | undefined): () => string {
  let known: { readonly value: unknown; readonly hash: string } | undefined
  return () => {
    const value = declared()
    if (known === undefined || known.value !== value) {
      const hash = createHmac('sha256', key() ?? '')
        .update(canonicalText(value ?? {}))
        .digest('base64url')
      known = { value, hash }
    }
    return known.hash
  }
}
