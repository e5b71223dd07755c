import { type DecidedExposure, decideExposure, type ExposureDecision } from './decide-exposure.ts'
import type { ListReader } from '../model/context-cost.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'

const MOST_ENTRIES = 10_000

/**
 * Remembers what `auto` decided, so that a list does not change its kind in the middle of a conversation: per session
 * where there is one, else per endpoint, project and token.
 */
export class ExposureMemory {
  readonly #modes = new Map<string, DecidedExposure>()
  readonly #mostEntries: number

  constructor(mostEntries = MOST_ENTRIES) {
    this.#mostEntries = mostEntries
  }

  /** @param tokens of all eligible tools, were they listed whole */
  decide(reader: ListReader, settings: ResolvedDisclosure, tokens: number): ExposureDecision {
    const { sessionId, clientName } = reader
    const key = keyOf(reader)
    const mode = this.#modes.get(key)
    const decision = decideExposure({
      settings,
      tokens,
      ...(sessionId !== undefined && clientName !== undefined && { clientName }),
      ...(mode !== undefined && { earlier: { mode, lasts: sessionId === undefined ? 'token' : 'session' } as const }),
    })
    // An empty catalog says nothing about the one that the conversation will meet.
    if (settings.exposure === 'auto' && settings.strategy !== null && tokens > 0) this.#remember(key, decision.mode)
    return decision
  }

  /** A session is gone. */
  forget(sessionId: string): void {
    this.#modes.delete(sessionKey(sessionId))
  }

  #remember(key: string, mode: DecidedExposure): void {
    this.#modes.delete(key)
    this.#modes.set(key, mode)
    if (this.#modes.size <= this.#mostEntries) return
    const [leastRecent] = this.#modes.keys()
    if (leastRecent !== undefined) this.#modes.delete(leastRecent)
  }
}

function keyOf({ sessionId, endpointId, projectId, tokenId }: ListReader): string {
  return sessionId === undefined ? JSON.stringify([endpointId, projectId, tokenId]) : sessionKey(sessionId)
}

/** No JSON array begins like this. */
const sessionKey = (sessionId: string): string => `session ${sessionId}`
