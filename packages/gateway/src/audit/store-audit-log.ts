import { randomUUID } from 'node:crypto'
import { GatewayError } from '../errors.ts'
import type { AuditBacklog, AuditEntry, AuditLog, AuditRepository } from '../model/audit.ts'

/** The repository of the log and its limits. */
export interface StoreAuditOptions {
  readonly repository: AuditRepository
  readonly now?: () => number
  /** How long entries wait for a batch, in milliseconds. */
  readonly flushMs?: number
  /** How many are written at once. */
  readonly batchSize?: number
  /** The most entries that wait for the database; beyond it the oldest are dropped. */
  readonly maxQueue?: number
  /** Older entries are removed. A function is called with every pruning. */
  readonly keepMs?: number | (() => number)
  /** Older texts of searches are removed. */
  readonly keepQueriesMs?: number
  /** Beyond this number the oldest are removed. */
  readonly maxEntries?: number | (() => number)
  /** How long `stop` tries to write the waiting entries. */
  readonly stopMs?: number
  /** Called once when writing begins to fail, and again only after it worked in between. */
  readonly onProblem?: (error: unknown) => void
  /** Called with the number of lost entries and the reason. */
  readonly onLost?: (lost: number, reason: string) => void
}

interface Batch {
  readonly id: string
  readonly entries: readonly AuditEntry[]
}

const LONGEST_PAUSE_MS = 1_000
const PRUNE_MS = 10 * 60 * 1_000

/**
 * Writes entries to a repository in batches, in the background. A locked, full or unavailable database fails no request and
 * loses nothing until the queue is full. A killed process loses the waiting entries: at most `flushMs` of them.
 */
export class StoreAuditLog implements AuditLog {
  readonly #options: Required<StoreAuditOptions>
  #queue: AuditEntry[] = []
  /** Sent but unconfirmed batches; by their id the repository recognises a repetition. */
  #batches: Batch[] = []
  #dropped = 0
  /** Of these, `#dropped` are not reported yet. */
  #lost = 0
  #isFailing = false
  #pauseMs = 0
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #pruning: Promise<void> | undefined
  readonly #pruneTimer: NodeJS.Timeout

  constructor(options: StoreAuditOptions) {
    this.#options = {
      now: Date.now,
      flushMs: 250,
      batchSize: 500,
      maxQueue: 50_000,
      keepMs: 90 * 24 * 60 * 60 * 1_000,
      keepQueriesMs: 30 * 24 * 60 * 60 * 1_000,
      maxEntries: 1_000_000,
      stopMs: 5_000,
      onProblem: () => {},
      onLost: () => {},
      ...options,
    }
    this.#pruneTimer = setInterval(() => void this.prune(), PRUNE_MS).unref()
  }

  record(entry: AuditEntry): void {
    this.#queue.push(entry)
    if (this.#queue.length > this.#options.maxQueue) this.#dropOldest()
    if (this.#queue.length === this.#options.batchSize && this.#pauseMs === 0) this.#schedule(0)
    else if (this.#timer === undefined && this.#writing === undefined) this.#schedule(this.#options.flushMs)
  }

  /** How many entries wait. */
  get waiting(): number {
    return this.#queue.length + this.#batches.reduce((sum, { entries }) => sum + entries.length, 0)
  }

  backlog(): AuditBacklog {
    return { waiting: this.waiting, lost: this.#lost }
  }

  /** Writes the waiting entries as far as the database accepts them. Never throws. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      if (this.waiting > 0) this.#schedule(Math.max(this.#pauseMs, this.#options.flushMs))
    })
    return this.#writing
  }

  /** Removes old and excess entries. Never throws. */
  prune(): Promise<void> {
    const { repository, keepMs, keepQueriesMs, maxEntries, now } = this.#options
    const limits = {
      before: now() - valueOf(keepMs),
      queriesBefore: now() - keepQueriesMs,
      maxEntries: valueOf(maxEntries),
    }
    this.#pruning ??= repository
      .prune(limits)
      .then(
        () => {},
        (error: unknown) => this.#report(error),
      )
      .finally(() => {
        this.#pruning = undefined
      })
    return this.#pruning
  }

  /** Writes the waiting entries, within `stopMs`, and schedules no further writes. */
  async stop(): Promise<void> {
    clearInterval(this.#pruneTimer)
    const end = performance.now() + this.#options.stopMs
    do await this.flush()
    while (this.waiting > 0 && performance.now() < end && (await pause(Math.max(this.#pauseMs, 1))))
    clearTimeout(this.#timer)
    this.#reportDropped()
    if (this.waiting > 0) this.#options.onLost(this.waiting, 'the database did not take them before the end')
    await this.#pruning
  }

  #schedule(ms: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.flush(), ms).unref()
  }

  /** Drops several at once, because removing single entries from a long list is slow. */
  #dropOldest(): void {
    const dropped = Math.min(this.#options.batchSize, Math.ceil(this.#options.maxQueue / 10))
    this.#queue.splice(0, dropped)
    this.#dropped += dropped
    this.#lost += dropped
  }

  async #write(): Promise<void> {
    for (let batch = this.#nextBatch(); batch !== undefined; batch = this.#nextBatch()) {
      try {
        await this.#options.repository.append(batch.entries, batch.id)
        this.#batches.shift()
        this.#isFailing = false
        this.#pauseMs = 0
        this.#reportDropped()
      } catch (error) {
        this.#report(error)
        if (!this.#isRefused(error)) {
          this.#pauseMs = Math.min(Math.max(this.#pauseMs * 2, 20), LONGEST_PAUSE_MS)
          return
        }
        this.#narrowDown(batch)
      }
    }
  }

  #nextBatch(): Batch | undefined {
    if (this.#batches.length === 0 && this.#queue.length > 0) {
      this.#batches.push({ id: randomUUID(), entries: this.#queue.splice(0, this.#options.batchSize) })
    }
    return this.#batches[0]
  }

  /** Whether the database refuses the entries themselves, so that a retry is useless. */
  #isRefused(error: unknown): boolean {
    return !(error instanceof GatewayError && (error.code === 'STORE_UNAVAILABLE' || error.code === 'STORE_CORRUPT'))
  }

  /** Splits a refused batch, so that one bad entry does not block the others. */
  #narrowDown({ entries }: Batch): void {
    const half = Math.ceil(entries.length / 2)
    const halves = entries.length < 2 ? [] : [entries.slice(0, half), entries.slice(half)]
    if (halves.length === 0) {
      this.#lost += 1
      this.#options.onLost(1, 'the database refuses the entry')
    }
    this.#batches.splice(0, 1, ...halves.map((part) => ({ id: randomUUID(), entries: part })))
  }

  #report(error: unknown): void {
    if (!this.#isFailing) this.#options.onProblem(error)
    this.#isFailing = true
  }

  #reportDropped(): void {
    if (this.#dropped > 0) this.#options.onLost(this.#dropped, 'more waited for the database than are kept')
    this.#dropped = 0
  }
}

function pause(ms: number): Promise<true> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, true)
  })
}

const valueOf = (given: number | (() => number)): number => (typeof given === 'number' ? given : given())
