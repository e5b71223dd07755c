import {
  CATALOG_TYPE,
  SEARCH_API_LIMITS,
  SEARCH_PATHS,
  type SearchApiQuestion,
  searchApiDocument,
} from '@tooldex/contract/search-api'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { type Caller, Gate, projectOf } from './access/gate.ts'
import { RequestLimits } from './access/request-limits.ts'
import { LayeredCatalogs } from './catalogs/catalog-store.ts'
import { Catalogs, unknownCatalog } from './catalogs/catalogs.ts'
import { EngineCatalogs } from './engine/engine-catalogs.ts'
import { fromRequest, type Incoming, jsonAnswer, type Outgoing, problemAnswer, toResponse } from './http/messages.ts'
import { readCatalogSearch, readRequest, readUnpacked } from './http/read-request.ts'
import { Metrics } from './metrics.ts'
import type { SearchApiLimits, SearchApiOptions } from './options.ts'
import { ProblemError } from './problem-error.ts'
import { AnswerCache, answerKey } from './rank/answer-cache.ts'
import { Ranking } from './rank/ranking.ts'
import { type SearchedTools, ToolSets } from './rank/tool-sets.ts'
import { ModelSelector } from './select/model-selector.ts'

type Handler = (incoming: Incoming) => Outgoing | Promise<Outgoing>
type Route = readonly [method: string, handler: Handler]

/** A search that is about to be ranked. */
interface Ranked {
  /** Of its answer in the cache. */
  readonly key: string
  readonly searched: SearchedTools
  readonly question: SearchApiQuestion
  readonly startedAt: number
  readonly signal: AbortSignal
}

const CATALOG_PATH = /^(?:\/v1)?\/catalogs\/([0-9a-f]{64})(\/search)?$/
const CONCURRENT_UPLOADS = 4

/**
 * Makes the service.
 * @throws ToolSearchError EMBEDDER_FAILED without the table of word vectors; INVALID_ARGUMENTS for an invalid URL
 */
export function createSearchApi(options: SearchApiOptions): SearchApi {
  return new SearchApi(options)
}

