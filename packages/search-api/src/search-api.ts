import { SEARCH_API_LIMITS, SEARCH_PATHS, searchApiDocument } from '@tooldex/contract/search-api'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { type Caller, Gate, projectOf } from './access/gate.ts'
import { RequestLimits } from './access/request-limits.ts'
import { fromRequest, type Incoming, jsonAnswer, type Outgoing, problemAnswer, toResponse } from './http/messages.ts'
import { readRequest } from './http/read-request.ts'
import { Metrics } from './metrics.ts'
import type { SearchApiLimits, SearchApiOptions } from './options.ts'
import { ProblemError } from './problem-error.ts'
import { AnswerCache, answerKey } from './rank/answer-cache.ts'
import { Ranking } from './rank/ranking.ts'
import { ToolSets } from './rank/tool-sets.ts'
import { ModelSelector } from './select/model-selector.ts'

type Handler = (incoming: Incoming) => Outgoing | Promise<Outgoing>
type Route = readonly [method: string, handler: Handler]

/**
 * Makes the service.
 * @throws ToolSearchError EMBEDDER_FAILED without the table of word vectors; INVALID_ARGUMENTS for an invalid URL
 */
export function createSearchApi(options: SearchApiOptions): SearchApi {
  return new SearchApi(options)
}

/** The service, without a socket. */
export class SearchApi {
  readonly #routes: ReadonlyMap<string, Route>
  readonly #gate: Gate
  readonly #limits: SearchApiLimits
  readonly #requestLimits: RequestLimits
  readonly #sets: ToolSets
  readonly #ranking: Ranking
  readonly #answers: AnswerCache
  readonly #metrics: Metrics
  readonly #onProblem: (error: unknown) => void
  #isClosed = false

  constructor(options: SearchApiOptions) {
    const { limits = {}, cache = {}, now = Date.now, onProblem = () => {} } = options
    this.#gate = new Gate(options, now)
    this.#limits = limits
    this.#requestLimits = new RequestLimits(limits, now)
    this.#sets = new ToolSets({ ...options, embedders: options.embedders ?? [loadStaticEmbedder()], onProblem })
    this.#ranking = new Ranking(options.select === undefined ? undefined : new ModelSelector(options.select))
    this.#answers = new AnswerCache(cache.answerMs, now)
    this.#metrics = new Metrics(options.processFigures ?? false)
    this.#onProblem = onProblem
    this.#routes = new Map<string, Route>([
      ...SEARCH_PATHS.map((path): [string, Route] => [path, ['POST', (incoming) => this.#search(incoming)]]),
      ['/openapi.json', ['GET', () => jsonAnswer(JSON.stringify(searchApiDocument()))]],
      ['/healthz', ['GET', () => jsonAnswer('{"status":"ok"}')]],
      ['/readyz', ['GET', () => this.#readiness()]],
      ['/metrics', ['GET', (incoming) => this.#metricsPage(incoming)]],
    ])
  }

  /** Answers a web-standard request; never rejects. */
  async handle(request: Request): Promise<Response> {
    return toResponse(await this.answer(fromRequest(request)), request.method)
  }

  /** The same for requests of other servers, such as that of `listenSearchApi`. */
  async answer(incoming: Incoming): Promise<Outgoing> {
    const outgoing = await this.#answerOrProblem(incoming)
    this.#metrics.answered(outgoing.status)
    return outgoing
  }

  /** Reports itself as not ready from now on, and stops background work. */
  close(): void {
    this.#isClosed = true
    this.#sets.close()
  }

  async #answerOrProblem(incoming: Incoming): Promise<Outgoing> {
    try {
      return await this.#handlerFor(incoming)(incoming)
    } catch (error) {
      if (error instanceof ProblemError) {
        if (error.cause !== undefined) this.#onProblem(error.cause)
        return problemAnswer(error)
      }
      if (incoming.signal.aborted) return problemAnswer(new ProblemError('UNAVAILABLE', 'The caller went away.'))
      this.#onProblem(error)
      return problemAnswer(new ProblemError('INTERNAL', 'The log of the service has it; report it.'))
    }
  }

  #handlerFor({ method, path }: Incoming): Handler {
    const route = this.#routes.get(path)
    if (route === undefined) {
      throw new ProblemError('PATH_NOT_FOUND', `There are ${[...this.#routes.keys()].join(', ')}.`)
    }
    const [allow, handler] = route
    if ((method === 'HEAD' ? 'GET' : method) === allow) return handler
    throw new ProblemError('METHOD_NOT_ALLOWED', `The path takes ${allow}.`, { headers: { allow } })
  }

  /** `POST /catalog/search` */
  async #search(incoming: Incoming): Promise<Outgoing> {
    const caller = await this.#gate.admit(incoming.header('authorization'))
    return this.#requestLimits.pass(caller, () => this.#searchFor(caller, incoming))
  }

  async #searchFor(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const startedAt = performance.now()
    const { bodyBytes = SEARCH_API_LIMITS.bodyBytes, tools = SEARCH_API_LIMITS.tools } = this.#limits
    const request = await readRequest(incoming, { bodyBytes, tools })
    const project = projectOf(caller, request.projectId)
    const set = await this.#sets.get(request.tools)
    const key = answerKey(project, set.hash, request)
    const cached = this.#answers.get(key)
    const answer = cached ?? (await this.#ranking.rank(set, request, incoming.signal))
    const isDegraded = answer.degraded !== undefined
    // A degraded answer is not cached: the next one may be better.
    if (cached === undefined && !isDegraded) this.#answers.set(key, answer)
    this.#metrics.searched({
      answeredBy: answer.answeredBy ?? '',
      isDegraded,
      isCached: cached !== undefined,
      tools: request.tools.length,
      seconds: (performance.now() - startedAt) / 1_000,
    })
    return jsonAnswer(JSON.stringify(answer))
  }

  #readiness(): Outgoing {
    return this.#isClosed ? jsonAnswer('{"status":"stopping"}', 503) : jsonAnswer('{"status":"ready"}')
  }

  /** Open to this machine, and to callers with a token. */
  async #metricsPage(incoming: Incoming): Promise<Outgoing> {
    if (!incoming.isLocal) await this.#gate.admit(incoming.header('authorization'))
    const body = await this.#metrics.text()
    return { status: 200, headers: { 'content-type': this.#metrics.contentType, 'cache-control': 'no-store' }, body }
  }
}
