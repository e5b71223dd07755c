import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { AuditEntry, AuditRepository } from '../model/audit.ts'
import { StoreAuditLog, type StoreAuditOptions } from './store-audit-log.ts'

const entry = (requestId: string): AuditEntry => ({
  ...{ kind: 'call', at: 1, requestId, tokenId: 't', projectId: 'p', endpointId: 'e', durationMs: 1, outcome: 'ok' },
  ...{ serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 1 },
})
const numbers = (count: number): string[] => Array.from({ length: count }, (_, at) => String(at))
const unavailable = new GatewayError('STORE_UNAVAILABLE')

/** A repository that fails when the test wants it, also after it has kept the entries. */
class MoodyRepository implements AuditRepository {
  readonly kept: string[] = []
  readonly sizes: number[] = []
  readonly pruned: object[] = []
  before: (entries: readonly AuditEntry[]) => void = () => {}
  after: () => void = () => {}
  readonly #batches = new Set<string>()

  async append(entries: readonly AuditEntry[], batchId = ''): Promise<void> {
    await Promise.resolve()
    this.before(entries)
    if (!this.#batches.has(batchId)) {
      this.#batches.add(batchId)
      this.sizes.push(entries.length)
      this.kept.push(...entries.map(({ requestId }) => requestId))
    }
    this.after()
  }
  async prune(limits: object): Promise<{ removed: number }> {
    this.pruned.push(limits)
    return { removed: 0 }
  }
  page(): never {
    throw new Error('not asked')
  }
  stream(): never {
    throw new Error('not asked')
  }
  chainEnds(): never {
    throw new Error('not asked')
  }
  sums(): never {
    throw new Error('not asked')
  }
  usage(): never {
    throw new Error('not asked')
  }
}

describe('StoreAuditLog', () => {
  let repository: MoodyRepository
  let problems: unknown[]
  let lost: [number, string][]
  const logs: StoreAuditLog[] = []
  beforeEach(() => {
    repository = new MoodyRepository()
    problems = []
    lost = []
  })
  afterEach(async () => {
    repository.before = () => {}
    for (const log of logs.splice(0)) await log.stop()
  })
  const open = (options: Partial<StoreAuditOptions> = {}): StoreAuditLog => {
    const log = new StoreAuditLog({
      repository,
      onProblem: (error) => problems.push(error),
      onLost: (...loss) => lost.push(loss),
      ...options,
    })
    logs.push(log)
    return log
  }

  it('[R42] writes each entry once, in batches and in order', async () => {
    const log = open({ batchSize: 10 })
    for (const id of numbers(25)) log.record(entry(id))
    await log.stop()
    expect(repository.kept).toEqual(numbers(25))
    expect(repository.sizes).toEqual([10, 10, 5])
  })

  it('writes by itself: after a while, or when there is enough for a batch', async () => {
    const log = open({ flushMs: 1, batchSize: 10 })
    log.record(entry('1'))
    await expect.poll(() => repository.kept).toEqual(['1'])
    const patient = open({ flushMs: 1_000_000, batchSize: 2 })
    for (const id of ['2', '3']) patient.record(entry(id))
    await expect.poll(() => repository.kept).toEqual(['1', '2', '3'])
  })

  it('keeps entries while the database does not take them, and reports it once', async () => {
    const log = open({ flushMs: 1 })
    repository.before = () => {
      throw unavailable
    }
    for (const id of numbers(5)) log.record(entry(id))
    await log.flush()
    await log.flush()
    expect(log.backlog()).toEqual({ waiting: 5, lost: 0 })
    expect(problems).toEqual([unavailable])
    repository.before = () => {}
    await expect.poll(() => repository.kept).toEqual(numbers(5))
    expect(lost).toEqual([])
  })

  it('does not write a batch twice whose answer was lost', async () => {
    const log = open({ batchSize: 3 })
    repository.after = () => {
      repository.after = () => {}
      throw unavailable
    }
    for (const id of numbers(7)) log.record(entry(id))
    await log.flush()
    await log.stop()
    expect(repository.kept).toEqual(numbers(7))
  })

  it('drops the oldest beyond its bounds, and reports how many', async () => {
    const log = open({ batchSize: 10, maxQueue: 100 })
    repository.before = () => {
      throw unavailable
    }
    for (const id of numbers(500)) log.record(entry(id))
    expect(log.waiting).toBeLessThanOrEqual(110)
    repository.before = () => {}
    await log.stop()
    const count = lost.reduce((sum, [each]) => sum + each, 0)
    expect(count).toBeGreaterThan(0)
    expect(log.backlog()).toEqual({ waiting: 0, lost: count })
    expect(repository.kept).toHaveLength(500 - count)
    expect(repository.kept.at(-1)).toBe('499')
  })

  it('does not let a refused entry block the others', async () => {
    const log = open({ batchSize: 50 })
    repository.before = (entries) => {
      if (entries.some(({ requestId }) => requestId === '13')) throw new Error('refused')
    }
    for (const id of numbers(40)) log.record(entry(id))
    await log.stop()
    expect(repository.kept).toEqual(numbers(40).filter((id) => id !== '13'))
    expect(lost).toEqual([[1, 'the database refuses the entry']])
    expect(log.backlog()).toEqual({ waiting: 0, lost: 1 })
  })

  it('reports how many it could not write before the end', async () => {
    const log = open({ stopMs: 1 })
    repository.before = () => {
      throw unavailable
    }
    log.record(entry('1'))
    await log.stop()
    expect(lost).toEqual([[1, 'the database did not take them before the end']])
  })

  it('removes what is older or more than it keeps', async () => {
    await open({ keepMs: 10, keepQueriesMs: 3, maxEntries: 7, now: () => 100 }).prune()
    expect(repository.pruned).toEqual([{ before: 90, queriesBefore: 97, maxEntries: 7 }])
  })
})
