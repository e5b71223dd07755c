import { createHash } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { CatalogTool, ToolRule } from '@tooldex/contract/search-api'
import type { Embedder, QueryReader, SearchAnswer } from '@tooldex/search'
import {
  allowedByRule,
  type CatalogEngine,
  engineFailureText,
  EngineSearch,
  isStoredFailure,
} from '@tooldex/search/engine'
import { LRUCache } from 'lru-cache'
import type { CatalogEngines } from '../options.ts'
import { ProblemError } from '../problem-error.ts'
import {
  engineRule,
  judged,
  ruleText,
  type SearchedCatalog,
  type SearchedTools,
  type ToolSets,
} from '../rank/tool-sets.ts'
import { CatalogWriter } from './catalog-writer.ts'

/** The collaborators and limits of the catalogs on an engine. */
export interface EngineParts {
  readonly engines: CatalogEngines
  /** The first one of the service: vectors of several cannot be compared. */
  readonly embedder: Embedder | undefined
  readonly queryReader: QueryReader
  /** Indexes in memory: of narrow rules, and of catalogs whose engine does not answer. */
  readonly sets: Pick<ToolSets, 'open'>
  readonly onProblem: (error: unknown) => void
}

/** A rule that leaves up to so many tools gets an exact index of just these. */
export const NARROW_TOOLS = 5_000
/** The memory answers for catalogs of up to so many tools while the engine does not. */
const MOST_IN_MEMORY = 100_000
const PATIENCE_MS = 2_000
/** Rules whose selections are kept. */
const MOST_SELECTIONS = 256
/** Tools that are judged before other requests get a turn: about a millisecond of work. */
const JUDGED_PER_TURN = 2_000

/** What a rule leaves of a catalog. */
interface Selection {
  readonly count: number
  /** Absent where they are many. */
  readonly tools: readonly CatalogTool[] | undefined
}

/**
 * An uploaded catalog whose index is on an engine. The engine finds candidates for rules that leave many tools; others have
 * an exact index in memory. Nothing that the engine claims is believed: the tools that it names are looked up in the catalog
 * and checked against the rule.
 */
export class EngineCatalog implements SearchedCatalog {
  readonly hash: string
  readonly #parts: EngineParts
  readonly #byKey: ReadonlyMap<string, CatalogTool>
  readonly #byServer = new Map<string, CatalogTool[]>()
  readonly #selections = new LRUCache<string, Selection>({ max: MOST_SELECTIONS })
  readonly #writer: CatalogWriter
  #opened: Promise<{ readonly engine: CatalogEngine; readonly search: EngineSearch }> | undefined

  constructor(hash: string, tools: readonly CatalogTool[], parts: EngineParts) {
    this.hash = hash
    this.#parts = parts
    this.#byKey = new Map(tools.map((tool) => [tool.toolKey, tool]))
    for (const tool of tools) {
      const known = this.#byServer.get(tool.serverName)
      if (known === undefined) this.#byServer.set(tool.serverName, [tool])
      else known.push(tool)
    }
    this.#writer = new CatalogWriter({ ...parts, name: this.name, tools })
  }

  get size(): number {
    return this.#byKey.size
  }

  /** How many tools the engine has. */
  get indexed(): number {
    return this.#writer.written
  }

  async within(rule: ToolRule): Promise<SearchedTools> {
    const { count, tools } = await this.#selected(rule)
    if (tools !== undefined) {
      const digest = createHash('sha256').update(ruleText(rule)).digest('base64')
      return (await this.#parts.sets.open(`${this.hash} ${digest}`, async () => tools)).all()
    }
    const isAllowed = allowedByRule(engineRule(rule))
    const tool = (key: string): CatalogTool | undefined => {
      const found = this.#byKey.get(key)
      return found !== undefined && isAllowed(judged(found)) ? found : undefined
    }
    const byKey = this.#byKey
    return {
      size: count,
      tools: function* () {
        for (const one of byKey.values()) if (isAllowed(judged(one))) yield one
      },
      tool,
      search: (request) => this.#search(request, rule),
    }
  }

  async close(): Promise<void> {
    await this.#writer.close()
    const opened = await this.#opened?.catch(() => undefined)
    await opened?.engine.close().catch(() => {})
  }

  async #search(request: Parameters<SearchedTools['search']>[0], rule: ToolRule): Promise<SearchAnswer> {
    try {
      return await this.#ask(request, rule)
    } catch (error) {
      request.signal?.throwIfAborted()
      this.#writer.check(isStoredFailure(error))
      const reason = `the engine of the search index does not answer: ${engineFailureText(error)}`
      if (this.size > (this.#parts.engines.mostInMemory ?? MOST_IN_MEMORY))
        throw new ProblemError('UNAVAILABLE', `${reason}. Try again.`, { cause: error })
      const set = await this.#parts.sets.open(this.hash, async () => [...this.#byKey.values()])
      const answer = await set.within(rule).search(request)
      return { ...answer, degraded: answer.degraded ?? { strategy: 'hybrid', reason } }
    }
  }

  async #ask(request: Parameters<SearchedTools['search']>[0], rule: ToolRule): Promise<SearchAnswer> {
    const { search } = await this.#engine()
    const { queries, maxResults, explain = false, signal } = request
    const answer = await search.search({
      ...{ queries, maxResults, explain, rule: engineRule(rule), atLeast: this.size },
      ...(signal !== undefined && { signal }),
      known: (key) => {
        const tool = this.#byKey.get(key)
        return tool && judged(tool)
      },
    })
    const { revision: _, ...rest } = answer
    return rest
  }

  /** Opened to read; one that could not be opened is tried again by the next search. */
  #engine() {
    this.#opened ??= this.#open().catch((error: unknown) => {
      this.#opened = undefined
      throw error
    })
    return this.#opened
  }

  async #open() {
    const { engines, embedder, queryReader } = this.#parts
    const engine = await engines.open({ name: this.name, role: 'reader', embedder })
    const patienceMs = engines.patienceMs ?? PATIENCE_MS
    const options = { queryReader, patienceMs, ...(embedder !== undefined && { embedder }) }
    return { engine, search: new EngineSearch(engine, options) }
  }

  /** Of the catalog on the engine. Instances with another embedder have vectors of their own. */
  get name(): string {
    const model = createHash('sha256').update(this.#parts.embedder?.id ?? '')
    return `${this.hash}-${model.digest('hex').slice(0, 8)}`
  }

  async #selected(rule: ToolRule): Promise<Selection> {
    const text = ruleText(rule)
    const known = this.#selections.get(text)
    if (known !== undefined) return known
    const most = this.#parts.engines.narrowTools ?? NARROW_TOOLS
    const isAllowed = allowedByRule(engineRule(rule))
    const tools: CatalogTool[] = []
    let [count, judgedTools] = [0, 0]
    for (const tool of this.#toolsOf(rule)) {
      if (++judgedTools % JUDGED_PER_TURN === 0) await setImmediate()
      if (!isAllowed(judged(tool))) continue
      count++
      if (count <= most) tools.push(tool)
    }
    const selection = { count, tools: count <= most ? tools : undefined }
    this.#selections.set(text, selection)
    return selection
  }

  *#toolsOf({ servers }: ToolRule): Iterable<CatalogTool> {
    if (servers === 'all') return yield* this.#byKey.values()
    for (const server of new Set(servers)) yield* this.#byServer.get(server) ?? []
  }
}
