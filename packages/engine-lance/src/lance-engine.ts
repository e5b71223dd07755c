import type { Table } from '@lancedb/lancedb'
import { hasCode, ToolSearchError } from '@tooldex/search'
import {
  allowedByRule,
  type AnalysedTool,
  type CandidateOptions,
  type Candidates,
  type CatalogDelta,
  type CatalogEngine,
  CatalogFigures,
  requireRevision,
  staleness,
  type ToolRule,
  type Wanted,
} from '@tooldex/search/engine'
import {
  damagedCatalog,
  isPlaceUsable,
  openTable,
  readEveryRow,
  readState,
  renewIndexes,
  stateRow,
  tidyTable,
} from './catalog-table.ts'
import { findCandidates, type Question } from './find-candidates.ts'
import type { LanceOptions } from './options.ts'
import { KIND, otherRow, type Row, TOOL_COLUMNS, tableOf, toolOf, toolRow } from './rows.ts'
import { oneOf, spareFor, toolsWithin } from './rule-filter.ts'
import { changeRow, figureRows, type Known, readFigures } from './stored-figures.ts'

/** A reader looks for changes of the writer this often at most, when it is asked. */
const REFRESH_MS = 200
/**
 * A change of more tools than these, or than this share of the catalog, stores the figures as they are after it, instead of
 * what it changed: readers take over what takes less time.
 */
const MOST_STORED_CHANGES = { tools: 500, share: 0.02 } as const
/** A search whose rows were moved is made again, so many times at most. */
const MOST_TRIES = 3

/**
 * Opens a catalog that is kept by LanceDB.
 * @throws ToolSearchError INVALID_STORED_CATALOG for a folder that is damaged, of another version, catalog or model, or
 * that cannot be written; `details.problem` says which. SEARCH_UNAVAILABLE where LanceDB fails otherwise
 */
export async function openLanceEngine(options: LanceOptions): Promise<CatalogEngine> {
  const engine = new LanceEngine(options)
  try {
    await engine.open()
    return engine
  } catch (error) {
    await engine.close()
    const mayBeDamaged = options.repair === true && hasCode(error, 'SEARCH_UNAVAILABLE')
    throw mayBeDamaged && (await isPlaceUsable(options)) ? damagedCatalog(options.at, error) : error
  }
}

class LanceEngine implements CatalogEngine {
  #options: LanceOptions
  /** Absent for a reader while nothing was written yet. */
  #table: Table | undefined
  #known: Known | undefined
  #version = -1
  #lookedAt = Number.NEGATIVE_INFINITY
  #looking: Promise<Known> | undefined
  /** Changes and tidying follow one another. */
  #writing: Promise<unknown> = Promise.resolve()

  constructor(options: LanceOptions) {
    this.#options = options
  }

