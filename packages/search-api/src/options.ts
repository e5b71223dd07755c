import type { Embedder, VectorCache } from '@tooldex/search'
import type { CatalogEngine } from '@tooldex/search/engine'
import type { CatalogStore } from './catalogs/catalog-store.ts'

/** A secret that may search, known by its hash alone. */
export interface SearchApiToken {
  /** SHA-256 of the secret, in hex. */
  readonly sha256: string
  /** The project that it may search for; `*` = any. */
  readonly project: string
  /** For people; never the secret. */
  readonly name?: string
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

/** The issuer whose JWTs are accepted. */
export interface JwtOptions {
  readonly issuer: string
  readonly audience: string
  /** Where the issuer publishes its keys. */
  readonly jwksUrl: string
  /** The claim that names the project; `*` in it = any. Default `project`. */
  readonly projectClaim?: string
}

/** The limits of requests. */
export interface SearchApiLimits {
  /** Of a body, before and after decompression. Default 32 MB. */
  readonly bodyBytes?: number
  /** Default 20,000. */
  readonly tools?: number
  /** Of an uploaded catalog, before and after decompression. Default 64 MB. */
  readonly catalogBytes?: number
  /** Default 100,000. */
  readonly catalogTools?: number
  /** Catalogs that are received at the same time; more are answered with 429. Default 4. */
  readonly concurrentUploads?: number
  /** Requests that are answered at the same time; more are answered with 429. Default 128. */
  readonly concurrentRequests?: number
  /** Of one token; twice as many may come at once. Default: no limit. */
  readonly requestsPerSecond?: number
}

/** The sizes of the caches. */
export interface CacheOptions {
  /** Tools in all cached indexes. Default 200,000. */
  readonly indexedTools?: number
  /** Tools of catalogs on an engine whose names and descriptions are in memory. Default 2,000,000. */
  readonly engineTools?: number
  /** Bytes of uploaded catalogs in memory, packed. Default 256 MB. */
  readonly catalogBytes?: number
  /** Vectors in memory. Default 100,000. */
  readonly vectors?: number
  /** How long an answer is cached, in milliseconds; 0 = not at all. Default 60,000. */
  readonly answerMs?: number
}

/** Engines for uploaded catalogs that outgrow one process: one for each catalog. */
export interface CatalogEngines {
  /** Opens the engine of a catalog, in a place of its own. Its error says what to do. */
  open(catalog: {
    /** Of the same tools and the same embedder. */
    readonly name: string
    readonly role: 'writer' | 'reader'
    readonly embedder: Embedder | undefined
    /** After a failure: what is stored is checked, and repaired or written anew. */
    readonly repair?: boolean
  }): Promise<CatalogEngine>
  /**
   * Does the work while no other instance does work of this name, and answers whether it did; the signal is aborted when that
   * is no longer certain. `openSearchDatabase` makes one. Absent: this instance alone writes.
   */
  readonly alone?: (name: string, work: (lost: AbortSignal) => Promise<void>) => Promise<boolean>
  /** Deletes what no instance has used for long. Called once an hour with the names of those that this one has open. */
  tidy?(inUse: readonly string[]): Promise<void>
  /** A rule or a catalog of up to so many tools is searched in memory, exactly. Default 5,000. */
  readonly narrowTools?: number
  /** The memory answers for catalogs of up to so many tools while their engine does not. Default 100,000. */
  readonly mostInMemory?: number
  /** How long a search waits for an engine. Default 2,000. */
  readonly patienceMs?: number
  /** The wait before an engine that could not be written is tried again. Default 2,000. */
  readonly retryMs?: number
}

/** The options of the service. */
export interface SearchApiOptions {
  readonly tokens?: readonly SearchApiToken[]
  readonly jwt?: JwtOptions
  /** In order of preference. Default: the table that comes with `@tooldex/embeddings`. */
  readonly embedders?: readonly Embedder[]
  /** Keeps vectors across restarts; `openSearchDatabase` makes one. */
  readonly vectors?: VectorCache
  /** Shares uploaded catalogs with other instances; `openSearchDatabase` makes one. Absent: each has its own, in memory. */
  readonly catalogs?: CatalogStore
  /** Keeps the indexes of large uploaded catalogs. Absent: they are in memory. */
  readonly engine?: CatalogEngines
  /** How long the first search of unknown tools waits for an embedder that needs time. Default 1,500. */
  readonly embedBudgetMs?: number
  /** Lets a language model choose. Absent: hybrid search ranks. */
  readonly select?: SelectOptions
  readonly limits?: SearchApiLimits
  readonly cache?: CacheOptions
  /** Called with internal errors; they contain nothing of a request. */
  readonly onProblem?: (error: unknown) => void
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Adds metrics of the process, from the first `GET /metrics` on. */
  readonly processFigures?: boolean
}

/** Which language model chooses, and its limits. */
export interface SelectOptions {
  /** The wire format of the endpoint. Default: `anthropic` for a URL that ends in `/messages` or is Anthropic's, else `openai`. */
  readonly api?: 'openai' | 'anthropic'
  /** `/chat/completions` or `/v1/messages`, or the URL before it. */
  readonly url: string
  readonly model: string
  /** Sent to this URL only; in no error and no log. */
  readonly apiKey?: string
  /** For the whole selection, retries included; after it hybrid search answers. Default 4,000. */
  readonly timeoutMs?: number
  /** How often a request with transient failures is made. Default 3. */
  readonly attempts?: number
  /** Tools that the model chooses from. Default 40. */
  readonly maxCandidates?: number
  /** Estimated tokens of the prompt. Default 8,000. */
  readonly maxPromptTokens?: number
  /** Tokens of the answer. Default 2,000. */
  readonly maxAnswerTokens?: number
  /** Selections under way at a time; beyond it hybrid search answers. Default 32. */
  readonly concurrentSelections?: number
}
