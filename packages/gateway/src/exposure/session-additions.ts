import type { ToolKey } from '../model/tool-key.ts'

/** More than this in one list is the flood that `limited` is there to prevent. */
const MOST_ADDED = 50

/**
 * The tools that searches of a session added to its list, in the order they were first found. Beyond the cap the ones
 * go that were found or called longest ago. No session sees another's.
 */
export class SessionAdditions {
  /** Per session: when each tool was last used, as a running number. */
  readonly #sessions = new Map<string, Map<ToolKey, number>>()
  readonly #mostAdded: number
  #uses = 0

  constructor(mostAdded = MOST_ADDED) {
    this.#mostAdded = mostAdded
  }

  /**
   * Adds what a search found, best first, and tells whether the list is another one now.
   * @param isListed whether the session's list has a tool anyway
   */
  add(sessionId: string, found: readonly ToolKey[], isListed: (key: ToolKey) => boolean): boolean {
    const fresh = found.filter((key) => !isListed(key)).slice(0, this.#mostAdded)
    if (fresh.length === 0) return false
    const uses = this.#sessions.get(sessionId) ?? new Map<ToolKey, number>()
    this.#sessions.set(sessionId, uses)
    const before = [...uses.keys()]
    // The best hit is the most recent use, so that it is the last to go.
    for (const key of fresh) if (!uses.has(key)) uses.set(key, 0)
    for (const key of fresh.toReversed()) uses.set(key, ++this.#uses)
    while (uses.size > this.#mostAdded) uses.delete(leastRecent(uses))
    return before.length !== uses.size || before.some((key) => !uses.has(key))
  }

  /** A call of an added tool: it is in use and stays. */
  used(sessionId: string, key: ToolKey): void {
    const uses = this.#sessions.get(sessionId)
    if (uses?.has(key)) uses.set(key, ++this.#uses)
  }

  /** What was added to the list of a session, first found first. */
  of(sessionId: string): readonly ToolKey[] {
    return [...(this.#sessions.get(sessionId)?.keys() ?? [])]
  }

  /** A session is gone. */
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