  get #dimensions(): number {
    return this.#options.model?.dimensions ?? 0
  }

  async open(): Promise<void> {
    this.#table = await openTable(this.#options)
    this.#options = { ...this.#options, rebuild: false }
    await this.#current()
    if (this.#options.role === 'writer' && this.#options.repair === true) await this.#repair()
  }

  async revision(): Promise<number> {
    return (await this.#current()).revision
  }

  apply(delta: CatalogDelta, signal?: AbortSignal): Promise<void> {
    return this.#write(() => this.#apply(delta, signal))
  }

  async candidates(wanted: Wanted, rule: ToolRule, k: number, options: CandidateOptions = {}): Promise<Candidates> {
    options.signal?.throwIfAborted()
    const { figures, revision } = await this.#current()
    requireRevision(revision, options.atLeast)
    const stems = figures.lookUps(wanted)
    const all = mayBeFew(rule, figures, k) ? await this.scope(rule, k) : undefined
    const tools = all ?? (await this.#best({ wanted: this.#comparable(wanted), stems, rule, catalog: figures }, k))
    options.signal?.throwIfAborted()
    return { revision, tools, statistics: figures.statisticsFor(wanted, stems, tools), complete: all !== undefined }
  }

  async scope(rule: ToolRule, most: number): Promise<readonly AnalysedTool[] | undefined> {
    const { figures } = await this.#current()
    const table = this.#table
    if (table === undefined) return []
    const rows = await this.#asked(() =>
      table
        .query()
        .where(toolsWithin(rule, figures))
        .select(TOOL_COLUMNS)
        .limit(most + 1 + spareFor(rule))
        .toArray(),
    )
    const allowed = rows.map(toolOf).filter(allowedByRule(rule))
    return allowed.length > most ? undefined : allowed
  }

  tend(): Promise<void> {
    return this.#write(async () => {
      const { figures, revision, table } = await this.#writable()
      const saved = figureRows({ figures, revision })
      await merge(table, saved, this.#dimensions)
      const ids = saved.map(({ id }) => id)
      await table.delete(
        `kind = ${KIND.removed} OR (kind = ${KIND.change} AND revision <= ${revision}) OR (kind = ${KIND.figures} AND NOT ${oneOf('id', ids)})`,
      )
      await tidyTable(table, this.#dimensions, figures.count)
    })
  }

  #repair(): Promise<void> {
    return this.#write(async () => {
      const { figures, table } = await this.#writable()
      await readEveryRow(table)
      await renewIndexes(table, this.#dimensions, figures.count)
    })
  }

  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    this.#table?.close()
  }

  /** In one commit, or it did not happen: tools, what became of the figures, and the revision. */
  async #apply(delta: CatalogDelta, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const { figures, revision, table } = await this.#writable()
    if (staleness(delta, revision) === 'known') return
    const before = this.#version
    const { to } = delta
    const put = new Map(inServerOrder(delta.put).map((tool) => [tool.id, this.#fitting(tool)]))
    const gone = delta.remove.filter((id) => !put.has(id))
    const replaced = figures.count === 0 ? [] : await storedTools(table, [...put.keys(), ...gone])
    signal?.throwIfAborted()
    const change = { from: revision, removed: replaced, added: [...put.values()] }
    const removed = replaced.map(({ id }) => id).filter((id) => !put.has(id))
    const { revision: _, ...state } = await readState(table)
    try {
      for (const tool of replaced) this.#countOut(tool, figures)
      // The figures number the servers: a tool is counted in before its row is made.
      const rows = change.added.map((tool) => {
        const text = figures.addRead(tool)
        return toolRow(tool, text, to, figures.serverNumber(tool.server))
      })
      for (const id of removed) rows.push(otherRow(id, KIND.removed, to))
      const isLarge = replaced.length + put.size > mostStoredChanges(figures.count)
      rows.push(stateRow(state, to), ...(isLarge ? figureRows({ figures, revision: to }) : [changeRow(change, to)]))
      await merge(table, rows, this.#dimensions)
    } catch (error) {
      // The figures are those of a change that was not written, or was all the same: what is stored counts.
      this.#forget()
      throw error
    }
    await this.#written(table, { figures, revision: to }, before)
  }

  #countOut(tool: AnalysedTool, figures: CatalogFigures): void {
    try {
      figures.remove(tool)
    } catch (error) {
      throw damagedCatalog(this.#options.at, error)
    }
  }

  /** Takes over what was written, unless another process wrote in between: then only what is stored counts. */
  async #written(table: Table, known: Known, before: number): Promise<void> {
    this.#version = await table.version()
    this.#known = known
    if (this.#version === before + 1) return
    this.#forget()
    await this.#latest()
  }

  /** Without vectors where the catalog has none. */
  #fitting(tool: AnalysedTool): AnalysedTool {
    if ((tool.vector?.length ?? 0) === this.#dimensions || tool.vector === undefined) return tool
    const reason = `the vector of ${tool.id} has ${tool.vector.length} dimensions, the catalog ${this.#dimensions}`
    throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'vector', toolId: tool.id, reason })
  }

  /** Without vectors that the catalog's cannot be compared with. */
  #comparable(wanted: Wanted): Wanted {
    return wanted.vectors[0]?.length === this.#dimensions ? wanted : { ...wanted, vectors: [] }
  }

  async #best(question: Question, k: number): Promise<readonly AnalysedTool[]> {
    const table = this.#table
    if (table === undefined) return []
    return this.#asked(async () => {
      for (let tries = 1; ; tries++) {
        const version = await table.version()
        try {
          return await findCandidates(table, question, k)
        } catch (error) {
          // A change or a compaction in between moves rows.
          if (tries === MOST_TRIES || version === (await table.version())) throw error
        }
      }
    })
  }

  /** What is to be changed, as it is stored: another process may have written, for two are writers when one takes over. */
  async #writable(): Promise<Known & { readonly table: Table }> {
    const known = this.#options.role === 'writer' ? await this.#latest() : undefined
    if (known !== undefined && this.#table !== undefined) return { ...known, table: this.#table }
    throw new ToolSearchError('INVALID_ARGUMENTS', { field: 'role', reason: 'this process only reads the catalog' })
  }

  #write<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#writing.catch(() => undefined).then(() => this.#asked(work))
    this.#writing = done
    return done
  }

  /** The figures of the latest version, looked for at most every so often. */
  async #current(): Promise<Known> {
    const isFresh = this.#options.role === 'writer' || Date.now() - this.#lookedAt < REFRESH_MS
    return this.#known !== undefined && isFresh ? this.#known : this.#latest()
  }

  /** The figures of the latest version. */
  #latest(): Promise<Known> {
    this.#looking ??= this.#asked(() => this.#look())
      .catch((error: unknown) => {
        this.#forget()
        throw error
      })
      .finally(() => {
        this.#looking = undefined
      })
    return this.#looking
  }

  /** Whatever went wrong, the next look begins from what is stored. */
  #forget(): void {
    this.#table?.close()
    this.#table = undefined
    this.#known = undefined
  }

  async #look(): Promise<Known> {
    this.#lookedAt = Date.now()
    this.#table ??= await openTable(this.#options)
    if (this.#table === undefined) return { figures: new CatalogFigures(), revision: 0 }
    await this.#table.checkoutLatest()
    const version = await this.#table.version()
    if (this.#known === undefined || version !== this.#version) {
      const { revision } = await readState(this.#table)
      this.#known = await readFigures(this.#table, revision, this.#known)
      this.#version = version
    }
    return this.#known
  }

  /** What LanceDB cannot do now, another engine or a later try may. */
  async #asked<Result>(ask: () => Promise<Result>): Promise<Result> {
    try {
      return await ask()
    } catch (error) {
      if (error instanceof ToolSearchError || isAborted(error)) throw error
      throw failedError(this.#options.at, error)
    }
  }
}

