import { LRUCache } from 'lru-cache'
import { hasCode, type SearchAnswer, type SearchHit, type SearchProvider, ToolScope, verdictOf } from '@tooldex/search'
import type { EligibleTools } from '../access/eligible-tools.ts'
import type { RequestContext } from '../calls/call.ts'
import type { CatalogTool } from '../catalog/catalog.ts'
import { keyOfSearched, ownWordsOf, searchedId } from '../catalog/search-index/indexed-tools.ts'
import { GatewayError } from '../errors.ts'
import type { AuditLog } from '../model/audit.ts'
import type { ResolvedDisclosure } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { Stopwatch } from '../stopwatch.ts'
import { NO_TRACING, type Span, type SpanFacts, type Tracing } from '../telemetry/tracing.ts'
import type { ProjectSearchRequest } from './cloud/cloud-provider.ts'
import { isLearning, searchLearnt } from './learning/learnt-search.ts'
import type { ProjectUses } from './learning/project-uses.ts'
import { queryShape } from './query-shape.ts'
import { SearchPage } from './search-page.ts'
import { withServerNames } from './server-names.ts'
import { SEARCH_IS_OFF, searchNotices } from './search-notices.ts'
import type { FoundTool, SearchAnswered, SearchAsk, SearchOutcome } from './search-outcome.ts'

/** Where debug lines go; a pino logger is one. */
export interface DebugLog {
  isLevelEnabled(level: 'debug'): boolean
  debug(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** Where searching logs. */
export interface SearchLog extends DebugLog {
  info(facts: Readonly<Record<string, unknown>>, message: string): void
}

/** The collaborators of searching. */
interface ToolSearchParts {
  /** The provider of a strategy, with the index of all tools. */
  readonly provider: (strategy: string) => SearchProvider
  /** What projects learnt; absent where no search learns. */
  readonly learnt?: Pick<ProjectUses, 'of' | 'noteOrder'>
  readonly audit: AuditLog
  readonly now: () => number
  readonly log?: SearchLog
  readonly tracing?: Tracing
}

/** The caller of a search. */
export interface SearchContext
  extends Pick<RequestContext, 'requestId' | 'tokenId' | 'projectId' | 'endpointId' | 'from' | 'signal'> {
  /** The `_meta` of the client's request, for the trace that the search is part of. */
  readonly meta?: Readonly<Record<string, unknown>>
  /** A person looks at how search answers; no agent searches, so that there is no audit entry. */
  readonly isPreview?: boolean
}

/** `answeredBy` of blank queries that list tools. */
const BY_LISTING = 'list-order'
/** `answeredBy` of searches that no strategy answered. */
const BY_NONE = 'none'
const LONGEST_EXPLANATION = 300

/** Searches the tools that a caller may use, and no others. */
export class ToolSearch {
  readonly #parts: ToolSearchParts
  readonly #scopes = new SearchScopes()
  readonly #selections = new SearchSelections()
  /** Strategies whose last search had a substitute. */
  readonly #degraded = new Set<string>()

  constructor(parts: ToolSearchParts) {
    this.#parts = parts
  }

  /**
   * Every search leaves exactly one audit entry, failed ones included, except previews.
   * @throws GatewayError SEARCH_UNAVAILABLE, CALL_CANCELLED, INVALID_ARGUMENTS for a cursor that does not fit
   */
  async search(
    eligible: EligibleTools,
    settings: ResolvedDisclosure,
    ask: SearchAsk,
    context: SearchContext,
  ): Promise<SearchOutcome> {
    const watch = new Stopwatch(this.#parts.now)
    const span = this.#begin(settings, ask, context)
    try {
      const outcome = await this.#answer(eligible, settings, ask, context)
      const name = outcome.state === 'off' ? 'SEARCH_OFF' : 'ok'
      this.#record(context, watch, ask, name, outcome)
      span.end(name, factsOf(outcome))
      return outcome
    } catch (cause) {
      const error = asGatewayError(cause, settings, context.signal)
      const name = error instanceof GatewayError ? error.code : 'INTERNAL'
      this.#record(context, watch, ask, name)
      span.end(name)
      throw error
    }
  }

  #begin({ strategy }: ResolvedDisclosure, { queries }: SearchAsk, context: SearchContext): Span {
    const { tracing = NO_TRACING } = this.#parts
    return tracing.begin('search', context.meta ?? {}, {
      'tooldex.strategy': strategy ?? BY_NONE,
      'tooldex.query_count': queries.length,
      'tooldex.project': context.projectId,
      'tooldex.endpoint': context.endpointId,
      'tooldex.request_id': context.requestId,
    })
  }

  /** Records a search with invalid arguments. */
  refused(context: SearchContext): void {
    this.#record(context, new Stopwatch(this.#parts.now), { queries: [] }, 'INVALID_ARGUMENTS')
  }

  async #answer(
    eligible: EligibleTools,
    settings: ResolvedDisclosure,
    ask: SearchAsk,
    context: SearchContext,
  ): Promise<SearchOutcome> {
    const { strategy, searchThreshold } = settings
    if (strategy === null) return { state: 'off', notices: [SEARCH_IS_OFF] }
    const selected = this.#selections.select(eligible, ask)
    if (ask.queries.every((query) => query.trim() === '')) return unranked(selected, ask, strategy)
    const provider = this.#parts.provider(strategy)
    const page = new SearchPage(ask, settings, context, provider.deterministic)
    const request: ProjectSearchRequest = {
      queries: ask.queries.map((query) => withServerNames(query, selected.servers)),
      ...(ask.context !== undefined && { context: ask.context }),
      maxResults: page.rankedCount,
      within: this.#scopes.scopeOf(selected),
      rule: selected.rule,
      explain: ask.explain,
      signal: context.signal,
      projectId: selected.project.id,
    }
    const uses =
      settings.learning && isLearning(strategy) ? await this.#parts.learnt?.of(eligible.project.id) : undefined
    const isPreview = context.isPreview === true
    const onRanked = (order: readonly ToolKey[]): void => this.#parts.learnt?.noteOrder(context.requestId, order)
    const answer =
      uses === undefined
        ? await provider.search(request)
        : await searchLearnt(provider, request, { uses, eligible: selected, isPreview, onRanked })
    const ranked = foundTools(answer, selected, ask.explain)
    const kept = ranked.filter((hit) => hit.relevance >= searchThreshold)
    const { found, cursorAfter } = page.of(kept, answer.answeredBy)
    this.#logSearch(selected, settings, ask, { answer, found, context })
    this.#logDegraded(strategy, answer)
    const { answeredBy, degraded } = answer
    const [nearest] = ranked
    const answered = {
      found,
      answeredBy,
      verdict: verdictOf(nearest?.relevance),
      ...(nearest !== undefined && { nearest: nearest.tool }),
      ...(degraded !== undefined && { degraded }),
    }
    const dropped = ranked.length - kept.length
    const notices = searchNotices({ ...answered, ask, eligible: selected, all: eligible, dropped })
    return { state: 'answered', ...answered, cursorAfter, notices }
  }

  #logSearch(
    eligible: EligibleTools,
    settings: ResolvedDisclosure,
    ask: SearchAsk,
    { answer, found, context }: { answer: SearchAnswer; found: readonly FoundTool[]; context: SearchContext },
  ): void {
    const { log } = this.#parts
    if (log?.isLevelEnabled('debug') !== true) return
    const facts = {
      requestId: context.requestId,
      indexSize: eligible.size,
      strategy: settings.strategy,
      answeredBy: answer.answeredBy,
      ...(answer.embedder !== undefined && { embedder: answer.embedder }),
      queries: ask.queries.map((query) => (settings.strategy === 'regex' ? 'pattern' : queryShape(query))),
      scores: answer.hits.map(({ id, score, relevance }) => ({ toolKey: keyOfSearched(id), score, relevance })),
      threshold: settings.searchThreshold,
      kept: found.length,
    }
    log.debug(facts, 'searched tools')
  }

