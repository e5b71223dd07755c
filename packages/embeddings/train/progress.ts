const BETWEEN_MS = 5_000

/** Logs the progress of a long run every few seconds. */
export class Progress {
  readonly #write: (line: string) => void
  readonly #now: () => number
  #nextAt: number

  constructor(write: (line: string) => void, now: () => number = () => performance.now()) {
    this.#write = write
    this.#now = now
    this.#nextAt = now() + BETWEEN_MS
  }

  /** A line that is always shown. */
  log(line: string): void {
    this.#write(`${line}\n`)
    this.#nextAt = this.#now() + BETWEEN_MS
  }

  /** A line that is shown when the last one is a while ago. */
  step(label: string, done: number, total: number, more = ''): void {
    if (this.#now() >= this.#nextAt) this.log(`  ${label}  ${done} of ${total}${more}`)
  }
}
