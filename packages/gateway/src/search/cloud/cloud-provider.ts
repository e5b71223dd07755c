import { SEARCH_API_LIMITS } from '@tooldex/contract/search-api'
import { type SearchAnswer, type SearchProvider, type ToolChange, ToolScope, ToolSearchError } from '@tooldex/search'
import { LRUCache } from 'lru-cache'
import type { RuledSearchRequest } from '../../catalog/search-index/background-index.ts'
import { type CatalogReference, ProjectCatalogs } from './project-catalogs.ts'
import { readAnswer, SearchApiFailure } from './read-answer.ts'
import type { SearchApiLink } from './search-api-link.ts'
import { SendableTools } from './sent-tools.ts'

const { queries: MOST_QUERIES, queryLength, contextLength, tools: MOST_TOOLS, results } = SEARCH_API_LIMITS

/** A search with the project that it is for; only this provider uses it. */
export interface ProjectSearchRequest extends RuledSearchRequest {
  readonly projectId?: string
}

/** Fewer tools cost less to send than to look up. */
const REFERRED_FROM = 100
/** How long a service that takes no catalogs is sent the tools before it is tried again. */
const SENT_FOR_MS = 10 * 60_000

type Link = Pick<SearchApiLink, 'ask'> & Partial<Pick<SearchApiLink, 'upload' | 'timeoutMs'>>

/**
 * Ranks through a Search API. Sends it the tools that the search may see, or uploads the catalog of the project once and sends a
 * rule; checks its answer against the tools in either case.
 */
export class CloudProvider implements SearchProvider {
  readonly strategy = 'cloud'
  /** The service may rank in any way. */
  readonly deterministic = false
  readonly #link: Link
  readonly #whileAsking: () => void
  readonly #now: () => number
  readonly #tools = new SendableTools()
  readonly #catalogs = new ProjectCatalogs((scope) => this.#tools.of(scope))
  readonly #uploads = new Map<string, Promise<void>>()
  /** Catalogs that the service refused; the time until which their tools are sent. */
  readonly #refused = new LRUCache<string, number>({ max: 1_000 })
  /** Whether the service takes catalogs: unknown until it has answered. */
  #takesCatalogs: boolean | undefined
  #askAgainAt = 0

  /**
   * @param whileAsking work to do while the service is asked, such as preparing its substitute
   * @param now epoch milliseconds
   */
  constructor(link: Link, whileAsking: () => void = () => {}, now: () => number = Date.now) {
    this.#link = link
    this.#whileAsking = whileAsking
    this.#now = now
  }

  apply(change: ToolChange): void {
    this.#tools.apply(change)
    this.#catalogs.clear()
  }

