import type { Embedder, VectorCache } from '@tooldex/search'

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
  /** Requests that are answered at the same time; more are answered with 429. Default 128. */
  readonly concurrentRequests?: number
  /** Of one token; twice as many may come at once. Default: no limit. */
  readonly requestsPerSecond?: number
}

/** The sizes of the caches. */
export interface CacheOptions {
  /** Tools in all cached indexes. Default 200,000. */
  readonly indexedTools?: number
  /** Vectors in memory. Default 100,000. */
  readonly vectors?: number
  /** How long an answer is cached, in milliseconds; 0 = not at all. Default 60,000. */
  readonly answerMs?: number
}

/** The options of the service. */
export interface SearchApiOptions {
  readonly tokens?: readonly SearchApiToken[]
  readonly jwt?: JwtOptions
  /** In order of preference. Default: the table that comes with `@tooldex/embeddings`. */
  readonly embedders?: readonly Embedder[]
  /** Keeps vectors across restarts; `openPostgresVectors` makes one. */
  readonly vectors?: VectorCache
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
