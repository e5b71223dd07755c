import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { AskedLease, Lease } from '../model/shared-limits.ts'
import { Leases } from './leases.ts'
import { SharedRateLimit } from './shared-rate-limit.ts'

/** A database that grants what a bucket has, and can be away or silent on purpose. */
class Bucket {
  tokens: number
  state: 'there' | 'away' | 'silent' = 'there'
  asked = 0
  readonly #perMinute: number

  constructor(perMinute: number) {
    this.#perMinute = perMinute
    this.tokens = perMinute
  }

  async lease(asked: readonly AskedLease[]): Promise<readonly Lease[]> {
    this.asked += 1
    if (this.state === 'silent') await new Promise(() => {})
    if (this.state === 'away') throw new GatewayError('STORE_UNAVAILABLE')
    return asked.map(({ key, wanted, returned }) => {
      this.tokens = Math.min(this.#perMinute, this.tokens + returned)
      const granted = Math.min(wanted, Math.floor(this.tokens))
      this.tokens -= granted
      return { key, granted, nextMs: Math.max(0, 1 - this.tokens) * (60_000 / this.#perMinute) }
    })
  }
}

const opened: SharedRateLimit[] = []
afterEach(() => {
  for (const limit of opened.splice(0)) limit.close()
})

const warned: string[] = []
let now = 0
function replica(bucket: Bucket, perMinute: number, replicas = 3): SharedRateLimit {
  const clock = (): number => now
  const log = { warn: (_: object, message: string) => void warned.push(message) }
  const leases = new Leases({ store: bucket, now: clock, log, waitMs: 30 })
  const limit = new SharedRateLimit({ name: 'token', perMinute, leases, replicas: () => replicas, now: clock })
  opened.push(limit)
  return limit
}

async function passes(limit: SharedRateLimit, key = 'a'): Promise<boolean> {
  try {
    await limit.take(key)
    return true
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'RATE_LIMITED') return false
    throw error
  }
}

describe('SharedRateLimit', () => {
  it('lets as many pass on three replicas as on one, in a burst and one after another', async () => {
    for (const isBurst of [true, false]) {
      const bucket = new Bucket(30)
      const replicas = [1, 2, 3].map(() => replica(bucket, 30))
      const outcomes: boolean[] = []
      const tries = Array.from({ length: 100 }, (_, at) => async () => {
        const limit = replicas[at % 3]
        if (limit !== undefined) outcomes.push(await passes(limit))
      })
      if (isBurst) await Promise.all(tries.map((each) => each()))
      else for (const each of tries) await each()
      expect([isBurst, outcomes.filter(Boolean).length]).toEqual([isBurst, 30])
      expect(bucket.asked).toBeLessThan(40)
    }
  })

  it('asks ahead, so that steady requests do not wait', async () => {
    const bucket = new Bucket(600)
    const limit = replica(bucket, 600)
    await limit.take('a')
    for (let request = 0; request < 300; request++) {
      expect(limit.take('a')).toBeUndefined()
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(bucket.asked).toBeLessThan(10)
  })

  it('refuses without asking while the bucket is empty, with the seconds to wait', async () => {
    const bucket = new Bucket(6)
    const limit = replica(bucket, 6)
    for (let request = 0; request < 6; request++) await limit.take('a')
    expect(await passes(limit)).toBe(false)
    const { asked } = bucket
    expect(() => limit.take('a')).toThrow(
      expect.objectContaining({ details: expect.objectContaining({ retryAfter: 10 }) }),
    )
    expect(bucket.asked).toBe(asked)
    now += 10_000
    bucket.tokens = 1
    expect([await passes(limit), await passes(limit)]).toEqual([true, false])
  })

  it('goes on with its share while the database is away, and waits for it once at most', async () => {
    for (const state of ['away', 'silent'] as const) {
      const bucket = new Bucket(30)
      bucket.state = state
      const limit = replica(bucket, 30)
      warned.length = 0
      expect(await passes(limit)).toBe(true)
      const others = Array.from({ length: 30 }, () => {
        try {
          return limit.take('a') === undefined
        } catch {
          return false
        }
      })
      expect([state, others.filter(Boolean).length]).toEqual([state, 9])
      expect(warned).toHaveLength(1)
    }
  })

  it('shares again when the database is back', async () => {
    const bucket = new Bucket(30)
    bucket.state = 'away'
    const limit = replica(bucket, 30)
    await limit.take('a')
    bucket.state = 'there'
    now += 1_000
    await limit.take('a')
    await new Promise((resolve) => setImmediate(resolve))
    const before = bucket.tokens
    await limit.take('a')
    expect(bucket.tokens).toBeLessThan(before)
  })

  it('never lets more pass than the bucket had, whatever the order of requests and keys', async () => {
    const request = fc.record({ replica: fc.nat({ max: 2 }), burst: fc.integer({ min: 1, max: 8 }) })
    await fc.assert(
      fc.asyncProperty(
        fc.array(request, { maxLength: 30 }),
        fc.integer({ min: 1, max: 40 }),
        async (requests, most) => {
          const bucket = new Bucket(most)
          const replicas = [0, 1, 2].map(() => replica(bucket, most))
          let passed = 0
          let sent = 0
          for (const { replica: at, burst } of requests) {
            const outcomes = await Promise.all(
              Array.from({ length: burst }, async () => replicas[at] && passes(replicas[at])),
            )
            passed += outcomes.filter((each) => each === true).length
            sent += burst
          }
          expect(passed).toBeLessThanOrEqual(most)
          // A tenth of the limit may be in the hands of each other replica.
          expect(passed).toBeGreaterThanOrEqual(Math.min(sent, most - 2 * Math.ceil(most / 10)))
        },
      ),
    )
  })
})
