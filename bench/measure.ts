/** Calls a tool and checks the answer. */
export type Call = () => Promise<void>

/** Durations and errors of a series of calls. */
export class Series {
  readonly #latencies: number[] = []
  #parallelCalls = 0
  #parallelMs = 0
  errors = 0

  /** One call after the other. */
  async sequential(call: Call, count: number): Promise<void> {
    for (let index = 0; index < count; index++) {
      const since = performance.now()
      await this.#counted(call)
      this.#latencies.push(performance.now() - since)
    }
  }

  /** At most `inFlight` calls at a time. */
  async parallel(call: Call, count: number, inFlight: number): Promise<void> {
    let left = count
    const worker = async (): Promise<void> => {
      while (left-- > 0) await this.#counted(call)
    }
    const since = performance.now()
    await Promise.all(Array.from({ length: inFlight }, worker))
    this.#parallelMs += performance.now() - since
    this.#parallelCalls += count
  }

  /** Calls a second with many in flight. */
  get throughput(): number {
    return (this.#parallelCalls / this.#parallelMs) * 1_000
  }

  /** In milliseconds, of the sequential calls. */
  percentile(percent: number): number {
    const sorted = this.#latencies.toSorted((left, right) => left - right)
    return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN
  }

  async #counted(call: Call): Promise<void> {
    try {
      await call()
    } catch {
      this.errors++
    }
  }
}