/** The service, without a socket. */
export class SearchApi {
  readonly #routes: ReadonlyMap<string, readonly Route[]>
  readonly #gate: Gate
  readonly #limits: SearchApiLimits
  readonly #requestLimits: RequestLimits
  /** Fewer: each may need its whole limit of memory. */
  readonly #uploads: RequestLimits
  readonly #sets: ToolSets
  readonly #engines: EngineCatalogs | undefined
  readonly #catalogs: Catalogs
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
    this.#uploads = new RequestLimits({ concurrentRequests: limits.concurrentUploads ?? CONCURRENT_UPLOADS }, now)
    const embedders = options.embedders ?? [loadStaticEmbedder()]
    const sets = new ToolSets({ ...options, embedders, onProblem })
    this.#sets = sets
    const { queryReader } = sets
    this.#engines =
      options.engine &&
      new EngineCatalogs(
        { engines: options.engine, embedder: embedders[0], queryReader, sets, onProblem },
        cache.engineTools,
      )
    const store = new LayeredCatalogs({ far: options.catalogs, now, onProblem, memoryBytes: cache.catalogBytes })
    this.#catalogs = new Catalogs({ store, sets, engines: this.#engines, limits: this.#catalogLimits })
    this.#ranking = new Ranking(options.select === undefined ? undefined : new ModelSelector(options.select))
    this.#answers = new AnswerCache(cache.answerMs, now)
    this.#metrics = new Metrics(options.processFigures ?? false)
    this.#onProblem = onProblem
    const page = (path: string, handler: Handler): [string, Route[]] => [path, [['GET', handler]]]
    const admitted =
      (work: (caller: Caller, incoming: Incoming) => Promise<Outgoing>): Handler =>
      async (incoming) => {
        const caller = await this.#gate.admit(incoming.header('authorization'))
        return this.#requestLimits.pass(caller, () => work(caller, incoming))
      }
    const search = admitted((caller, incoming) => this.#search(caller, incoming))
    const searchUploaded = admitted((caller, incoming) => this.#searchUploaded(caller, incoming))
    const upload = admitted((caller, incoming) => this.#upload(caller, incoming))
    const show = admitted((caller, incoming) => this.#showCatalog(caller, incoming))
    this.#routes = new Map<string, readonly Route[]>([
      ...SEARCH_PATHS.map((path): [string, Route[]] => [path, [['POST', search]]]),
      [
        '/v1/catalogs/{hash}',
        [
          ['PUT', upload],
          ['GET', show],
        ],
      ],
      ['/v1/catalogs/{hash}/search', [['POST', searchUploaded]]],
      page('/openapi.json', () => jsonAnswer(JSON.stringify(searchApiDocument()))),
      page('/healthz', () => jsonAnswer('{"status":"ok"}')),
      page('/readyz', () => this.#readiness()),
      page('/metrics', (incoming) => this.#metricsPage(incoming)),
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

  /** Reports itself as not ready from now on, and stops background work; resolves once nothing writes to an engine. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#sets.close()
    await this.#engines?.close()
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
    const routes = this.#routes.get(path.replace(CATALOG_PATH, '/v1/catalogs/{hash}$2'))
    if (routes === undefined) {
      throw new ProblemError('PATH_NOT_FOUND', `There are ${[...this.#routes.keys()].join(', ')}.`)
    }
    const route = routes.find(([allowed]) => allowed === (method === 'HEAD' ? 'GET' : method))
    if (route !== undefined) return route[1]
    const allow = routes.map(([allowed]) => allowed).join(', ')
    throw new ProblemError('METHOD_NOT_ALLOWED', `The path takes ${allow}.`, { headers: { allow } })
  }

  /** `POST /catalog/search` */
  async #search(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const startedAt = performance.now()
    const { bodyBytes = SEARCH_API_LIMITS.bodyBytes, tools = SEARCH_API_LIMITS.tools } = this.#limits
    const request = await readRequest(incoming, { bodyBytes, tools })
    const project = projectOf(caller, request.projectId)
    const set = await this.#sets.get(request.tools)
    const key = answerKey(project, set.hash, request)
    return this.#ranked({ key, searched: set.all(), question: request, startedAt, signal: incoming.signal })
  }

  /** `POST /catalogs/{hash}/search` */
  async #searchUploaded(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const startedAt = performance.now()
    const { bodyBytes = SEARCH_API_LIMITS.bodyBytes } = this.#limits
    const request = await readCatalogSearch(incoming, bodyBytes)
    const project = projectOf(caller, request.projectId)
    const set = await this.#catalogs.open({ project, hash: hashIn(incoming) })
    const key = answerKey(project, set.hash, request, request.rule)
    const searched = await set.within(request.rule)
    return this.#ranked({ key, searched, question: request, startedAt, signal: incoming.signal })
  }

  async #ranked({ key, searched, question, startedAt, signal }: Ranked): Promise<Outgoing> {
    const cached = this.#answers.get(key)
    const answer = cached ?? (await this.#ranking.rank(searched, question, signal))
    const isDegraded = answer.degraded !== undefined
    // A degraded answer is not cached: the next one may be better.
    if (cached === undefined && !isDegraded) this.#answers.set(key, answer)
    this.#metrics.searched({
      answeredBy: answer.answeredBy ?? '',
      isDegraded,
      isCached: cached !== undefined,
      tools: searched.size,
      seconds: (performance.now() - startedAt) / 1_000,
    })
    return jsonAnswer(JSON.stringify(answer))
  }

  /** `PUT /catalogs/{hash}` */
  async #upload(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const key = { project: projectOf(caller, incoming.parameter('projectId')), hash: hashIn(incoming) }
    const known = await this.#catalogs.state(key)
    if (known !== undefined) return jsonAnswer(JSON.stringify(known))
    const state = await this.#uploads.pass(caller, async () => {
      const lines = await readUnpacked(incoming, CATALOG_TYPE, this.#catalogLimits.bytes)
      return this.#catalogs.put(key, lines)
    })
    return jsonAnswer(JSON.stringify(state), 201)
  }

  /** `GET /catalogs/{hash}` */
  async #showCatalog(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const key = { project: projectOf(caller, incoming.parameter('projectId')), hash: hashIn(incoming) }
    const known = await this.#catalogs.state(key)
    if (known === undefined) throw unknownCatalog(key.hash)
    return jsonAnswer(JSON.stringify(known))
  }

  get #catalogLimits() {
    const { catalogBytes, catalogTools } = SEARCH_API_LIMITS
    return { bytes: this.#limits.catalogBytes ?? catalogBytes, tools: this.#limits.catalogTools ?? catalogTools }
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

/** The hash in the path of a catalog. */
function hashIn({ path }: Incoming): string {
  return CATALOG_PATH.exec(path)?.[1] ?? ''
}
