/** Names what the main thread does, for the case that it takes long. */
export interface Activities {
  /** Runs work that does not wait for anything. The name is a phrase: `checking the arguments of github:create_issue`. */
  during<T>(name: string, work: () => T): T
  /** A client sent a request: from now on somebody waits. */
  wake(): void
}

/** Names nothing. */
export const UNWATCHED: Activities = { during: (_, work) => work(), wake: () => {} }
