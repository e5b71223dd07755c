const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/** The log levels of sessions that share a connection: the server gets the most verbose, each session its own. */
export class LogLevels {
  readonly #bySession = new Map<string, number>()

  /** The level for the server; undefined if no session set one. */
  get level(): string | undefined {
    return LEVELS[Math.min(...this.#bySession.values())]
  }

  /** The level that a session set. */
  of(sessionId: string): string | undefined {
    return LEVELS[this.#bySession.get(sessionId) ?? -1]
  }

  /** The levels of all sessions. */
  entries(): readonly (readonly [sessionId: string, level: string])[] {
    return [...this.#bySession].map(([sessionId, at]) => [sessionId, LEVELS[at] ?? ''])
  }

  set(sessionId: string, level: string): void {
    const at = LEVELS.indexOf(level)
    if (at >= 0) this.#bySession.set(sessionId, at)
  }

  remove(sessionId: string): void {
    this.#bySession.delete(sessionId)
  }

  /** Whether a session gets messages of a level. A session that set none gets what it would get alone: all of them. */
  admits(sessionId: string, level: unknown): boolean {
    const least = this.#bySession.get(sessionId)
    const at = LEVELS.indexOf(String(level))
    return least === undefined || at < 0 || at >= least
  }
}