  /** Logs once that a strategy or its embedder has a substitute, and once that it answers again. */
  #logDegraded(strategy: string, { degraded, answeredBy, embedder }: SearchAnswer): void {
    if (this.#degraded.has(strategy) === (degraded !== undefined)) return
    const facts = { strategy, answeredBy, ...(embedder !== undefined && { embedder }) }
    if (degraded === undefined) {
      this.#degraded.delete(strategy)
      this.#parts.log?.info(facts, 'searches are no longer degraded')
    } else {
      this.#degraded.add(strategy)
      this.#parts.log?.info({ ...facts, reason: degraded.reason }, 'searches are degraded')
    }
  }

  #record(
    context: SearchContext,
    watch: Stopwatch,
    ask: Pick<SearchAsk, 'queries'>,
    outcome: string,
    result?: SearchOutcome,
  ): void {
    if (context.isPreview === true) return
    const { requestId, tokenId, projectId, endpointId, from } = context
    const answered = result?.state === 'answered' ? result : undefined
    this.#parts.audit.record({
      kind: 'search',
      at: watch.startedAt,
      requestId,
      tokenId,
      projectId,
      endpointId,
      ...from,
      durationMs: watch.ms,
      outcome,
      queryCount: ask.queries.length,
      ...(ask.queries.length > 0 && { queries: ask.queries }),
      resultKeys: answered?.found.map(({ tool }) => tool.key) ?? [],
      answeredBy: answered?.answeredBy ?? BY_NONE,
      ...(answered?.degraded !== undefined && { degraded: answered.degraded.strategy }),
      ...(result !== undefined && result.notices.length > 0 && { notices: result.notices.map(({ code }) => code) }),
    })
  }
}

