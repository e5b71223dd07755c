import { createHmac } from 'node:crypto'
import type { RateLimitsConfig } from '@tooldex/contract'
import { isRecord } from '@tooldex/http-kit/json'
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

/** What each replica may have of its own. In a container the environment gives it, so that it looks like a difference of files. */
const OWN_SETTINGS: ReadonlySet<string> = new Set(['listen', 'dataDir', 'database', 'logLevel', 'telemetry'])
const MARK_LETTERS = 12

/**
 * A hash of the declared settings and entries that replicas should have in common, keyed because they may have secrets: one for
 * each secret key, marked with the key, so that replicas can tell different keys from different files. Made again only if
 * the file was read again, or the keys changed.
 */
export function fileHash(declared: () => unknown, keys: () => readonly Buffer[]): () => string {
  let known: { readonly value: unknown; readonly marks: string; readonly hash: string } | undefined
  return () => {
    const value = declared()
    const marked = keys().map((key) => [hmac(key, 'key').slice(0, MARK_LETTERS), key] as const)
    const marks = marked.map(([mark]) => mark).join()
    if (known === undefined || known.value !== value || known.marks !== marks) {
      const text = canonicalText(isRecord(value) ? inCommon(value) : {})
      known = { value, marks, hash: marked.map(([mark, key]) => `${mark}.${hmac(key, text)}`).join() }
    }
    return known.hash
  }
}

/** How another replica differs by its hash; undefined where it does not. */
export function differenceOf(own: string, other: string): 'file' | 'key' | undefined {
  const hashes = hashesByKey(other)
  const common = [...hashesByKey(own)].find(([mark]) => hashes.has(mark))
  if (common === undefined) return 'key'
  return hashes.get(common[0]) === common[1] ? undefined : 'file'
}

function hashesByKey(hash: string): ReadonlyMap<string, string | undefined> {
  return new Map(hash.split(',').map((part) => part.split('.', 2) as [string, string | undefined]))
}

function hmac(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url')
}

function inCommon(declared: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(declared).filter(([name]) => !OWN_SETTINGS.has(name)))
}
