import { setTimeout as delay } from 'node:timers/promises'
import {
  type Embedder,
  HybridProvider,
  type IndexedTool,
  type QueryReader,
  type SearchAnswer,
  type SearchProvider,
  type SearchRequest,
  type ToolScope,
  ToolSearchError,
} from '@tooldex/search'
import {
  type CatalogEngine,
  engineFailureText,
  EngineSearch,
  isStoredFailure,
  ToolAnalyser,
  type ToolRule,
  traitsOf,
} from '@tooldex/search/engine'
import { serverOfSearched } from '../indexed-tools.ts'
import { EngineWriter } from './engine-writer.ts'
import { NarrowScopes } from './narrow-scopes.ts'

/** Whether this process writes to the engine or only reads. */
export type EngineRole = 'writer' | 'reader'

/** How an engine is opened. */
export interface EngineToOpen {
  readonly role: EngineRole
  readonly embedder: Embedder | undefined
  readonly repair: boolean
}

/** The collaborators and limits of {@link EngineIndex}. */
export interface EngineIndexParts {
  /** The tools of the catalog now. */
  readonly tools: ReadonlyMap<string, IndexedTool>
  /** Opens the engine; to repair it after a failure, which may be of what it stored. Its error says what to do. */
  readonly open: (asked: EngineToOpen) => Promise<CatalogEngine>
  readonly embedders: () => Promise<readonly Embedder[]>
  readonly queryReader?: QueryReader
  /** The index in memory, which answers while the engine cannot. */
  readonly memory: { provider(strategy: string): SearchProvider; forget(): void }
  readonly log: {
    debug(facts: Readonly<Record<string, unknown>>, message: string): void
    warn(facts: Readonly<Record<string, unknown>>, message: string): void
  }
  /** How long a search waits for the engine. */
  readonly patienceMs?: number
  /** The wait before an engine that could not be opened or written is tried again. */
  readonly retryMs?: number
  /** The memory answers for catalogs of up to so many tools. */
  readonly mostInMemory?: number
  /** Scopes of up to so many tools have an index of their own. */
  readonly mostNarrow?: number
}

const PATIENCE_MS = 2_000
const RETRY_MS = 10_000
/** Repairing reads everything that is stored: once in so many waits. */
const RETRIES_PER_REPAIR = 60
const MOST_IN_MEMORY = 100_000
/** Strategies that an engine answers. The others look at every tool and keep nothing. */
const ANSWERED: ReadonlySet<string> = new Set(['bm25', 'embeddings', 'hybrid'])
const EVERYTHING: ToolRule = { tenant: '', servers: 'all', except: [] }

/** A scope, with the rule that it is made of. */
type RuledScope = ToolScope & { readonly rule: ToolRule }

interface Opened {
  readonly engine: CatalogEngine
  readonly byWords: EngineSearch
  readonly byMeaning: EngineSearch
  readonly writer: EngineWriter | undefined
}

/**
 * Searches a catalog on an engine. Narrow scopes have an exact index of their own in memory; for wider ones the engine finds
 * candidates and the library ranks them. While the engine is away, slow or wrong, the index in memory answers and the answer
 * says so. Nothing that an engine claims is believed: the tools that it names are looked up in the catalog.
 */
export class EngineIndex {
  readonly #parts: EngineIndexParts
  readonly #narrow: NarrowScopes
  #role: EngineRole = 'reader'
  #opened: Promise<Opened | undefined> = Promise.resolve(undefined)
  #isOpen = false
  #trouble = 'it has not been opened yet'
  #reported: string | undefined
  #retry: NodeJS.Timeout | undefined
  /** Whether the engine failed since it was opened. */
  #hasFailed = false
  /** Whether its writer gave up, which was reported. */
  #hasWriterFailed = false
  #repairedAt = Number.NEGATIVE_INFINITY
  #revision = 0
  /** Whether the index in memory was built because the engine did not answer. */
  #hasSubstitute = false
  #isClosed = false

  constructor(parts: EngineIndexParts) {
    this.#parts = parts
    const { tools, queryReader, mostNarrow } = parts
    const options = queryReader === undefined ? {} : { queryReader }
    const make = async () => new HybridProvider(await parts.embedders(), options)
    this.#narrow = new NarrowScopes({ tools, make, ...(mostNarrow !== undefined && { mostTools: mostNarrow }) })
  }

