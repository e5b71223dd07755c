/** Which language model chooses, and what it may cost. */
export interface SelectOptions {
  /** Whose wire format the endpoint speaks. Default: `anthropic` for an address that ends in `/messages` or is Anthropic's, else `openai`. */
  readonly api?: 'openai' | 'anthropic'
  /** `/chat/completions` or `/v1/messages`, or the address before it. */
  readonly url: string
  readonly model: string
  /** Sent to this address only; in no error and no log. */
  readonly apiKey?: string
  /** For the whole selection, retries included; after it hybrid search answers. Default 4,000. */
  readonly timeoutMs?: number
  /** How often a request is made that fails in passing. Default 3. */
  readonly attempts?: number
  /** Tools that the model chooses from. Default 40. */
  readonly maxCandidates?: number
  /** What is sent, in tokens, estimated. Default 8,000. */
  readonly maxPromptTokens?: number
  /** What may be answered. Default 2,000. */
  readonly maxAnswerTokens?: number
  /** Selections under way at a time; for others hybrid search answers. Default 32. */
  readonly concurrentSelections?: number
}

/** What a selector needs of its surroundings; the platform's own by default. */
export interface SelectParts {
  readonly fetch?: typeof fetch
  /** Milliseconds from any fixed point. */
  readonly now?: () => number
  /** 0 to 1. */
  readonly random?: () => number
  /** Resolves after so many milliseconds; rejects when the signal is aborted. */
  readonly wait?: (ms: number, signal: AbortSignal) => Promise<void>
}
