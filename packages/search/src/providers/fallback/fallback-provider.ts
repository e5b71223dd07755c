import { hasCode, refuseUnknown, ToolSearchError } from '../../errors.ts'
import type { SearchAnswer, SearchProvider, SearchRequest, SearchStrategy, ToolChange } from '../search-provider.ts'

/** Options of `FallbackProvider`. */
export interface FallbackOptions {
  /** Called once per search and provider that could not answer, before the next one is asked. */
  readonly onUnavailable?: (strategy: SearchStrategy, error: unknown) => void
}

interface Failure {
  readonly strategy: SearchStrategy
  readonly reason: string
  readonly error: unknown
}

/**
 * Asks providers in order; only SEARCH_UNAVAILABLE moves on to the next, any other failure is the caller's to see. The
 * answer names the strategy that gave it, and which one was preferred but could not.
 */
export class FallbackProvider implements SearchProvider {
  /** That of the preferred provider. */
  readonly strategy: SearchStrategy
  /** With a second provider the same question can be answered by either, and pages of two rankings do not fit. */
  readonly deterministic: boolean
  readonly #providers: readonly SearchProvider[]
  readonly #onUnavailable: FallbackOptions['onUnavailable']
  /** Providers that failed to take over a change: they would answer for tools that are gone. */
  readonly #outOfStep = new Map<SearchProvider, ToolSearchError>()

  /** @throws ToolSearchError INVALID_ARGUMENTS without providers, and for an option that does not exist */
  constructor(providers: readonly SearchProvider[], options: FallbackOptions = {}) {
    refuseUnknown(options, ['onUnavailable'])
    const [preferred] = providers
    if (preferred === undefined)
      throw new ToolSearchError('INVALID_ARGUMENTS', { reason: 'no providers to fall back on' })
    this.#providers = [...providers]
    this.#onUnavailable = options.onUnavailable
    this.strategy = preferred.strategy
    this.deterministic = providers.length === 1 && preferred.deterministic
  }

  apply(change: ToolChange): void {
    for (const provider of this.#providers) {
      try {
        provider.apply(change)
      } catch (cause) {
        const reason = 'it could not take over a change of the tools'
        this.#outOfStep.set(provider, new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, { cause }))
      }
    }
  }

  async search(request: SearchRequest): Promise<SearchAnswer> {
    const failures: Failure[] = []
    for (const provider of this.#providers) {
      request.signal?.throwIfAborted()
      try {
        return reportDegraded(await this.#ask(provider, request), failures[0])
      } catch (error) {
        if (!hasCode(error, 'SEARCH_UNAVAILABLE')) throw error
        // A provider may take its own aborted request for an outage.
        request.signal?.throwIfAborted()
        failures.push({ strategy: provider.strategy, reason: reasonOf(error), error })
        this.#onUnavailable?.(provider.strategy, error)
      }
    }
    throw allUnavailable(failures)
  }

  async #ask(provider: SearchProvider, request: SearchRequest): Promise<SearchAnswer> {
    const outOfStep = this.#outOfStep.get(provider)
    if (outOfStep !== undefined) throw outOfStep
    return provider.search(request)
  }
}

function reportDegraded(answer: SearchAnswer, first: Failure | undefined): SearchAnswer {
  return first === undefined ? answer : { ...answer, degraded: { strategy: first.strategy, reason: first.reason } }
}

function allUnavailable(failures: readonly Failure[]): ToolSearchError {
  const reason = failures.map((failure) => `${failure.strategy}: ${failure.reason}`).join('; ')
  const cause = new AggregateError(failures.map(({ error }) => error))
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, { cause })
}

/** The stated reason, without the sentence that every SEARCH_UNAVAILABLE begins with. */
function reasonOf(error: unknown): string {
  const { details, message } = error as { details?: { reason?: unknown } | null; message?: unknown }
  const reason = details?.reason ?? message
  return typeof reason === 'string' && reason !== '' ? reason : 'no reason given'
}