  /** Reads or writes from now on; the first call opens the engine. */
  become(role: EngineRole): void {
    if (this.#isOpen && this.#role === role) return
    this.#role = role
    this.#isOpen = true
    this.#reopen()
  }

  /** Takes over a change of the tools. */
  changed(ids: readonly string[]): void {
    this.#revision++
    void this.#opened.then((opened) => opened?.writer?.changed(ids))
  }

  answers(strategy: string): boolean {
    return ANSWERED.has(strategy)
  }

  /** @param scope the tools of the search as the set and the rule; absent: all */
  async search(strategy: string, request: SearchRequest, scope?: RuledScope): Promise<SearchAnswer> {
    const { within: _, ...asked } = request
    const narrow = scope && (await this.#narrow.providerFor(scope, strategy, this.#revision))
    if (narrow !== undefined) return asAsked(await narrow.search(asked), strategy)
    try {
      const answer = await this.#ask(strategy, asked, scope?.rule ?? EVERYTHING)
      if (this.#hasSubstitute) this.#parts.memory.forget()
      this.#hasSubstitute = false
      return asAsked(answer, strategy)
    } catch (error) {
      request.signal?.throwIfAborted()
      this.#searchFailed(error)
      const reason = `the engine of the search index does not answer: ${engineFailureText(error)}`
      const { tools, memory, mostInMemory = MOST_IN_MEMORY } = this.#parts
      if (tools.size > mostInMemory) throw new ToolSearchError('SEARCH_UNAVAILABLE', { reason }, { cause: error })
      this.#hasSubstitute = true
      const answer = await memory.provider(strategy).search(request)
      return { ...answer, degraded: answer.degraded ?? { strategy, reason } }
    }
  }

  /** Resolves once the engine is open and, where this process writes, has all tools; or once that failed. */
  async settled(): Promise<void> {
    await (await this.#opened)?.writer?.settled()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#retry)
    await this.#close(await this.#opened)
  }

  async #ask(strategy: string, request: SearchRequest, rule: ToolRule): Promise<SearchAnswer> {
    const opened = await this.#openedInTime()
    if (opened === undefined) throw new Error(this.#trouble)
    const search = strategy === 'bm25' ? opened.byWords : opened.byMeaning
    return search.search({ ...request, rule, known: (id) => this.#known(id) })
  }

  /** An engine that is opened for long is waited for no longer than for its answer. */
  async #openedInTime(): Promise<Opened | undefined> {
    const late = new AbortController()
    const { patienceMs = PATIENCE_MS } = this.#parts
    const tooLate = delay(patienceMs, undefined, { ref: false, signal: late.signal }).then(() => {
      throw new Error('it is being opened')
    })
    return Promise.race([this.#opened, tooLate]).finally(() => late.abort())
  }

  /** What is stored may be damaged: only the writer can repair it. */
  #searchFailed(error: unknown): void {
    if (!isStoredFailure(error) || this.#role !== 'writer' || this.#retry !== undefined || !this.#mayRepair) return
    this.#hasFailed = true
    this.#reopenLater(this.#retryMs)
  }

  get #retryMs(): number {
    return this.#parts.retryMs ?? RETRY_MS
  }

  get #mayRepair(): boolean {
    return performance.now() - this.#repairedAt >= RETRIES_PER_REPAIR * this.#retryMs
  }

  #known(id: string): { readonly server: string; readonly traits: number } | undefined {
    const tool = this.#parts.tools.get(id)
    return tool && { server: serverOfSearched(id), traits: traitsOf(tool) }
  }

  #reopen(): void {
    clearTimeout(this.#retry)
    const [before, role] = [this.#opened, this.#role]
    this.#opened = before.then((opened) => this.#close(opened)).then(() => this.#open(role))
  }

  #reopenLater(afterMs: number): void {
    clearTimeout(this.#retry)
    if (this.#isClosed) return
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#reopen()
    }, afterMs).unref()
  }

  async #open(role: EngineRole): Promise<Opened | undefined> {
    // The role may have changed before its turn came.
    if (this.#isClosed || role !== this.#role) return undefined
    const { open, embedders, queryReader, tools, log, patienceMs = PATIENCE_MS } = this.#parts
    const repair = role === 'writer' && this.#hasFailed && this.#mayRepair
    if (repair) this.#repairedAt = performance.now()
    try {
      const [embedder] = await embedders()
      const engine = inStep(await open({ role, embedder, repair }), tools)
      this.#reported = undefined
      const reading = { patienceMs, ...(queryReader !== undefined && { queryReader }) }
      const writing = { engine, analyser: new ToolAnalyser(embedder), tools, log, retryMs: this.#retryMs }
      const wasFailing = this.#hasWriterFailed
      this.#hasFailed = false
      this.#hasWriterFailed = false
      const onUnusable = (): void => {
        this.#hasWriterFailed = true
        this.#unusable()
      }
      const writer = role === 'writer' ? new EngineWriter({ ...writing, wasFailing, onUnusable }) : undefined
      return {
        ...{ engine, writer },
        byWords: new EngineSearch(engine, reading),
        byMeaning: new EngineSearch(engine, { ...reading, ...(embedder !== undefined && { embedder }) }),
      }
    } catch (error) {
      this.#trouble = engineFailureText(error)
      if (this.#reported !== this.#trouble) {
        log.warn(
          { reason: this.#trouble },
          'the engine of the search index cannot be used; searches are answered from memory',
        )
      }
      this.#reported = this.#trouble
      this.#unusable()
      return undefined
    }
  }

  #unusable(): void {
    this.#hasFailed = true
    this.#reopenLater(this.#retryMs)
  }

  async #close(opened: Opened | undefined): Promise<void> {
    await opened?.writer?.close()
    await opened?.engine.close().catch(() => {})
  }
}

/** An engine that fails a search while it lacks tools of the catalog: a writer may not have written them yet. */
function inStep(engine: CatalogEngine, tools: ReadonlyMap<string, unknown>): CatalogEngine {
  return {
    revision: () => engine.revision(),
    apply: (delta, signal) => engine.apply(delta, signal),
    scope: (rule, most) => engine.scope(rule, most),
    tend: () => engine.tend(),
    close: () => engine.close(),
    candidates: async (wanted, rule, k, options) => {
      const candidates = await engine.candidates(wanted, rule, k, options)
      const { count } = candidates.statistics.words
      if (count >= LEAST_SHARE * tools.size) return candidates
      throw new Error(`it has ${count} of ${tools.size} tools so far`)
    },
  }
}

/** The share of the tools below which an engine is being filled, and not just a change behind. */
const LEAST_SHARE = 0.9

/** An engine ranks by words, or by words and meaning: `embeddings` alone it does not. */
function asAsked(answer: SearchAnswer, strategy: string): SearchAnswer {
  if (strategy !== 'embeddings' || answer.degraded !== undefined) return answer
  const reason = 'with this engine, searches by meaning count the words as well'
  return { ...answer, degraded: { strategy, reason } }
}
