import { randomUUID } from 'node:crypto'
import { GatewayError } from '../../errors.ts'
import { type ContextCosts, sumByClient } from '../../exposure/context-costs.ts'
import type { ClientCost } from '../../model/context-cost.ts'
import type { CostRepository, Store } from '../../model/store.ts'
import { type AuditLimits, auditLimitsOf } from './settings.ts'

/** The dependencies and limits of {@link CostLedger}. */
export interface CostLedgerOptions {
  readonly counted: Pick<ContextCosts, 'all' | 'take'>
  readonly repository: CostRepository
  readonly now: () => number
  /** Days older than this are removed. */
  readonly keepMs: () => number
  /** The interval between writes, in milliseconds. */
  readonly flushMs?: number
  /** Called when writing begins to fail, not for every failure. */
  readonly onProblem?: (error: unknown) => void
}

/** The costs of all clients, and since when they were counted. */
export interface CostTotals {
  readonly since: number
  readonly costs: readonly ClientCost[]
}

/** A batch that is not confirmed yet. The repository recognises its id when it is sent again. */
interface Batch {
  readonly id: string
  readonly at: number
  readonly costs: readonly ClientCost[]
}

/** Clients choose their names freely, so only this many names a day get rows of their own. */
const MOST_NAMES_A_DAY = 1_000
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Writes counted costs to a repository at intervals, outside the request path, and sums up this run and previous runs.
 * While the database is unavailable, sums wait in memory; they do not grow with the number of requests.
 */
export class CostLedger {
  readonly #options: Required<CostLedgerOptions>
  readonly #startedAt: number
  readonly #timer: NodeJS.Timeout
  /** The stored costs as last read, plus those written since. */
  #kept: readonly ClientCost[] = []
  #since: number | undefined
  #batch: Batch | undefined
  #today = { day: 0, names: new Set<string>() }
  #prunedOn: number | undefined
  #isFailing = false
  /** Serialises reads and writes: costs read during a write would count twice or not at all. */
  #lastTask: Promise<unknown> = Promise.resolve()

  constructor(options: CostLedgerOptions) {
    this.#options = { flushMs: 5_000, onProblem: () => {}, ...options }
    this.#startedAt = options.now()
    this.#timer = setInterval(() => void this.flush(), this.#options.flushMs).unref()
  }

  /** Writes counted costs. Never throws; resolves to whether all were written. */
  flush(): Promise<boolean> {
    return this.#serialise(() => this.#write())
  }

  /** All costs. Never throws: if the database cannot be read, uses the stored costs as last read. */
  totals(): Promise<CostTotals> {
    return this.#serialise(async () => {
      if (await this.#write()) await this.#read()
      const waiting = this.#batch?.costs ?? []
      const costs = sumByClient([...this.#kept, ...waiting, ...this.#options.counted.all()])
      return { since: Math.min(this.#since ?? this.#startedAt, this.#startedAt), costs }
    })
  }

  /** Writes counted costs a last time. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  #serialise<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#lastTask.then(work)
    this.#lastTask = done.catch(() => {})
    return done
  }

  async #write(): Promise<boolean> {
    for (;;) {
      this.#batch ??= this.#nextBatch()
      if (this.#batch === undefined) return true
      const { id, at, costs } = this.#batch
      try {
        await this.#options.repository.add(costs, at, id)
        this.#isFailing = false
        this.#confirm(costs)
        await this.#prune(at)
      } catch (error) {
        this.#report(error)
        if (isTransient(error)) return false
        // The database will never accept these costs. They count until the program ends.
        this.#confirm(costs)
      }
    }
  }

  #confirm(costs: readonly ClientCost[]): void {
    this.#kept = sumByClient([...this.#kept, ...costs])
    this.#batch = undefined
  }

  async #read(): Promise<void> {
    try {
      const { since, costs } = await this.#options.repository.sums()
      this.#kept = costs
      this.#since = since
    } catch (error) {
      this.#report(error)
    }
  }

  /** Prunes once a day, after a write. */
  async #prune(at: number): Promise<void> {
    const day = Math.floor(at / DAY_MS)
    if (this.#prunedOn === day) return
    this.#prunedOn = day
    await this.#options.repository.prune(at - this.#options.keepMs()).catch((error: unknown) => this.#report(error))
  }

  #nextBatch(): Batch | undefined {
    const counted = this.#options.counted.take()
    if (counted.length === 0) return undefined
    const at = this.#options.now()
    return { id: randomUUID(), at, costs: sumByClient(counted.map((each) => this.#withFewNames(each, at))) }
  }

  /** Drops the client name beyond the daily limit of names. */
  #withFewNames(cost: ClientCost, at: number): ClientCost {
    const { clientName, ...client } = cost.client
    if (clientName === undefined) return cost
    const day = Math.floor(at / DAY_MS)
    if (this.#today.day !== day) this.#today = { day, names: new Set() }
    const { names } = this.#today
    const name = JSON.stringify([client.endpointId, client.projectId, client.tokenId, clientName])
    if (!names.has(name) && names.size >= MOST_NAMES_A_DAY) return { ...cost, client }
    names.add(name)
    return cost
  }

  #report(error: unknown): void {
    if (!this.#isFailing) this.#options.onProblem(error)
    this.#isFailing = true
  }
}

/** Whether the database failed and may accept the costs later. */
function isTransient(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_CORRUPT')
}

/** Stores the counted context costs for as long as audit entries are kept. */
export function costLedger(
  store: Pick<Store, 'costs' | 'current'>,
  counted: ContextCosts,
  ofFile: AuditLimits,
  log: { warn(facts: object, message: string): void },
): CostLedger {
  return new CostLedger({
    counted,
    repository: store.costs,
    now: Date.now,
    keepMs: () => auditLimitsOf(store.current(), ofFile).keepDays * DAY_MS,
    onProblem: (err) => log.warn({ err }, 'cannot store context costs; they stay in memory until the next attempt'),
  })
}