  async search(request: ProjectSearchRequest): Promise<SearchAnswer> {
    request.signal?.throwIfAborted()
    const queries = sentQueries(request.queries)
    const maxResults = Math.min(request.maxResults, results.most)
    if (queries.length === 0 || maxResults < 1) return { hits: [], answeredBy: this.strategy }
    const asked = { ...request, queries, maxResults }
    try {
      const answer = (await this.#byReference(asked)) ?? (await this.#withTools(asked))
      return { ...answer, answeredBy: this.strategy }
    } catch (error) {
      throw error instanceof SearchApiFailure ? unavailable(error.message, error) : error
    }
  }

  /** Undefined where the tools have to be sent: they are few, or the service takes no catalogs. */
  async #byReference(request: ProjectSearchRequest): Promise<Ranked | undefined> {
    const { within, projectId = '' } = request
    if (!(within instanceof ToolScope) || within.size < REFERRED_FROM || this.#link.upload === undefined)
      return undefined
    if (this.#takesCatalogs === false && this.#now() < this.#askAgainAt) return undefined
    const reference = await this.#catalogs.reference(projectId, within)
    if (this.#now() < (this.#refused.get(uploadKey(projectId, reference)) ?? 0)) return undefined
    try {
      return await this.#askUploaded(request, reference)
    } catch (error) {
      if (!(error instanceof SearchApiFailure) || !this.#isWithoutCatalogs(error)) throw error
      this.#takesCatalogs = false
      this.#askAgainAt = this.#now() + SENT_FOR_MS
      return undefined
    }
  }

  /** Searches the catalog; uploads it if the service does not have it. Undefined if it refuses it, or loses it at once. */
  async #askUploaded(request: ProjectSearchRequest, reference: CatalogReference): Promise<Ranked | undefined> {
    for (const isLast of [false, true]) {
      try {
        const { hash: catalog, rule, idOf } = reference
        const answer = await this.#ask(request, { catalog, body: bodyOf(request, 'rule', JSON.stringify(rule)), idOf })
        this.#takesCatalogs = true
        return answer
      } catch (error) {
        if (!(error instanceof SearchApiFailure) || error.problem !== 'CATALOG_UNKNOWN') throw error
        this.#takesCatalogs = true
        if (isLast || !(await this.#uploaded(request, reference))) return undefined
      }
    }
    return undefined
  }

  /** Whether the service has the catalog now. Waits as long as for an answer; the upload goes on after that. */
  async #uploaded({ projectId, signal }: ProjectSearchRequest, reference: CatalogReference): Promise<boolean> {
    const { timeoutMs } = this.#link
    const limit = timeoutMs === undefined ? [] : [AbortSignal.timeout(timeoutMs)]
    const either = AbortSignal.any([...limit, ...(signal === undefined ? [] : [signal])])
    try {
      await abortable(this.#upload(projectId, reference), either)
      return true
    } catch (error) {
      signal?.throwIfAborted()
      if (limit[0]?.aborted === true) throw new SearchApiFailure(`is still being sent the tools after ${timeoutMs} ms`)
      if (!(error instanceof SearchApiFailure) || !error.isRefusal) throw error
      this.#refused.set(uploadKey(projectId, reference), this.#now() + SENT_FOR_MS)
      return false
    }
  }

  /** One upload at a time of each catalog, however many searches need it. */
  #upload(projectId: string | undefined, reference: CatalogReference): Promise<void> {
    const { hash, packed } = reference
    const key = uploadKey(projectId, reference)
    const running = this.#uploads.get(key)
    if (running !== undefined) return running
    const upload = packed()
      .then((bytes) => this.#link.upload?.({ projectId, hash, packed: bytes }))
      .finally(() => this.#uploads.delete(key))
    this.#uploads.set(key, upload)
    // Searches that wait for it have gone, perhaps.
    upload.catch(() => {})
    return upload
  }

  /** Whether the failure may mean that the service does not know catalogs. A service that took one before does. */
  #isWithoutCatalogs({ status }: SearchApiFailure): boolean {
    return this.#takesCatalogs !== true && status >= 400 && ![401, 403, 408, 413, 429].includes(status)
  }

  async #withTools(request: ProjectSearchRequest): Promise<Ranked> {
    const { count, json, idByKey } = this.#tools.within(request.within)
    if (count === 0) return { hits: [] }
    if (count > MOST_TOOLS) throw unavailable(`a Search API takes ${MOST_TOOLS} tools, and these are ${count}`)
    return this.#ask(request, { body: bodyOf(request, 'tools', json), idOf: (key) => idByKey.get(key) })
  }

  async #ask(request: ProjectSearchRequest, { idOf, ...question }: Asked): Promise<Ranked> {
    const { projectId, signal, maxResults, explain = false } = request
    const read = (answer: unknown): Ranked => readAnswer(answer, { idOf, maxResults, explain })
    const asked = this.#link.ask({ ...question, projectId, signal, read })
    this.#whileAsking()
    return asked
  }
}

type Ranked = Pick<SearchAnswer, 'hits' | 'degraded'>

interface Asked {
  readonly catalog?: string
  readonly body: string
  readonly idOf: (toolKey: string) => string | undefined
}

function uploadKey(projectId = '', { hash }: CatalogReference): string {
  return `${hash} ${projectId}`
}

/** Waits for the work, or rejects with the signal's reason. */
async function abortable(work: Promise<void>, signal: AbortSignal): Promise<void> {
  let abort = (): void => {}
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
  })
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Without blank and repeated ones, within the service's limits. */
function sentQueries(queries: readonly string[]): string[] {
  const distinct = new Set<string>()
  for (const query of queries) {
    const trimmed = query.trim().slice(0, queryLength)
    if (trimmed !== '') distinct.add(trimmed)
    if (distinct.size === MOST_QUERIES) break
  }
  return [...distinct]
}

/** Tools and rules are JSON text already: tools are most of the body, and the same for every search of a project. */
function bodyOf(request: ProjectSearchRequest, name: 'tools' | 'rule', json: string): string {
  const { queries, context, maxResults, projectId } = request
  const head = JSON.stringify({
    query: queries,
    ...(context !== undefined && { context: context.slice(0, contextLength) }),
    maxResults,
    ...(projectId !== undefined && { projectId }),
  })
  return `${head.slice(0, -1)},"${name}":${json}}`
}

function unavailable(reason: string, cause?: unknown): ToolSearchError {
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, cause === undefined ? {} : { cause })
}
