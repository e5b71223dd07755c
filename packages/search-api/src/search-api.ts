import { SEARCH_PATHS, searchApiDocument } from '@tooldex/contract/search-api'
import { loadStaticEmbedder } from '@tooldex/embeddings'
import { Gate } from './access/gate.ts'
import { Turnstile } from './access/turnstile.ts'
import { CatalogSearch } from './catalog-search.ts'
import { type Incoming, jsonAnswer, type Outgoing, problemAnswer } from './http/exchange.ts'
import { incomingFrom, toResponse } from './http/web.ts'
import type { SearchApiOptions } from './options.ts'
import { ProblemError } from './problem-error.ts'
import { Answers } from './rank/answers.ts'
import { Ranking } from './rank/ranking.ts'
import { ToolSets } from './rank/tool-sets.ts'
import { ModelSelector } from './select/model-selector.ts'
import { Figures } from './telemetry/figures.ts'

/** The service, without a socket. */
export interface SearchApi {
  /** Answers a request; never rejects. */
  handle(request: Request): Promise<Response>
  /** The same for a request that is none of the platform's, as `listenSearchApi` has them. */
  answer(incoming: Incoming): Promise<Outgoing>
  /** Not ready from now on, and nothing goes on in the background. */
  close(): void
}

type Handler = (incoming: Incoming) => Outgoing | Promise<Outgoing>
type Route = readonly [method: string, handler: Handler]

/**
 * Makes the service.
 * @throws ToolSearchError EMBEDDER_FAILED without the table of word vectors; INVALID_ARGUMENTS for an address that is none
 */
export function createSearchApi(options: SearchApiOptions): SearchApi {
  return new RoutedSearchApi(options)
}

class RoutedSearchApi implements SearchApi {
  readonly #routes: ReadonlyMap<string, Route>
  readonly #sets: ToolSets
  readonly #figures: Figures
  readonly #onProblem: (error: unknown) => void
  #isClosed = false

  constructor(options: SearchApiOptions) {
    const { limits = {}, cache = {}, now = Date.now, onProblem = () => {} } = options
    const gate = new Gate(options, now)
    this.#onProblem = onProblem
    this.#figures = new Figures(options.processFigures ?? false)
    this.#sets = new ToolSets({ ...options, embedders: options.embedders ?? [loadStaticEmbedder()], onProblem })
    const search = new CatalogSearch({
      gate,
      limits,
      sets: this.#sets,
      figures: this.#figures,
      turnstile: new Turnstile(limits, now),
      ranking: new Ranking(options.select === undefined ? undefined : new ModelSelector(options.select)),
      answers: new Answers(cache.answerMs, now),
    })
    this.#routes = new Map<string, Route>([
      ...SEARCH_PATHS.map((path): [string, Route] => [path, ['POST', (incoming) => search.answer(incoming)]]),
      ['/openapi.json', ['GET', () => jsonAnswer(JSON.stringify(searchApiDocument()))]],
      ['/healthz', ['GET', () => jsonAnswer('{"status":"ok"}')]],
      ['/readyz', ['GET', () => this.#readiness()]],
      ['/metrics', ['GET', (incoming) => this.#metrics(gate, incoming)]],
    ])
  }

  async handle(request: Request): Promise<Response> {
    return toResponse(await this.answer(incomingFrom(request)), request.method)
  }

  async answer(incoming: Incoming): Promise<Outgoing> {
    const outgoing = await this.#answered(incoming)
    this.#figures.answered(outgoing.status)
    return outgoing
  }

  close(): void {
    this.#isClosed = true
    this.#sets.close()
  }

  async #answered(incoming: Incoming): Promise<Outgoing> {
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

  #readiness(): Outgoing {
    return this.#isClosed ? jsonAnswer('{"status":"stopping"}', 503) : jsonAnswer('{"status":"ready"}')
  }

  /** For this machine, or whoever has a token. */
  async #metrics(gate: Gate, incoming: Incoming): Promise<Outgoing> {
    if (!incoming.isLocal) await gate.admit(incoming.header('authorization'))
    const body = await this.#figures.text()
    return { status: 200, headers: { 'content-type': this.#figures.contentType, 'cache-control': 'no-store' }, body }
  }
}
