import type { SearchApiTool } from '@tooldex/contract/search-api'

/** A tool that may be chosen. */
export interface Candidate extends SearchApiTool {
  /** From hybrid search. */
  readonly relevance: number
}

/** A tool that was chosen. */
export interface Choice {
  readonly candidate: Candidate
  /** 0 to 1. */
  readonly relevance: number
  /** The model's own words: cleaned, short and untrusted. */
  readonly why?: string
}

/** The task, and the tools to choose from. */
export interface Selection {
  readonly queries: readonly string[]
  readonly context: string | undefined
  /** Best first. */
  readonly candidates: readonly Candidate[]
  readonly maxResults: number
}

/** Chooses among candidates. */
export interface Selector {
  readonly maxCandidates: number
  /** Best first, at least one, each candidate at most once. @throws SelectFailure */
  select(selection: Selection, signal: AbortSignal): Promise<readonly Choice[]>
}

/** The model made no choice; the message explains why, for people, and contains no text of the model. */
export class SelectFailure extends Error {
  override readonly name = 'SelectFailure'
  /** Whether another attempt may succeed. */
  readonly isTransient: boolean
  /** Whether the endpoint rejected the form of the request; another form may work. */
  readonly isUnsupported: boolean
  /** Whether the endpoint failed, rather than this one answer. */
  readonly isOutage: boolean
  /** How long the endpoint asked to wait. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: SelectFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.isTransient = facts.isTransient ?? false
    this.isUnsupported = facts.isUnsupported ?? false
    this.isOutage = facts.isOutage ?? false
    this.retryAfterMs = facts.retryAfterMs
  }
}

interface SelectFacts {
  readonly isTransient?: boolean
  readonly isUnsupported?: boolean
  readonly isOutage?: boolean
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}
