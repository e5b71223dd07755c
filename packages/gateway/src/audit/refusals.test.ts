import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryAuditLog } from './memory-audit-log.case.ts'
import { Refusals } from './refusals.ts'

describe('Refusals', () => {
  let log: MemoryAuditLog
  let refusals: Refusals
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_000 })
    log = new MemoryAuditLog(10_000)
    let ids = 0
    refusals = new Refusals({ audit: log, now: Date.now, newRequestId: () => `r${++ids}`, mostAddresses: 3 })
  })
  afterEach(() => void vi.useRealTimers())
  const probe = (address: string, times = 1, code = 'TOKEN_INVALID'): void => {
    for (let time = 0; time < times; time++) refusals.note({ address, code, transport: 'streamable-http' })
  }
  const told = () => log.entries().map((entry) => (entry.kind === 'refusal' ? [entry.address, entry.count] : []))

  it('[R42] records one entry with a count for many probes of an address', () => {
    probe('10.0.0.1', 500)
    vi.advanceTimersByTime(2_000)
    probe('10.0.0.1', 500)
    expect(log.entries()).toEqual([])
    vi.advanceTimersByTime(4_000)
    expect(log.entries()).toEqual([
      {
        ...{ kind: 'refusal', at: 1_000, lastAt: 3_000, address: '10.0.0.1', count: 1_000, outcome: 'TOKEN_INVALID' },
        ...{ requestId: 'r1', tokenId: '', projectId: '', endpointId: '', durationMs: 0, transport: 'streamable-http' },
      },
    ])
  })

  it('[R42] records an address that goes on every ten minutes only', () => {
    for (let second = 0; second < 3_600; second++) {
      probe('10.0.0.1')
      vi.advanceTimersByTime(1_000)
    }
    expect(log.entries().length).toBeLessThan(8)
    refusals.flush(true)
    expect(told().reduce((sum, [, count]) => sum + Number(count), 0)).toBe(3_600)
  })

  it('[R42] records a window in time when the clock of the system is set back', () => {
    probe('10.0.0.1', 3)
    vi.setSystemTime(Date.now() - 3_600_000)
    vi.advanceTimersByTime(6_000)
    expect(told()).toEqual([['10.0.0.1', 3]])
  })

  it('[R42] counts addresses beyond its bounds together', () => {
    for (let host = 0; host < 200; host++) probe(`10.0.0.${host}`, 2)
    refusals.flush(true)
    expect(told()).toEqual([
      ['10.0.0.0', 2],
      ['10.0.0.1', 2],
      ['10.0.0.2', 2],
      ['other addresses', 394],
    ])
  })

  it('tells codes apart, ignores those that refuse no token, and forgets addresses that are silent', () => {
    probe('a', 1, 'TOKEN_MISSING')
    probe('a', 1, 'TOKEN_INVALID')
    probe('a', 9, 'RATE_LIMITED')
    vi.advanceTimersByTime(6_000)
    expect(log.entries().map(({ outcome }) => outcome)).toEqual(['TOKEN_MISSING', 'TOKEN_INVALID'])
    vi.advanceTimersByTime(3_600_000)
    expect(log.entries()).toHaveLength(2)
    expect(vi.getTimerCount()).toBe(0)
  })
})
