import { SEARCH_API_LIMITS } from '@tooldex/contract/search-api'
import { type Gate, projectOf } from './access/gate.ts'
import type { Caller } from './access/tokens.ts'
import type { Turnstile } from './access/turnstile.ts'
import { type Incoming, jsonAnswer, type Outgoing } from './http/exchange.ts'
import { readJson } from './http/read-json.ts'
import { readRequest } from './http/read-request.ts'
import type { SearchApiLimits } from './options.ts'
import { type Answers, answerKey } from './rank/answers.ts'
import type { Ranking } from './rank/ranking.ts'
import type { ToolSets } from './rank/tool-sets.ts'
import type { Figures } from './telemetry/figures.ts'

/** What a search passes through. */
export interface CatalogSearchParts {
  readonly gate: Gate
  readonly turnstile: Turnstile
  readonly sets: ToolSets
  readonly ranking: Ranking
  readonly answers: Answers
  readonly figures: Figures
  readonly limits: SearchApiLimits
}

/** `POST /catalog/search`: who asks, what for, and what of it fits. */
export class CatalogSearch {
  readonly #parts: CatalogSearchParts

  constructor(parts: CatalogSearchParts) {
    this.#parts = parts
  }

  /** @throws ProblemError for whatever is not right with the request */
  async answer(incoming: Incoming): Promise<Outgoing> {
    const { gate, turnstile } = this.#parts
    const caller = await gate.admit(incoming.header('authorization'))
    return turnstile.pass(caller, () => this.#answerTo(caller, incoming))
  }

  async #answerTo(caller: Caller, incoming: Incoming): Promise<Outgoing> {
    const { limits, sets, ranking, answers } = this.#parts
    const startedAt = performance.now()
    const body = await readJson(incoming, limits.bodyBytes ?? SEARCH_API_LIMITS.bodyBytes)
    const request = readRequest(body, limits.tools ?? SEARCH_API_LIMITS.tools)
    const project = projectOf(caller, request.projectId)
    const set = await sets.get(request.tools)
    const key = answerKey(project, set.hash, request)
    const kept = answers.get(key)
    const answer = kept ?? (await ranking.rank(set, request, incoming.signal))
    const isCached = kept !== undefined
    // A degraded answer is not kept: the next one may be better.
    if (!isCached && answer.degraded === undefined) answers.set(key, answer)
    this.#parts.figures.searched({
      answeredBy: answer.answeredBy ?? '',
      isDegraded: answer.degraded !== undefined,
      isCached,
      tools: request.tools.length,
      seconds: (performance.now() - startedAt) / 1_000,
    })
    return jsonAnswer(JSON.stringify(answer))
  }
}
