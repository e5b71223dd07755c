import type { ListName } from '../model/last-good.ts'

const LONGEST_RETRY_MS = 60_000

/** What a refresher works with. */
export interface RefresherParts {
  /** Asks for the lists and says which could not be had and should be asked for again. */
  readonly refresh: (lists: ReadonlySet<ListName>) => Promise<ReadonlySet<ListName>>
  readonly now: () => number
  /** Between the beginnings of two refreshes. */
  readonly minIntervalMs: number
}

/**
 * Decides when a server's lists are asked for: at most one refresh under way and one to come, however many are wanted,
 * and the last wish is never lost. What could not be had is asked for again, later each time.
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

  /** Whether a refresh is under way. */
  get isRefreshing(): boolean {
    return this.#isRefreshing
  }

  /** Asks for lists, as soon as the interval allows. */
  want(lists: Iterable<ListName>): void {
    for (const list of lists) this.#wanted.add(list)
    this.#arm()
  }

  /** Asks for lists without regard to the interval or to earlier failures: the server is another than it was. */
  wantNow(lists: Iterable<ListName>): void {
    this.#isUrgent = this.#isRefreshing
    this.#nextAt = 0
    this.#failures = 0
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.want(lists)
  }

  /** Forgets what is wanted; what is under way ends by itself. */
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
    // What failed with the server that it was says nothing of the one that it is now.
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
