import { randomUUID } from 'node:crypto'
import { GatewayError } from '../../errors.ts'
import { type ContextCosts, sumByClient } from '../../exposure/context-costs.ts'
import type { CostRepository } from '../../model/store.ts'
import type { ClientCost } from '../../model/context-cost.ts'

/** Where costs are counted and kept, and for how long. */
export interface CostLedgerOptions {
  readonly counted: Pick<ContextCosts, 'all' | 'take'>
  readonly repository: CostRepository
  readonly now: () => number
  /** Older days are removed. */
  readonly keepMs: () => number
  /** How long costs wait for company, in milliseconds. */
  readonly flushMs?: number
  /** Told once when writing begins to fail, and again only after it worked in between. */
  readonly onProblem?: (error: unknown) => void
}

/** What clients loaded in all, and since when that is known. */
export interface CostTotals {
  readonly since: number
  readonly costs: readonly ClientCost[]
}

/** What was sent and not confirmed; its id lets the repository know it again. */
interface Batch {
  readonly id: string
  readonly at: number
  readonly costs: readonly ClientCost[]
}

/** Client names are what anybody says: on one day no more of them get rows of their own. */
const MOST_NAMES_A_DAY = 1_000
const DAY_MS = 24 * 60 * 60 * 1_000

/**
 * Hands what was counted to a repository now and then, off the path of requests, and tells the sums of this life and of
 * earlier ones. A database that is away fails nobody: what waits are sums, which do not grow with the number of requests.
 */
export class CostLedger {
  readonly #options: Required<CostLedgerOptions>
  readonly #startedAt: number
  readonly #timer: NodeJS.Timeout
  /** What is kept, as it was last read, with what was written since. */
  #kept: readonly ClientCost[] = []
  #since: number | undefined
  #batch: Batch | undefined
  #today = { day: 0, names: new Set<string>() }
  #prunedOn: number | undefined
  #isFailing = false
  /** One thing at a time: what is being written must not be read, or it would count twice or not at all. */
  #turn: Promise<unknown> = Promise.resolve()

  constructor(options: CostLedgerOptions) {
    this.#options = { flushMs: 5_000, onProblem: () => {}, ...options }
    this.#startedAt = options.now()
    this.#timer = setInterval(() => void this.flush(), this.#options.flushMs).unref()
  }

  /** Writes what was counted, as far as the database takes it. Never throws. */
  flush(): Promise<boolean> {
    return this.#inTurn(() => this.#write())
  }

  /** Everything that is known. Never throws: what cannot be read now is as it was read last. */
  totals(): Promise<CostTotals> {
    return this.#inTurn(async () => {
      if (await this.#write()) await this.#read()
      const waiting = this.#batch?.costs ?? []
      const costs = sumByClient([...this.#kept, ...waiting, ...this.#options.counted.all()])
      return { since: Math.min(this.#since ?? this.#startedAt, this.#startedAt), costs }
    })
  }

  /** Writes what was counted, if it can be, and nothing more afterwards. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.flush()
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => {})
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
        this.#tell(error)
        if (isPassing(error)) return false
        // It is about the costs: the database would never take them. They count until the program ends.
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
      this.#tell(error)
    }
  }

  /** Once a day, and only by those who have something to keep. */
  async #prune(at: number): Promise<void> {
    const day = Math.floor(at / DAY_MS)
    if (this.#prunedOn === day) return
    this.#prunedOn = day
    await this.#options.repository.prune(at - this.#options.keepMs()).catch((error: unknown) => this.#tell(error))
  }

  #nextBatch(): Batch | undefined {
    const counted = this.#options.counted.take()
    if (counted.length === 0) return undefined
    const at = this.#options.now()
    return { id: randomUUID(), at, costs: sumByClient(counted.map((each) => this.#withFewNames(each, at))) }
  }

  /** What comes under too many names is counted without them. */
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

  #tell(error: unknown): void {
    if (!this.#isFailing) this.#options.onProblem(error)
    this.#isFailing = true
  }
}

/** It is about the database, which may take them later. */
function isPassing(error: unknown): boolean {
  return error instanceof GatewayError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_CORRUPT')
}