/** LanceDB or the place failed, and a later try may not; `details.problem` tells it from an engine that is late or behind. */
function failedError(at: string, cause: unknown): ToolSearchError {
  const reason = `LanceDB at ${at}: ${cause instanceof Error ? firstLine(cause.message) : 'failed'}`
  const remedy = 'Check that the place can be read and written and has room; what is damaged is written anew'
  return new ToolSearchError('SEARCH_UNAVAILABLE', { problem: 'failed', reason, remedy }, { cause })
}

function isAborted(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError'
}

/** What went wrong, without where in LanceDB's own source. */
function firstLine(message: string): string {
  return message.split(/\n|, \/\S+\.rs:\d/, 1)[0]?.slice(0, 300) ?? ''
}

/** The figures of a server are read and written once for all of its tools. */
function inServerOrder(tools: readonly AnalysedTool[]): readonly AnalysedTool[] {
  return tools.toSorted((a, b) => (a.server < b.server ? -1 : a.server > b.server ? 1 : 0))
}

/** The tools with these ids as they are now. */
async function storedTools(table: Table, ids: readonly string[]): Promise<readonly AnalysedTool[]> {
  const found: AnalysedTool[] = []
  for (let start = 0; start < ids.length; start += 1_000) {
    const filter = `kind = ${KIND.tool} AND ${oneOf('id', ids.slice(start, start + 1_000))}`
    found.push(...(await table.query().where(filter).select(TOOL_COLUMNS).toArray()).map(toolOf))
  }
  return found
}

async function merge(table: Table, rows: readonly Row[], dimensions: number): Promise<void> {
  await table
    .mergeInsert('id')
    .whenMatchedUpdateAll()
    .whenNotMatchedInsertAll()
    .execute(tableOf(rows, dimensions) as never)
}

function mostStoredChanges(tools: number): number {
  return Math.max(MOST_STORED_CHANGES.tools, MOST_STORED_CHANGES.share * tools)
}

/** Whether a rule may leave so few tools that all of them are candidates. */
function mayBeFew({ servers, only, except, traits }: ToolRule, figures: CatalogFigures, k: number): boolean {
  if (only !== undefined && only.length <= k) return true
  if (only !== undefined || traits !== undefined) return true
  const all = servers === 'all' ? figures.count : servers.reduce((sum, server) => sum + figures.toolsOf(server), 0)
  return all - except.length <= k
}
