/**
 * A frozen set of tool ids to search within. Equal scopes have equal fingerprints, whatever the order they were built in.
 */
export class ToolScope {
  readonly #ids: ReadonlySet<string>
  #fingerprint: string | undefined

  constructor(ids: Iterable<string>) {
    this.#ids = new Set(ids)
  }

  get size(): number {
    return this.#ids.size
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** The ids, in no particular order. */
  ids(): Iterable<string> {
    return this.#ids.values()
  }

  /** Identifies the set of ids; what a cursor is bound to. */
  get fingerprint(): string {
    this.#fingerprint ??= fingerprintOf(this.#ids)
    return this.#fingerprint
  }
}
