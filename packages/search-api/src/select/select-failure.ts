/** No choice could be had of the model; the message says why, in words for people, and holds nothing of the model's. */
export class SelectFailure extends Error {
  override readonly name = 'SelectFailure'
  /** Whether another attempt may go better. */
  readonly isPassing: boolean
  /** Whether the endpoint did not understand how it was asked; asking in another way may help. */
  readonly isMisunderstood: boolean
  /** Whether it speaks against the endpoint, and not only against this one answer. */
  readonly isOutage: boolean
  /** How long the endpoint asked us to wait. */
  readonly retryAfterMs: number | undefined

  constructor(message: string, facts: SelectFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.isPassing = facts.isPassing ?? false
    this.isMisunderstood = facts.isMisunderstood ?? false
    this.isOutage = facts.isOutage ?? false
    this.retryAfterMs = facts.retryAfterMs
  }
}

/** What is known of a failure. */
export interface SelectFacts {
  readonly isPassing?: boolean
  readonly isMisunderstood?: boolean
  readonly isOutage?: boolean
  readonly retryAfterMs?: number
  readonly cause?: unknown
}
