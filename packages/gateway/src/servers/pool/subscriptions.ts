/** The resource subscriptions of sessions that share a connection: the first subscribes at the server, the last unsubscribes. */
export class Subscriptions {
  readonly #sessionsByUri = new Map<string, Set<string>>()

  get size(): number {
    return this.#sessionsByUri.size
  }

  uris(): readonly string[] {
    return [...this.#sessionsByUri.keys()]
  }

  /** @returns whether it is the first, so that the server gets a request */
  add(uri: string, sessionId: string): boolean {
    const sessions = this.#sessionsByUri.get(uri)
    sessions?.add(sessionId)
    if (sessions === undefined) this.#sessionsByUri.set(uri, new Set([sessionId]))
    return sessions === undefined
  }

  /** @returns whether it was the last, so that the server gets a request */
  remove(uri: string, sessionId: string): boolean {
    const sessions = this.#sessionsByUri.get(uri)
    if (!sessions?.delete(sessionId) || sessions.size > 0) return false
    return this.#sessionsByUri.delete(uri)
  }

  /** @returns the resources without a subscriber */
  removeSession(sessionId: string): readonly string[] {
    return this.uris().filter((uri) => this.remove(uri, sessionId))
  }
}
