import type { CatalogTool } from '../catalog/catalog.ts'
import type { ListReader } from '../model/context-cost.ts'
import type { Project } from '../model/project.ts'
import type { ExposureMode, ResolvedDisclosure } from '../model/settings.ts'

/** What a list can look like once `auto` has been decided. */
export type DecidedExposure = Exclude<ExposureMode, 'auto'>

/** What `auto` may look at. */
export interface ExposureFacts {
  readonly settings: ResolvedDisclosure
  /** Of all eligible tools, were they listed whole. */
  readonly tokens: number
  /** What the client calls itself. Legacy sessions only: a 2026-07-28 list must not depend on the connection. */
  readonly clientName?: string
  /** What was decided before, and for whom: a session lasts as long as a conversation, a token for months. */
  readonly earlier?: { readonly mode: DecidedExposure; readonly lasts: 'session' | 'token' }
}

/** The decision, with the reason for debug logs and the console. */
export interface ExposureDecision {
  readonly mode: DecidedExposure
  readonly reason: string
}

/** Clients that hide tools behind a search of their own and heed the hints in `_meta`; by `clientInfo.name`. */
const SEARCHES_NATIVELY: ReadonlySet<string> = new Set(['claude-code'])

/** Whether a client keeps deferred tools out of the context and searches them by itself. */
export function searchesNatively(clientName: string): boolean {
  return SEARCHES_NATIVELY.has(clientName.toLowerCase())
}

/** How far a catalog must move away from the budget before a token's clients see another kind of list. */
const DEAD_BAND = 0.25
/** A session keeps its list whole until it costs this many budgets: servers come up one by one after a cold start. */
const OUTGROWN = 2

/** Decides how tools are listed. Pure: the same facts, the same decision. */
export function decideExposure(facts: ExposureFacts): ExposureDecision {
  const { settings, tokens, earlier } = facts
  if (settings.exposure !== 'auto') return { mode: settings.exposure, reason: 'the settings say so' }
  if (settings.strategy === null) return { mode: 'full', reason: 'tool search is off, so nothing could be found' }
  if (earlier?.lasts === 'session' && earlier.mode !== 'full') {
    return { mode: earlier.mode, reason: 'the session began so' }
  }
  const limit = wholeUpTo(settings.tokenBudget, earlier)
  const size = `${tokens} tokens of at most ${Math.floor(limit)}`
  if (tokens <= limit) return { mode: 'full', reason: size }
  if (facts.clientName !== undefined && searchesNatively(facts.clientName)) {
    return { mode: 'deferred', reason: `${size}, and the client searches by itself` }
  }
  return { mode: 'meta-tools', reason: size }
}

function wholeUpTo(budget: number, earlier: ExposureFacts['earlier']): number {
  if (earlier === undefined) return budget
  if (earlier.lasts === 'session') return budget * OUTGROWN
  return earlier.mode === 'full' ? budget * (1 + DEAD_BAND) : budget * (1 - DEAD_BAND)
}

/**
 * Whether tools in general can be called by their exposed names. Only `meta-tools` refuses; not where `auto` chose it,
 * because a client that saw the whole list before would lose tools in the middle of its work.
 */
export function takesCallsByName(mode: DecidedExposure, settings: ResolvedDisclosure): boolean {
  return mode !== 'meta-tools' || settings.directCalls || settings.exposure === 'auto'
}

/** Whether this tool can: what is listed can always be called. */
export function mayCallByName(
  tool: CatalogTool,
  project: Project,
  mode: DecidedExposure,
  settings: ResolvedDisclosure,
): boolean {
  return takesCallsByName(mode, settings) || project.tools.get(tool.key)?.pinned === true
}

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
