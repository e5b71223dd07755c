import type { Embedder, VectorCache } from '@tooldex/search'
import type { SelectOptions } from './select/select-options.ts'

/** A secret that may search, known by its hash alone. */
export interface SearchApiToken {
  /** SHA-256 of the secret, in hex. */
  readonly sha256: string
  /** The project that it may search for; `*` = any. */
  readonly project: string
  /** For people: in figures, never the secret. */
  readonly name?: string
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

/** Whose signed tokens are taken. */
export interface JwtOptions {
  readonly issuer: string
  readonly audience: string
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: string
  /** The claim that names the project; `*` in it = any. Default `project`. */
  readonly projectClaim?: string
}

/** What a request may cost. */
export interface SearchApiLimits {
  /** Of a body, before and after decompression. Default 32 MB. */
  readonly bodyBytes?: number
  /** Default 20,000. */
  readonly tools?: number
  /** Requests that are answered at the same time; more are told to come again. Default 128. */
  readonly concurrentRequests?: number
  /** Of one token; twice as many may come at once. Default: no limit. */
  readonly requestsPerSecond?: number
}

/** What is kept, so that the same costs nothing the next time. */
export interface CacheOptions {
  /** Tools in all indexes that are kept. Default 200,000. */
  readonly indexedTools?: number
  /** Vectors that are kept in memory. Default 100,000. */
  readonly vectors?: number
  /** How long an answer is good; 0 = answers are not kept. Default 60,000. */
  readonly answerMs?: number
}

/** What the service is made of. */
export interface SearchApiOptions {
  readonly tokens?: readonly SearchApiToken[]
  readonly jwt?: JwtOptions
  /** In order of preference. Default: the table that comes with `@tooldex/embeddings`. */
  readonly embedders?: readonly Embedder[]
  /** Keeps vectors beyond the life of the process; `openPostgresVectors` makes one. */
  readonly vectors?: VectorCache
  /** How long the first search of unknown tools waits for an embedder that needs time. Default 1,500. */
  readonly embedBudgetMs?: number
  /** Has a language model choose. Absent: hybrid search ranks. */
  readonly select?: SelectOptions
  readonly limits?: SearchApiLimits
  readonly cache?: CacheOptions
  /** Told of what went wrong inside; nothing of a request is in it. */
  readonly onProblem?: (error: unknown) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Figures of the process beside our own, from the first `GET /metrics` on. */
  readonly processFigures?: boolean
}
