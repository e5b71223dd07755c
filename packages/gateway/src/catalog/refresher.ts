import type { ListName } from '../model/last-good.ts'

const LONGEST_RETRY_MS = 60_000

/** The collaborators of a refresher. */
export interface RefresherParts {
  /** Requests the lists and returns those to request again. */
  readonly refresh: (lists: ReadonlySet<ListName>) => Promise<ReadonlySet<ListName>>
  readonly now: () => number
  /** Minimum time between the starts of two refreshes. */
  readonly minIntervalMs: number
}

/**
 * Schedules the refreshes of a server's lists: at most one running and one pending, and no request is lost. Failed lists are
 * requested again with growing delays.
 */
export class Refresher {
  readonly #parts: RefresherParts
  readonly #wanted = new Set<ListName>()
  #timer: NodeJS.Timeout | undefined
  #isRefreshing = false
  #isStopped = false
  #isUrgent = false
  #nextAt = 0
  #failures = 0

  constructor(parts: RefresherParts) {
    this.#parts = parts
  }

  /** Whether a refresh is running. */
  get isRefreshing(): boolean {
    return this.#isRefreshing
  }

  /** Requests lists as soon as the interval allows. */
  want(lists: Iterable<ListName>): void {
    for (const list of lists) this.#wanted.add(list)
    this.#arm()
  }

  /** Requests lists at once, regardless of interval and earlier failures: for a server that was restarted. */
  wantNow(lists: Iterable<ListName>): void {
    this.#isUrgent = this.#isRefreshing
    this.#nextAt = 0
    this.#failures = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.want(lists)
  }

  /** Drops pending requests; a running refresh ends by itself. */
  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #arm(): void {
    if (this.#isStopped || this.#isRefreshing || this.#timer !== undefined || this.#wanted.size === 0) return
    const delay = Math.max(0, this.#nextAt - this.#parts.now())
    this.#timer = setTimeout(() => void this.#run(), delay)
    this.#timer.unref()
  }

  async #run(): Promise<void> {
    this.#timer = undefined
    this.#isRefreshing = true
    const lists = new Set(this.#wanted)
    this.#wanted.clear()
    this.#nextAt = this.#parts.now() + this.#parts.minIntervalMs
    const failed = await this.#parts.refresh(lists).catch(() => lists)
    this.#isRefreshing = false
    // A failure before the restart says nothing about the restarted server.
    if (failed.size > 0 && !this.#isUrgent) this.#delay()
    else this.#failures = 0
    this.#isUrgent = false
    this.want(failed)
  }

  #delay(): void {
    this.#failures++
    this.#nextAt = Math.max(this.#nextAt, this.#parts.now() + this.#retryDelay())
  }

  #retryDelay(): number {
    return Math.min(LONGEST_RETRY_MS, this.#parts.minIntervalMs * 2 ** this.#failures)
  }
}
