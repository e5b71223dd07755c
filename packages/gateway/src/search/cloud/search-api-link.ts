import { CATALOG_TYPE } from '@tooldex/contract/search-api'
import { CircuitBreaker } from '@tooldex/http-kit/breaker'
import { PostError, postJson, putBytes, withPath } from '@tooldex/http-kit/post'
import { readAnswer, SearchApiFailure } from './read-answer.ts'

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

/** Replaceable parts of the platform, for tests. */
export interface LinkParts {
  readonly fetch?: typeof fetch
  /** Epoch milliseconds. */
  readonly now?: () => number
  /** Runs something later, unless the returned function is called before. */
  readonly after?: (ms: number, run: () => void) => () => void
}

/** The state of a Search API, for people. Has no secrets and no text of the service. */
export interface SearchApiHealth {
  readonly host: string
  /** `open`: it failed several times in a row; searches fail fast until it answers a probe. */
  readonly state: 'unused' | 'answering' | 'failing' | 'open'
  readonly lastAnswer?: { readonly at: number; readonly latencyMs: number }
  readonly lastError?: { readonly at: number; readonly reason: string }
}

/** A question for the service. */
export interface Question<Answer> {
  readonly projectId?: string | undefined
  /** The catalog to search; absent where the body has the tools. */
  readonly catalog?: string
  /** JSON. */
  readonly body: string
  /** Checks the answer. @throws SearchApiFailure when it cannot be used */
  readonly read: (answer: unknown) => Answer
  readonly signal?: AbortSignal | undefined
}

/** A catalog for the service. */
export interface Upload {
  readonly projectId?: string | undefined
  readonly hash: string
  /** The lines, packed with gzip. */
  readonly packed: Uint8Array<ArrayBuffer>
}

const FAILURES_UNTIL_OPEN = 3
/** An upload goes on when the search that began it is over. */
const UPLOAD_MS = 60_000
/** Interval and timeout together stay below the ten seconds in which a recovered service should be used again. */
const PROBE_EVERY_MS = 3_000
const LONGEST_PROBE_MS = 5_000

/** A hundred results with all their fields fit in; nothing that takes long to parse does. */
const MAX_ANSWER_BYTES = 4 * 1024 * 1024

const PROBE_TOOL = { toolKey: 'tooldex:probe', toolName: 'probe', serverName: 'tooldex' }

/**
 * The connection to a Search API. Circuit breaker: searches fail fast after three consecutive failures; a probe every few
 * seconds closes it again. Each project has a breaker of its own for refusals.
 */
export class SearchApiLink {
  readonly #options: SearchApiOptions
  readonly #parts: Required<LinkParts>
  readonly #address: URL
  readonly #service: CircuitBreaker
  readonly #projects = new Map<string, CircuitBreaker>()
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

  /** How long a search may wait for the service. */
  get timeoutMs(): number {
    return this.#options.timeoutMs
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
    this.#failFast(project)
    try {
      const answer = await this.#exchange(question, this.#options.timeoutMs)
      this.#service.succeeded()
      project.succeeded()
      return answer
    } catch (error) {
      if (!(error instanceof SearchApiFailure)) {
        project.abandoned()
        throw error
      }
      if (isNextTried(question, error)) project.abandoned()
      else this.#count(error, project, question.projectId)
      throw this.#named(error)
    }
  }

  /** Uploads a catalog. @throws SearchApiFailure */
  async upload({ hash, packed, projectId }: Upload): Promise<void> {
    const url = this.#catalogAddress(hash, '')
    if (projectId !== undefined) url.searchParams.set('projectId', projectId)
    try {
      await putBytes({
        url,
        body: packed,
        headers: { 'content-type': CATALOG_TYPE, 'content-encoding': 'gzip', ...this.#authorization(projectId) },
        maxBytes: MAX_ANSWER_BYTES,
        timeoutMs: UPLOAD_MS,
        signal: this.#closing.signal,
        fetch: this.#parts.fetch,
      })
    } catch (error) {
      throw error instanceof PostError ? this.#named(failureOf(error)) : error
    }
  }

  /** Aborts requests under way. */
  close(): void {
    this.#cancelProbe?.()
    this.#closing.abort(new SearchApiFailure('is no longer asked'))
  }

  #failFast(project: CircuitBreaker): void {
    const breaker = this.#service.isOpen ? this.#service : project
    if (breaker === project && project.enter() === 0) return
    throw this.#named(new SearchApiFailure(`is not asked for a moment: it ${breaker.reason}`))
  }

  #count(error: SearchApiFailure, project: CircuitBreaker, projectId: string | undefined): void {
    if (error.isRefusal) {
      this.#service.succeeded()
      project.failed(error.message)
      return
    }
    project.abandoned()
    this.#service.failed(error.message)
    if (this.#service.isOpen) this.#probeLater(projectId)
  }

