import type { CatalogTool } from '../catalog/catalog.ts'
import type { ListReader } from '../model/context-cost.ts'
import type { Project } from '../model/project.ts'
import type { ExposureMode, ResolvedDisclosure } from '../model/settings.ts'
import { searchesNatively, type StatedClient } from './native-search.ts'

/** An exposure mode after the decision of `auto`. */
export type DecidedExposure = Exclude<ExposureMode, 'auto'>

/** The facts that `auto` depends on. */
export interface ExposureFacts {
  readonly settings: ResolvedDisclosure
  /** Tokens of a list of all eligible tools. */
  readonly tokens: number
  /** Legacy sessions only: a 2026-07-28 list must not depend on the connection. */
  readonly client?: StatedClient
  /** The previous decision and its scope: a session lasts as long as a conversation, a token for months. */
  readonly earlier?: { readonly mode: DecidedExposure; readonly lasts: 'session' | 'token' }
  /** Set while servers are awaited whose tools are not known yet. */
  readonly awaiting?: { readonly isEmpty: boolean }
}

/** The decision, with the reason for debug logs and the console. */
export interface ExposureDecision {
  readonly mode: DecidedExposure
  readonly reason: string
}

/** Relative distance from the budget at which the mode for a token changes. */
const DEAD_BAND = 0.25

/** Decides how tools are listed. Pure. */
export function decideExposure(facts: ExposureFacts): ExposureDecision {
  const { settings, tokens, earlier, awaiting } = facts
  const isSearchable = settings.strategy !== null
  if (settings.exposure === 'auto' && isSearchable && earlier?.lasts === 'session') {
    return { mode: earlier.mode, reason: 'decided earlier in this session' }
  }
  const listsNothing = settings.exposure === 'full' || settings.exposure === 'limited' || !isSearchable
  if (awaiting?.isEmpty === true && listsNothing) {
    return { mode: 'meta-tools', reason: 'no tools are known yet, and an empty list would say that there are none' }
  }
  if (settings.exposure !== 'auto') return { mode: settings.exposure, reason: 'set explicitly' }
  if (!isSearchable) return { mode: 'full', reason: 'tool search is off' }
  if (awaiting !== undefined) return { mode: 'meta-tools', reason: 'servers are still starting' }
  const limit = fullListLimit(settings.tokenBudget, earlier)
  const size = `${tokens} tokens of at most ${Math.floor(limit)}`
  if (tokens <= limit) return { mode: 'full', reason: size }
  if (facts.client !== undefined && searchesNatively(facts.client)) {
    return { mode: 'deferred', reason: `${size}, and the client searches deferred tools itself` }
  }
  return { mode: 'meta-tools', reason: size }
}

function fullListLimit(budget: number, earlier: ExposureFacts['earlier']): number {
  if (earlier === undefined) return budget
  return earlier.mode === 'full' ? budget * (1 + DEAD_BAND) : budget * (1 - DEAD_BAND)
}

/**
 * Whether tools can be called by their exposed names. Only `meta-tools` rejects such calls, and only where it is set: a
 * client may have seen, or may soon see, the list that was meant.
 */
export function takesCallsByName(mode: DecidedExposure, settings: ResolvedDisclosure): boolean {
  return mode !== 'meta-tools' || settings.directCalls || settings.exposure !== 'meta-tools'
}

/** Whether one tool can be called by its exposed name: a pinned tool always can, because it is listed. */
export function mayCallByName(
  tool: CatalogTool,
  project: Project,
  mode: DecidedExposure,
  settings: ResolvedDisclosure,
): boolean {
  return takesCallsByName(mode, settings) || project.tools.get(tool.key)?.pinned === true
}

const MOST_ENTRIES = 10_000

/** What a decision depends on beside reader and settings; `narrowing` tells the parts of a project apart. */
interface CatalogFacts extends Pick<ExposureFacts, 'tokens' | 'awaiting'> {
  readonly narrowing?: string
}

/**
 * Remembers the decisions of `auto`, so that a list does not change its mode during a conversation: per session where there
 * is one, else per endpoint, project and token.
 */
export class ExposureMemory {
  /** By reader, then by narrowing. */
  readonly #modes = new Map<string, Map<string, DecidedExposure>>()
  readonly #mostEntries: number

  constructor(mostEntries = MOST_ENTRIES) {
    this.#mostEntries = mostEntries
  }

  decide(reader: ListReader, settings: ResolvedDisclosure, facts: CatalogFacts): ExposureDecision {
    const { tokens, awaiting, narrowing = '' } = facts
    const decision = this.preview(reader, settings, facts)
    // While servers are awaited, and before there is one, the size of the catalog is unknown, so no decision is stored.
    const isFinal = awaiting === undefined && tokens > 0
    if (settings.exposure === 'auto' && settings.strategy !== null && isFinal) {
      this.#remember(reader, narrowing, decision.mode)
    }
    return decision
  }

  /** The decision, without remembering it. */
  preview(reader: ListReader, settings: ResolvedDisclosure, facts: CatalogFacts): ExposureDecision {
    const { sessionId } = reader
    const { tokens, awaiting, narrowing = '' } = facts
    const mode = this.lastGiven(reader, narrowing)
    return decideExposure({
      settings,
      tokens,
      ...(sessionId !== undefined && { client: reader }),
      ...(mode !== undefined && { earlier: { mode, lasts: sessionId === undefined ? 'token' : 'session' } as const }),
      ...(awaiting !== undefined && { awaiting }),
    })
  }

  /** Remembers the mode of a list that was given; a session keeps it. */
  given(reader: ListReader, mode: DecidedExposure, narrowing = ''): void {
    this.#remember(reader, narrowing, mode)
  }

  /** The mode that is remembered for a reader. */
  lastGiven(reader: ListReader, narrowing = ''): DecidedExposure | undefined {
    return this.#modes.get(keyOf(reader))?.get(narrowing)
  }

  /** Removes the decisions of a closed session. */
  forget(sessionId: string): void {
    this.#modes.delete(sessionKey(sessionId))
  }

  #remember(reader: ListReader, narrowing: string, mode: DecidedExposure): void {
    const key = keyOf(reader)
    const modes = this.#modes.get(key) ?? new Map<string, DecidedExposure>()
    modes.set(narrowing, mode)
    this.#modes.delete(key)
    this.#modes.set(key, modes)
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
