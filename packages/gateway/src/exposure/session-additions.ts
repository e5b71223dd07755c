import type { ToolKey } from '../model/tool-key.ts'

/** Maximum number of added tools; `limited` exists to keep lists short. */
const MOST_ADDED = 50

/**
 * The tools that searches of a session added to its list, in the order in which they were first found. Beyond the maximum,
 * the least recently used tool is evicted. Sessions are isolated from each other.
 */
export class SessionAdditions {
  /** Per session: a sequence number of the last use of each tool. */
  readonly #sessions = new Map<string, Map<ToolKey, number>>()
  readonly #mostAdded: number
  #uses = 0

  constructor(mostAdded = MOST_ADDED) {
    this.#mostAdded = mostAdded
  }

  /**
   * Adds the results of a search, best first, and returns whether the list changed.
   * @param isListed whether the session's list already has a tool
   */
  add(sessionId: string, found: readonly ToolKey[], isListed: (key: ToolKey) => boolean): boolean {
    const fresh = found.filter((key) => !isListed(key)).slice(0, this.#mostAdded)
    if (fresh.length === 0) return false
    const uses = this.#sessions.get(sessionId) ?? new Map<ToolKey, number>()
    this.#sessions.set(sessionId, uses)
    const before = [...uses.keys()]
    // The best hit counts as the most recent use, so that it is evicted last.
    for (const key of fresh) if (!uses.has(key)) uses.set(key, 0)
    for (const key of fresh.toReversed()) uses.set(key, ++this.#uses)
    while (uses.size > this.#mostAdded) uses.delete(leastRecent(uses))
    return before.length !== uses.size || before.some((key) => !uses.has(key))
  }

  /** Records a call of an added tool as a use. */
  used(sessionId: string, key: ToolKey): void {
    const uses = this.#sessions.get(sessionId)
    if (uses?.has(key)) uses.set(key, ++this.#uses)
  }

  /** The tools added to the list of a session, first found first. */
  of(sessionId: string): readonly ToolKey[] {
    return [...(this.#sessions.get(sessionId)?.keys() ?? [])]
  }

  /** Takes over the additions that another replica noted, in their order. */
  restore(sessionId: string, keys: readonly ToolKey[]): void {
    const uses = keys.slice(0, this.#mostAdded).map((key) => [key, ++this.#uses] as const)
    if (uses.length > 0) this.#sessions.set(sessionId, new Map(uses))
  }

  /** Removes a closed session. */
  forget(sessionId: string): void {
    this.#sessions.delete(sessionId)
  }
}

function leastRecent(uses: ReadonlyMap<ToolKey, number>): ToolKey {
  let oldest: ToolKey | undefined
  let oldestUse = Number.POSITIVE_INFINITY
  for (const [key, use] of uses) {
    if (use < oldestUse) [oldest, oldestUse] = [key, use]
  }
  return oldest as ToolKey
}