  #probeLater(projectId: string | undefined): void {
    this.#cancelProbe ??= this.#parts.after(PROBE_EVERY_MS, () => void this.#probe(projectId))
  }

  /** Runs beside the searches and contains nothing of them. */
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
    if (isBack) this.#service.halfOpen()
    else if (!this.#closing.signal.aborted) this.#probeLater(projectId)
  }

  async #exchange<Answer>(question: Question<Answer>, timeoutMs: number): Promise<Answer> {
    const { now } = this.#parts
    const startedAt = now()
    try {
      const answer = question.read(await this.#post(question, timeoutMs))
      this.#lastAnswer = { at: now(), latencyMs: now() - startedAt }
      this.#state = 'answering'
      return answer
    } catch (error) {
      const failure = error instanceof PostError ? failureOf(error) : error
      if (!(failure instanceof SearchApiFailure) || isNextTried(question, failure)) throw failure
      this.#lastError = { at: now(), reason: failure.message }
      this.#state = 'failing'
      throw failure
    }
  }

  #post({ body, projectId, catalog, signal }: Question<unknown>, timeoutMs: number): Promise<unknown> {
    const closing = this.#closing.signal
    return postJson({
      url: catalog === undefined ? this.#address : this.#catalogAddress(catalog, '/search'),
      body,
      headers: this.#authorization(projectId),
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs,
      signal: signal === undefined ? closing : AbortSignal.any([signal, closing]),
      fetch: this.#parts.fetch,
    })
  }

  #catalogAddress(hash: string, ending: string): URL {
    const url = new URL(this.#address)
    url.pathname = url.pathname.replace(/\/catalog\/search$/, `/catalogs/${hash}${ending}`)
    return url
  }

  #authorization(projectId: string | undefined): Readonly<Record<string, string>> {
    const { projectTokens = {}, token: common } = this.#options
    const token = projectId !== undefined && Object.hasOwn(projectTokens, projectId) ? projectTokens[projectId] : common
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }

  #breakerOf(projectId = ''): CircuitBreaker {
    const known = this.#projects.get(projectId)
    if (known !== undefined) return known
    const breaker = this.#newBreaker()
    this.#projects.set(projectId, breaker)
    return breaker
  }

  #newBreaker(): CircuitBreaker {
    return new CircuitBreaker({ failures: FAILURES_UNTIL_OPEN, openMs: PROBE_EVERY_MS, now: this.#parts.now })
  }

  #named({ message, cause, isRefusal, status, problem }: SearchApiFailure): SearchApiFailure {
    const facts = { cause, isRefusal, status, problem }
    return new SearchApiFailure(`the Search API at ${this.#address.host} ${message}`, facts)
  }
}

/** The URL to post to: a base URL (`http://127.0.0.1:7430`, `https://search.example.org/v1`) is completed. */
export function searchAddress(url: string): URL {
  return withPath(new URL(url), '/catalog/search', '')
}

/** Whether the service is sent the catalog or the tools next, so that the refusal says nothing of it. */
function isNextTried({ catalog }: Question<unknown>, { isRefusal, status }: SearchApiFailure): boolean {
  return catalog !== undefined && isRefusal && !HARD_REFUSALS.has(status)
}

/** Refusals of the caller, whatever it asks. */
const HARD_REFUSALS: ReadonlySet<number> = new Set([401, 403, 429])

/** Without the cause: it may quote a header, and with it the token. */
function failureOf({ kind, status, problem, message }: PostError): SearchApiFailure {
  const isRefusal = status >= 400 && status < 500 && status !== 408
  const remedy = kind === 'status' ? remedyFor(status) : REMEDIES[kind]
  const reason = remedy === undefined ? message : `${message}; ${remedy}`
  return new SearchApiFailure(reason, { isRefusal, status, problem })
}

const REMEDIES: Partial<Record<PostError['kind'], string>> = {
  unreachable: 'check that it runs there',
  'not-json': 'check searchApi.url',
}

function remedyFor(status: number): string {
  if (status >= 300 && status < 400) return 'set searchApi.url to where it redirects'
  if (status === 401) return 'check searchApi.token'
  if (status === 403) return 'its token is not for this project: set one in searchApi.projectTokens'
  if (status === 404 || status === 405) return 'check searchApi.url'
  if (status === 413) return 'it takes fewer or shorter tools than this project has'
  if (status === 429) return 'it takes fewer requests than are made'
  return status >= 500 ? 'look at its own log' : 'it does not take requests like ours'
}

/** A timer that does not keep the process alive. */
function later(ms: number, run: () => void): () => void {
  const timer = setTimeout(run, ms).unref()
  return () => clearTimeout(timer)
}
