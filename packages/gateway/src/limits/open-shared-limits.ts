import type { RateLimitsConfig } from '@tooldex/contract'
import { MAX_FAILURES, tooManyAttempts } from '../clients/http/guards.ts'
import type { FailedAttempts, SharedLimits } from '../model/shared-limits.ts'
import { Fleet, type FleetParts } from './fleet.ts'
import { Leases } from './leases.ts'
import type { GatewayLimits } from './open-limits.ts'
import { SharedRateLimit } from './shared-rate-limit.ts'

/** What limits of all replicas depend on. */
export interface SharedLimitsParts extends Omit<FleetParts, 'store'> {
  readonly rateLimits: RateLimitsConfig
  readonly store: SharedLimits
}

/** Limits of all replicas together. Nothing is reported before `start`. */
export function openSharedLimits({ rateLimits, store, ...parts }: SharedLimitsParts): GatewayLimits {
  const { addressPerMinute, tokenPerMinute } = rateLimits
  const now = (): number => performance.now()
  const fleet = new Fleet({ store, ...parts })
  const leases = new Leases({ store, now, log: parts.log })
  const opened: SharedRateLimit[] = []
  const shared = (name: string, perMinute: number, failure?: typeof tooManyAttempts): SharedRateLimit => {
    const replicas = (): number => fleet.replicas
    const limit = new SharedRateLimit({ name, perMinute, leases, replicas, now, ...(failure && { failure }) })
    opened.push(limit)
    return limit
  }
  const limit = (name: string, perMinute: number | undefined): GatewayLimits['token'] => {
    if (perMinute === undefined) return () => {}
    const limited = shared(name, perMinute)
    return (key) => limited.take(key)
  }
  const attempts = (name: string): FailedAttempts => {
    const limited = shared(name, MAX_FAILURES, tooManyAttempts)
    return { failed: (address) => limited.take(address) }
  }
  return {
    address: limit('address', addressPerMinute),
    token: limit('token', tokenPerMinute),
    attempts: attempts('attempts'),
    adminAttempts: attempts('admin attempts'),
    share: (key, all) => fleet.share(key, all),
    problems: () => fleet.problems,
    start: () => fleet.start(),
    stop: async () => {
      for (const each of opened) each.close()
      await fleet.stop()
    },
  }
}
