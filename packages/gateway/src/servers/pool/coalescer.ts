/** Reports repeated events at most once per interval; the last is never lost. */
export class Coalescer<News> {
  readonly #intervalMs: number
  readonly #pass: (news: News) => void
  readonly #pending = new Map<News, NodeJS.Timeout>()

  constructor(intervalMs: number, pass: (news: News) => void) {
    this.#intervalMs = intervalMs
    this.#pass = pass
  }

  add(news: News): void {
    if (this.#pending.has(news)) return
    const timer = setTimeout(() => {
      this.#pending.delete(news)
      this.#pass(news)
    }, this.#intervalMs)
    this.#pending.set(news, timer.unref())
  }

  clear(): void {
    for (const timer of this.#pending.values()) clearTimeout(timer)
    this.#pending.clear()
  }
}