function factsOf(outcome: SearchOutcome): SpanFacts {
  if (outcome.state === 'off') return {}
  return { 'tooldex.answered_by': outcome.answeredBy, 'tooldex.result_count': outcome.found.length }
}

/** Blank queries rank nothing: they ask for the first tools, or for none. */
function unranked(eligible: EligibleTools, ask: SearchAsk, strategy: string): SearchAnswered {
  const isListing = ask.whenBlank === 'first-tools'
  const shown = isListing ? eligible.list.slice(0, ask.maxResults) : []
  const found = shown.map((tool) => ({ tool, relevance: 0 }))
  const answered = { found, answeredBy: isListing ? BY_LISTING : strategy }
  const notices = searchNotices({ ...answered, ask, eligible, all: eligible, dropped: 0 })
  return { state: 'answered', ...answered, notices }
}

/** Providers can be remote: their answers are checked once more against the tools that the caller may see. */
function foundTools(answer: SearchAnswer, eligible: EligibleTools, explain: boolean): readonly FoundTool[] {
  const found = new Map<ToolKey, FoundTool>()
  for (const hit of answer.hits) {
    const tool = eligible.get(keyOfSearched(hit.id))
    if (tool !== undefined && !found.has(tool.key)) found.set(tool.key, foundTool(tool, hit, answer, explain))
  }
  return [...found.values()]
}

function foundTool(tool: CatalogTool, hit: SearchHit, { answeredBy }: SearchAnswer, explain: boolean): FoundTool {
  const relevance = hit.relevance > 0 ? Math.min(hit.relevance, 1) : 0
  if (!explain) return { tool, relevance }
  const text = hit.explanation?.text ?? ''
  const explanation = text.trim() === '' ? `chosen by ${answeredBy}` : text
  const isLong = explanation.length > LONGEST_EXPLANATION
  return { tool, relevance, explanation: isLong ? `${explanation.slice(0, LONGEST_EXPLANATION)}…` : explanation }
}

function asGatewayError(cause: unknown, { strategy }: ResolvedDisclosure, signal: AbortSignal): unknown {
  if (cause instanceof GatewayError) return cause
  if (signal.aborted) return new GatewayError('CALL_CANCELLED', {}, { cause })
  if (!hasCode(cause, 'SEARCH_UNAVAILABLE')) return cause
  const details = { strategy: String(strategy), remedy: 'Try again, or ask an administrator for another strategy' }
  return new GatewayError('SEARCH_UNAVAILABLE', details, { cause })
}

/** The entries of the index that a caller searches: the eligible tools, each with its project's description. */
class SearchScopes {
  readonly #known = new WeakMap<EligibleTools, ToolScope>()

  scopeOf(eligible: EligibleTools): ToolScope {
    const known = this.#known.get(eligible)
    if (known !== undefined) return known
    const scope = makeScope(eligible)
    this.#known.set(eligible, scope)
    return scope
  }
}

function makeScope(eligible: EligibleTools): ToolScope {
  const { project } = eligible
  const hasOwnWords = [...project.tools.values()].some((tool) => ownWordsOf(tool) !== undefined)
  if (!hasOwnWords) return eligible.scope
  return new ToolScope(() => eligible.list.map(({ key }) => searchedId(key, ownWordsOf(project.tools.get(key)))))
}

const MOST_SELECTIONS = 50
const MOST_SELECTING_CALLERS = 100

/** The parts of callers' tools that searches select; kept, because an index compiles the scope of each once. */
class SearchSelections {
  readonly #known = new LRUCache<EligibleTools, Map<string, EligibleTools>>({ max: MOST_SELECTING_CALLERS })

  select(eligible: EligibleTools, { servers, readOnly = false }: SearchAsk): EligibleTools {
    if (servers === undefined && !readOnly) return eligible
    const serverIds = servers === undefined ? undefined : serverIdsOf(eligible, servers)
    const key = JSON.stringify([readOnly, serverIds])
    const known = this.#known.get(eligible) ?? new Map<string, EligibleTools>()
    const selected =
      known.get(key) ?? eligible.select({ readOnly, ...(serverIds && { serverIds: new Set(serverIds) }) })
    if (known.size >= MOST_SELECTIONS) known.clear()
    this.#known.set(eligible, known.set(key, selected))
    return selected
  }
}

/** The caller's servers with these ids or names, in any case. */
function serverIdsOf({ servers, unavailable }: EligibleTools, wanted: readonly string[]): readonly string[] {
  const names = new Set(wanted.map((name) => name.trim().toLowerCase()))
  return [...servers, ...unavailable]
    .filter(({ id, name }) => names.has(id.toLowerCase()) || names.has(name.toLowerCase()))
    .map(({ id }) => id)
}
