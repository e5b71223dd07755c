import type { LinkParts } from './search-api-link.ts'

/** A clock that only `pass` advances. */
export class StoppedClock {
  #now = 1_000_000
  #due: { readonly at: number; readonly run: () => void }[] = []
  readonly parts: LinkParts = {
    now: () => this.#now,
    after: (ms, run) => {
      const entry = { at: this.#now + ms, run }
      this.#due.push(entry)
      return () => void (this.#due = this.#due.filter((one) => one !== entry))
    },
  }

  get waiting(): number {
    return this.#due.length
  }

  pass(ms: number): void {
    this.#now += ms
    const [due, later] = [this.#due.filter(({ at }) => at <= this.#now), this.#due.filter(({ at }) => at > this.#now)]
    this.#due = later
    for (const { run } of due) run()
  }
}
