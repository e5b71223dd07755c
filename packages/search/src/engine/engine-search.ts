import { ToolSearchError } from '../errors.ts'
import type { QueryReader } from '../query/query-reader.ts'
import { type ReadQuery, readQuery } from '../providers/bm25/query/read-query.ts'
import { explainMatches } from '../providers/explain.ts'
import { distinctQueries } from '../providers/distinct-queries.ts'
import { fuseRankings, rankingDepth } from '../providers/fuse.ts'
import { type Calibration, calibrate, calibrateNow } from '../providers/meaning/calibration.ts'
import { checkedVectors, failureReason } from '../providers/meaning/checked-vectors.ts'
import { embeddableQuery, textsFor } from '../providers/meaning/embeddable-query.ts'
import type { Embedder } from '../providers/meaning/embedder.ts'
import { type MeantQuery, withMeaning } from '../providers/meaning/explain-meaning.ts'
import { inTime } from '../providers/meaning/in-time.ts'
import { QUERY_BUDGET_MS } from '../providers/meaning/parameters.ts'
import { weightOf } from '../providers/meaning/meaning-search.ts'
import type { Explanation, SearchAnswer, SearchRequest } from '../providers/search-provider.ts'
import { quantise } from '../vectors/quantise.ts'
import type { Candidates, CatalogEngine, ToolRule } from './catalog-engine.ts'
import { type RankedCandidate, type RankedMeaning, Reranker } from './reranker.ts'
import { allowedByRule, type JudgedTool } from './tool-rule.ts'
import { wantedBy } from './wanted.ts'

/** Options of a search on an engine. */
export interface EngineSearchOptions {
  /** That of the tools' vectors. Without it, or while it cannot answer, tools are ranked by their words. */
  readonly embedder?: Embedder
  /** Reads queries that are not in English. */
  readonly queryReader?: QueryReader
  /** How many candidates to ask for; default 300. */
  readonly candidates?: number
  /** How long a search waits for the vector of its query; default 150. */
  readonly queryBudgetMs?: number
  /** How long a search waits for the engine; default: until it answers. */
  readonly patienceMs?: number
}

/** A search on an engine: a rule takes the place of a filter. */
export interface EngineRequest extends Omit<SearchRequest, 'within' | 'context'> {
  readonly rule: ToolRule
  /** The engine must have this revision at least. */
  readonly atLeast?: number
  /**
   * What the caller knows of a tool itself, absent for one that it does not know. Every answer is checked by it, so that
   * no wrong claim of an engine reaches the caller. Without it the claims count.
   */
  readonly known?: (id: string) => Omit<JudgedTool, 'id'> | undefined
}

/** The answer of a search on an engine. */
export interface EngineAnswer extends SearchAnswer {
  /** The revision of the catalog that the engine searched; the lowest where there were several queries. */
  readonly revision: number
}

const CANDIDATES = 300
/** A query whose vector failed is tried without for so long. */
const REST_MS = 15_000

/** Searches a catalog by an engine: has it find candidates, checks them against the rule, and ranks them. */
export class EngineSearch {
  readonly #engine: CatalogEngine
  readonly #options: EngineSearchOptions
  readonly #reranker: Reranker
  #calibration: Calibration | undefined
  #restsUntil = Number.NEGATIVE_INFINITY

  constructor(engine: CatalogEngine, options: EngineSearchOptions = {}) {
    this.#engine = engine
    this.#options = options
    this.#reranker = new Reranker(options.queryReader)
  }

  /**
   * The best tools that the rule allows, best first.
   * @throws ToolSearchError SEARCH_UNAVAILABLE when the engine cannot answer, is late or behind, or makes no sense
   */
  async search(request: EngineRequest): Promise<EngineAnswer> {
    const { patienceMs } = this.#options
    if (patienceMs === undefined) return sound(await this.#search(request))
    // An engine that does not listen to its signal is not waited for either.
    const ask = (stop: AbortSignal): Promise<EngineAnswer> => this.#search({ ...request, signal: stop })
    const late = (): ToolSearchError => unavailable(`it took longer than ${patienceMs} ms`)
    return sound(await inTime(patienceMs, ask, request.signal, late))
  }

  async #search(request: EngineRequest): Promise<EngineAnswer> {
    const queries = distinctQueries(request.queries)
    if (queries.length === 0) return { hits: [], answeredBy: 'none', revision: await this.#engine.revision() }
    const depth = rankingDepth(queries.length, request.maxResults)
    const answers = await Promise.all(queries.map((query) => this.#searchOne(query, request, depth)))
    const failure = answers.find((answer) => answer.failure !== undefined)?.failure
    const { embedder } = this.#options
    const byMeaning = embedder !== undefined && failure === undefined
    return {
      hits: fuseRankings(
        answers.map(({ ranked }) => ranked.map(({ hit }) => hit)),
        request.maxResults,
      ).map((hit) => (request.explain === true ? { ...hit, explanation: explained(hit.id, answers) } : hit)),
      answeredBy: byMeaning ? 'hybrid' : 'bm25',
      revision: Math.min(...answers.map(({ revision }) => revision)),
      ...(byMeaning && { embedder: embedder.id }),
      ...(failure !== undefined && { degraded: { strategy: 'hybrid', reason: failure } }),
    }
  }

  async #searchOne(query: string, request: EngineRequest, depth: number): Promise<AnsweredQuery> {
    const typed = readQuery(query)
    let found = await this.#found(typed, request)
    let set = this.#reranker.take(found.candidates)
    const read = set.read(query)
    if (read.text !== typed.text) {
      // A corrected word has another meaning and is in other tools.
      found = await this.#found(read, request)
      set = this.#reranker.take(found.candidates)
    }
    const ranked = set.rank(read, found.meaning, depth, request.explain === true)
    return { ranked, meant: found.meaning?.query, revision: found.candidates.revision, failure: found.failure }
  }

  async #found(read: ReadQuery, request: EngineRequest): Promise<Found> {
    const { rule, atLeast, signal } = request
    const { meaning, failure } = await this.#meaningOf(read, signal)
    const vectors = (meaning?.vectors ?? []).map((vector) => Float32Array.from(vector))
    const wanted = wantedBy(read, vectors, this.#options.queryReader)
    const candidates = await this.#engine.candidates(wanted, rule, this.#options.candidates ?? CANDIDATES, {
      ...(atLeast !== undefined && { atLeast }),
      ...(signal !== undefined && { signal }),
    })
    signal?.throwIfAborted()
    return { candidates: checked(candidates, request), meaning, failure }
  }

