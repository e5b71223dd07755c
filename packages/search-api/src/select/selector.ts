import type { SearchApiTool } from '@tooldex/contract/search-api'

/** A tool that may be chosen. */
export interface Candidate extends SearchApiTool {
  /** What hybrid search thinks of it. */
  readonly relevance: number
}

/** A tool that was chosen. */
export interface Choice {
  readonly candidate: Candidate
  /** 0 to 1. */
  readonly relevance: number
  /** The model's own words: cleaned, short, and not to be trusted. */
  readonly why?: string
}

/** What is to be chosen for. */
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
