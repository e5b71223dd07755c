import { ToolSearchError } from '@tooldex/search'

/** An embedding service that could not be used; the reason is a sentence that names its host and says what to do. */
export function serviceFailure(host: string, problem: string, remedy: string, cause?: unknown): ToolSearchError {
  const reason = `the embedding service at ${host} ${problem}; ${remedy}`
  return new ToolSearchError('EMBEDDER_FAILED', { reason, host }, cause === undefined ? {} : { cause })
}

/** A failed attempt, and whether another one may go better. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  readonly remedy: string
  readonly isPassing: boolean
  /** How long the service asked us to wait. */
  readonly retryAfterMs: number | undefined

  /** @param message what the service did, as a predicate: "answered with status 500" */
  constructor(message: string, facts: AttemptFacts) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.remedy = facts.remedy
    this.isPassing = facts.isPassing
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** What is known of a failed attempt. */
export interface AttemptFacts {
  readonly remedy: string
  readonly isPassing: boolean
  readonly retryAfterMs?: number
  readonly cause?: unknown
}