  async #meaningOf(read: ReadQuery, signal?: AbortSignal): Promise<Pick<Found, 'meaning' | 'failure'>> {
    const { embedder, queryReader } = this.#options
    if (embedder === undefined) return { meaning: undefined, failure: undefined }
    const query = embeddableQuery(read, queryReader)
    const texts = textsFor(embedder, query)
    try {
      const vectors = await this.#embed(embedder, texts, signal)
      this.#calibration ??= await this.#calibrate(embedder)
      const traits = { calibration: this.#calibration, weight: weightOf(embedder) }
      return { meaning: { ...traits, query, vectors: vectors.map(quantise) }, failure: undefined }
    } catch (error) {
      signal?.throwIfAborted()
      return { meaning: undefined, failure: `${embedder.id}: ${failureReason(error)}` }
    }
  }

  async #embed(embedder: Embedder, texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]> {
    if (embedder.embedNow !== undefined) {
      const vectors = texts.map((text) => embedder.embedNow?.(text) as Float32Array)
      return checkedVectors(vectors, texts.length, embedder)
    }
    if (performance.now() < this.#restsUntil) {
      throw new ToolSearchError('EMBEDDER_FAILED', { embedder: embedder.id, reason: 'it has just failed or was late' })
    }
    const budget = this.#options.queryBudgetMs ?? QUERY_BUDGET_MS
    try {
      const answer = await inTime(budget, (stop) => embedder.embed(texts, { purpose: 'query', signal: stop }), signal)
      return checkedVectors(answer, texts.length, embedder)
    } catch (error) {
      if (signal?.aborted !== true) this.#restsUntil = performance.now() + REST_MS
      throw error
    }
  }

  #calibrate(embedder: Embedder): Calibration | Promise<Calibration> {
    if (embedder.embedNow === undefined) return calibrate(embedder, new AbortController().signal)
    return calibrateNow(embedder, (text) => embedder.embedNow?.(text) as Float32Array)
  }
}

interface Found {
  readonly candidates: Candidates
  /** Absent where only words are compared. */
  readonly meaning: RankedMeaning | undefined
  /** Why meaning could not be compared. */
  readonly failure: string | undefined
}

/** The answer to one of several queries. */
interface AnsweredQuery {
  readonly ranked: readonly RankedCandidate[]
  /** What was compared by meaning. */
  readonly meant: MeantQuery | undefined
  readonly revision: number
  readonly failure: string | undefined
}

/** Why a tool was found, by all queries that found it. */
function explained(id: string, answers: readonly AnsweredQuery[]): Explanation {
  const found = answers.flatMap(({ ranked, meant }) =>
    ranked.filter(({ hit }) => hit.id === id).map(({ words, isMeant }) => ({ words, isMeant, meant })),
  )
  const words = explainMatches(found.flatMap((one) => one.words?.matches ?? []))
  if (found.every(({ meant }) => meant === undefined)) return words
  return withMeaning(
    words,
    found.flatMap(({ isMeant, meant }) => (isMeant && meant !== undefined ? [meant] : [])),
  )
}

/** Figures of an engine that make no sense would show as scores that are none. */
function sound(answer: EngineAnswer): EngineAnswer {
  const isSound = answer.hits.every(
    ({ score, relevance }) => Number.isFinite(score) && relevance >= 0 && relevance <= 1,
  )
  if (isSound) return answer
  throw unavailable('its statistics make no sense')
}

function unavailable(reason: string): ToolSearchError {
  return new ToolSearchError('SEARCH_UNAVAILABLE', { reason })
}

/** Without tools that the rule does not allow, whatever the engine answered, and without repeated ones. */
function checked(candidates: Candidates, { rule, known }: EngineRequest): Candidates {
  const allowed = allowedByRule(rule)
  const tools = new Map<string, Candidates['tools'][number]>()
  for (const tool of candidates.tools) {
    const facts = known === undefined ? tool : known(tool.id)
    if (facts !== undefined && facts.server === tool.server && allowed({ ...facts, id: tool.id }))
      tools.set(tool.id, tool)
  }
  return { ...candidates, tools: [...tools.values()] }
}
