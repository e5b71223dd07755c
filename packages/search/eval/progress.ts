/**
 * How long nothing is said, and then between two lines. A terminal's line is rewritten, so it may change more often.
 */
const FIRST_MS = 1_000
const NEXT_MS = { terminal: 100, plain: 5_000 }

/** Where progress is written: standard error, or a test's list. */
export interface ProgressSink {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Writes the progress of a run to `sink`, once it takes longer than a second. */
export class Progress {
  readonly #sink: ProgressSink
  readonly #now: () => number
  #nextAt: number
  #shown = false

  constructor(sink: ProgressSink, now: () => number = () => performance.now()) {
    this.#sink = sink
    this.#now = now
    this.#nextAt = now() + FIRST_MS
  }

  /** Tells how far the run is; shown only when it is time. */
  step(label: string, done: number, total: number): void {
    const time = this.#now()
    if (time < this.#nextAt) return
    const terminal = this.#sink.isTTY === true
    this.#nextAt = time + (terminal ? NEXT_MS.terminal : NEXT_MS.plain)
    const text = `${label}  ${done} of ${total} queries`
    this.#sink.write(terminal ? `\r\x1b[K${text}` : `${text}\n`)
    this.#shown = true
  }

  /** Clears the terminal's line. */
  end(): void {
    if (this.#shown && this.#sink.isTTY === true) this.#sink.write('\r\x1b[K')
  }
}
