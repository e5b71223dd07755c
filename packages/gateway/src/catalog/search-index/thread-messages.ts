import type { EmbeddingsConfig } from '@tooldex/contract'
import type { ErrorDetails, IndexedTool, SearchAnswer, SearchRequest } from '@tooldex/search'
import type { ToolRule } from '@tooldex/search/engine'

/** What the thread opens its providers with. */
export interface ThreadSetup {
  readonly vectorsFolder: string
  readonly indexes?: { readonly folder: string; readonly version: string } | undefined
  readonly embeddings?: EmbeddingsConfig | undefined
  /** Where the engine is, if the index is on one. */
  readonly engine?: EngineSetup | undefined
  /** How long the tools have to be unchanged before the indexes are saved. */
  readonly saveAfterMs: number
  /** How much the thread may keep for the scopes that searches use. */
  readonly scopeBytes: number
}

/** Where an engine keeps the index of a catalog. */
export interface EngineSetup {
  /** An absolute folder, or a URL. */
  readonly at: string
  readonly storage: Readonly<Record<string, string>>
  /** Names the catalog, so that two gateways do not mix theirs. */
  readonly catalog: string
}

/** A search without what cannot be sent. */
export type SentRequest = Pick<SearchRequest, 'queries' | 'context' | 'maxResults' | 'explain'>

/** The tools of a search: a name for the rule, and the rule itself where the thread may not know it. */
export interface SentScope {
  readonly name: string
  readonly rule?: ToolRule
}

/** From the main thread. */
export type ThreadRequest =
  | { readonly kind: 'change'; readonly put: readonly IndexedTool[]; readonly remove: readonly string[] }
  /** All tools that there are at the start have been sent. */
  | { readonly kind: 'filled' }
  | { readonly kind: 'open'; readonly strategy: string }
  /** Whether this gateway writes to the engine. */
  | { readonly kind: 'role'; readonly role: 'writer' | 'reader' }
  | { readonly kind: 'cancel'; readonly id: number }
  | { readonly kind: 'built' | 'save' | 'ping'; readonly id: number }
  | {
      readonly kind: 'search'
      readonly id: number
      readonly strategy: string
      readonly request: SentRequest
      readonly scope?: SentScope | undefined
    }

/** From the thread. */
export type ThreadReply =
  | { readonly kind: 'log'; readonly level: 'debug' | 'warn'; readonly facts: ErrorDetails; readonly message: string }
  | { readonly kind: 'done'; readonly id: number }
  | { readonly kind: 'found'; readonly id: number; readonly answer: SearchAnswer }
  /** The thread does not know the rule of this name, or has forgotten it. */
  | { readonly kind: 'scope-unknown'; readonly id: number }
  | { readonly kind: 'failed'; readonly id: number; readonly error: SentError }

/** An error of the library as plain data. */
export interface SentError {
  readonly code?: string
  readonly message: string
  readonly details: ErrorDetails
}
