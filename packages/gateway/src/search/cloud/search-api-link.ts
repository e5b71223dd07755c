import { Breaker } from './breaker.ts'
import { type SearchPost, postSearch } from './post-search.ts'
import { readAnswer } from './read-answer.ts'
import { SearchApiFailure } from './search-api-failure.ts'
import { searchAddress } from './search-address.ts'

/** A Search API, as it was configured. */
export interface SearchApiOptions {
  /** Up to `/catalog/search`, or with it. */
  readonly url: string
  /** Sent as a bearer token, to this address only; in no error and no log. */
  readonly token?: string | undefined
  /** By project id, in place of `token`. */
  readonly projectTokens?: Readonly<Record<string, string>> | undefined
  /** How long a search may wait for it. */
  readonly timeoutMs: number
}

/** What the link needs of its surroundings; the platform's own by default. */
export interface LinkParts {
  readonly fetch?: typeof fetch
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Runs something later, unless the returned function is called before. */
  readonly after?: (ms: number, run: () => void) => () => void
}

/** How a Search API is doing, for people. No secrets, nothing that it wrote. */
export interface SearchApiHealth {
  readonly host: string
  /** `open`: it failed several times in a row; searches do not wait for it until it answers a probe. */
  readonly state: 'unused' | 'answering' | 'failing' | 'open'
  readonly lastAnswer?: { readonly at: number; readonly latencyMs: number }
  readonly lastError?: { readonly at: number; readonly reason: string }
}

/** A question for the service. */
export interface Question<Answer> {
  readonly projectId?: string | undefined
  /** JSON. */
  readonly body: string
  /** Checks what came. @throws SearchApiFailure when it is of no use */
  readonly read: (answer: unknown) => Answer
  readonly signal?: AbortSignal | undefined
}

const FAILURES_UNTIL_OPEN = 3
/** Together less than the ten seconds in which a service that is back should be used again. */
const PROBE_EVERY_MS = 3_000
const LONGEST_PROBE_MS = 5_000

const PROBE_TOOL = { toolKey: 'tooldex:probe', toolName: 'probe', serverName: 'tooldex' }

/**
 * The way to a Search API. After three failures in a row nobody waits for it any more: it is asked a question of no
 * meaning every few seconds, beside the searches, until it answers. A project that is refused is not asked for either.
 */
export class SearchApiLink {
  readonly #options: SearchApiOptions
  readonly #parts: Required<LinkParts>
  readonly #address: URL
  readonly #service: Breaker
  readonly #projects = new Map<string, Breaker>()
  readonly #closing = new AbortController()
  #cancelProbe: (() => void) | undefined
  #state: SearchApiHealth['state'] = 'unused'
  #lastAnswer: SearchApiHealth['lastAnswer']
  #lastError: SearchApiHealth['lastError']

  constructor(options: SearchApiOptions, parts: LinkParts = {}) {
    this.#options = options
    this.#parts = { fetch, now: Date.now, after: later, ...parts }
    this.#address = searchAddress(options.url)
    this.#service = this.#newBreaker()
  }

  health(): SearchApiHealth {
    const [lastAnswer, lastError] = [this.#lastAnswer, this.#lastError]
    return {
      host: this.#address.host,
      state: this.#service.isOpen ? 'open' : this.#state,
      ...(lastAnswer !== undefined && { lastAnswer }),
      ...(lastError !== undefined && { lastError }),
    }
  }

  /** @throws SearchApiFailure whose message names the service, or the signal's reason when it is aborted */
  async ask<Answer>(question: Question<Answer>): Promise<Answer> {
    const project = this.#breakerOf(question.projectId)
    this.#keepAway(project)
    try {
      const answer = await this.#exchange(question, this.#options.timeoutMs)
      this.#service.succeeded()
      project.succeeded()
      return answer
    } catch (error) {
      if (!(error instanceof SearchApiFailure)) throw error
      this.#count(error, project, question.projectId)
      throw this.#named(error)
    }
  }

  /** Ends what is under way. */
  close(): void {
    this.#cancelProbe?.()
    this.#closing.abort(new SearchApiFailure('is no longer asked'))
  }

  #keepAway(project: Breaker): void {
    const breaker = this.#service.isOpen ? this.#service : project
    if (!breaker.isOpen || (breaker === project && breaker.isDue)) return
    throw this.#named(new SearchApiFailure(`is left alone for a moment: it ${breaker.reason}`))
  }

  #count(error: SearchApiFailure, project: Breaker, projectId: string | undefined): void {
    if (error.isRefusal) {
      this.#service.succeeded()
      project.failed(error.message)
      return
    }
    this.#service.failed(error.message)
    if (this.#service.isOpen) this.#probeLater(projectId)
  }

  #probeLater(projectId: string | undefined): void {
    this.#cancelProbe ??= this.#parts.after(PROBE_EVERY_MS, () => void this.#probe(projectId))
  }

  /** Beside the searches, so that none of them waits. Nothing of theirs is in it. */
  async #probe(projectId: string | undefined): Promise<void> {
    const question = {
      query: ['probe'],
      tools: [PROBE_TOOL],
      maxResults: 1,
      ...(projectId !== undefined && { projectId }),
    }
    const read = (answer: unknown): void => {
      readAnswer(answer, {
        idOf: (key) => (key === PROBE_TOOL.toolKey ? key : undefined),
        maxResults: 1,
        explain: false,
      })
    }
    const limitMs = Math.min(this.#options.timeoutMs, LONGEST_PROBE_MS)
    const isBack = await this.#exchange({ body: JSON.stringify(question), read, projectId }, limitMs).then(
      () => true,
      (error: unknown) => error instanceof SearchApiFailure && error.isRefusal,
    )
    this.#cancelProbe = undefined
    if (isBack) this.#service.letTry()
    else if (!this.#closing.signal.aborted) this.#probeLater(projectId)
  }

  async #exchange<Answer>(question: Question<Answer>, timeoutMs: number): Promise<Answer> {
    const { body, read, projectId, signal } = question
    const { fetch, now } = this.#parts
    const startedAt = now()
    const closing = this.#closing.signal
    const post: SearchPost = {
      ...{ address: this.#address, token: this.#tokenOf(projectId), body, timeoutMs, fetch },
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
    }
    try {
      const answer = read(await postSearch(post))
      this.#lastAnswer = { at: now(), latencyMs: now() - startedAt }
      this.#state = 'answering'
      return answer
    } catch (error) {
      if (!(error instanceof SearchApiFailure)) throw error
      this.#lastError = { at: now(), reason: error.message }
      this.#state = 'failing'
      throw error
    }
  }

  #tokenOf(projectId: string | undefined): string | undefined {
    const { projectTokens = {}, token } = this.#options
    return projectId !== undefined && Object.hasOwn(projectTokens, projectId) ? projectTokens[projectId] : token
  }

  #breakerOf(projectId = ''): Breaker {
    const known = this.#projects.get(projectId)
    if (known !== undefined) return known
    const breaker = this.#newBreaker()
    this.#projects.set(projectId, breaker)
    return breaker
  }

  #newBreaker(): Breaker {
    return new Breaker({ failures: FAILURES_UNTIL_OPEN, openMs: PROBE_EVERY_MS, now: this.#parts.now })
  }

  #named({ message, cause, isRefusal }: SearchApiFailure): SearchApiFailure {
    return new SearchApiFailure(`the Search API at ${this.#address.host} ${message}`, { cause, isRefusal })
  }
}

/** Does not keep the program running. */
function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}
