import { hasCode, type IndexedTool, ToolSearchError } from '@tooldex/search'
import {
  type AnalysedTool,
  type CatalogEngine,
  engineFailureText,
  type ToolAnalyser,
  type ToolRule,
} from '@tooldex/search/engine'
import { serverOfSearched } from '../indexed-tools.ts'

/** The collaborators of {@link EngineWriter}. */
interface EngineWriterParts {
  readonly engine: CatalogEngine
  readonly analyser: Pick<ToolAnalyser, 'analyse'>
  readonly tools: ReadonlyMap<string, IndexedTool>
  readonly log: {
    debug(facts: Readonly<Record<string, unknown>>, message: string): void
    warn(facts: Readonly<Record<string, unknown>>, message: string): void
  }
  /** The wait after a failure. */
  readonly retryMs?: number
  /** Whether writing failed until now, as was reported. */
  readonly wasFailing?: boolean
  /** Writing failed twice in a row, or what is stored is unusable: the engine has to be opened again. */
  readonly onUnusable: () => void
}

const RETRY_MS = 10_000
/** Revisions grow by chance, so that two gateways which write at once, one of them about to lose its turn, differ in theirs. */
const MOST_STEP = 1_000
/** Tools of one delta. */
const MOST_IN_DELTA = 2_000
/** Deltas after which the engine tidies up. */
const TEND_AFTER = 20
/** It also does once so many tools were written that a search would have to go through them one by one. */
const MUCH_WRITTEN = { tools: 100, share: 0.1 } as const
/** Catalogs of up to so many tools are compared as a whole, which also finds what is left of removed servers. */
const MOST_COMPARED = 50_000

/**
 * Keeps an engine in step with the catalog. What the engine has is compared with the catalog when the writing begins, and
 * after a revision that another gateway wrote; from then on changes are written as they come. What fails is tried again.
 */
export class EngineWriter {
  readonly #parts: EngineWriterParts
  readonly #stop = new AbortController()
  /** Ids of changed and removed tools. */
  readonly #pending = new Set<string>()
  #isCompared = false
  /** Since the engine tidied up. */
  #deltas = 0
  #written = 0
  #running: Promise<void> | undefined
  #retry: NodeJS.Timeout | undefined
  #isFailing: boolean

  constructor(parts: EngineWriterParts) {
    this.#parts = parts
    this.#isFailing = parts.wasFailing ?? false
    this.#wake()
  }

  /** Notes that tools have changed or are gone. */
  changed(ids: Iterable<string>): void {
    for (const id of ids) this.#pending.add(id)
    this.#wake()
  }

  /** Resolves once nothing is left to write, or writing failed. */
  async settled(): Promise<void> {
    while (this.#running !== undefined) await this.#running
  }

  /** Resolves once nothing is written any more. */
  async close(): Promise<void> {
    this.#stop.abort()
    clearTimeout(this.#retry)
    await this.settled()
  }

  #wake(): void {
    if (this.#running !== undefined || this.#retry !== undefined || this.#stop.signal.aborted) return
    this.#running = this.#work().finally(() => {
      this.#running = undefined
    })
  }

  async #work(): Promise<void> {
    try {
      while (!this.#isDone()) {
        await this.#writePending()
        if (!this.#isCompared) await this.#compare()
        if (this.#written >= Math.max(MUCH_WRITTEN.tools, MUCH_WRITTEN.share * this.#parts.tools.size))
          await this.#tend()
      }
      if (this.#isFailing) this.#parts.log.debug({}, 'the engine of the search index can be written again')
      this.#isFailing = false
    } catch (error) {
      this.#failed(error)
    }
  }

  #isDone(): boolean {
    return this.#stop.signal.aborted || (this.#isCompared && this.#pending.size === 0)
  }

  async #writePending(): Promise<void> {
    while (this.#pending.size > 0 && !this.#stop.signal.aborted) {
      const ids = [...this.#pending].slice(0, MOST_IN_DELTA)
      for (const id of ids) this.#pending.delete(id)
      try {
        const tools = ids.flatMap((id) => this.#parts.tools.get(id) ?? [])
        await this.#write(
          await this.#analysed(tools),
          ids.filter((id) => !this.#parts.tools.has(id)),
        )
      } catch (error) {
        for (const id of ids) this.#pending.add(id)
        throw error
      }
    }
  }

  /** Compares what the engine has with the catalog, and writes the difference. */
  async #compare(): Promise<void> {
    const { tools, engine } = this.#parts
    const isWhole = tools.size <= MOST_COMPARED
    const parts = isWhole
      ? [['all', [...tools.values()]] as const]
      : Map.groupBy(tools.values(), ({ id }) => serverOfSearched(id))
    for (const [server, own] of parts) {
      if (this.#stop.signal.aborted) return
      const rule: ToolRule = { tenant: '', servers: isWhole ? 'all' : [server], except: [] }
      const stored = (await engine.scope(rule, 2 * MOST_COMPARED)) ?? []
      await this.#compareTools(stored, own)
    }
    this.#isCompared = true
  }

  async #compareTools(stored: readonly AnalysedTool[], own: readonly IndexedTool[]): Promise<void> {
    const byId = new Map(stored.map((tool) => [tool.id, tool]))
    let put: AnalysedTool[] = []
    for (let from = 0; from < own.length; from += MOST_IN_DELTA) {
      const analysed = await this.#analysed(own.slice(from, from + MOST_IN_DELTA))
      put.push(...analysed.filter((tool) => !isSame(byId.get(tool.id), tool)))
      for (const { id } of analysed) byId.delete(id)
      if (put.length >= MOST_IN_DELTA) {
        await this.#write(put, [])
        put = []
      }
    }
    await this.#write(put, [...byId.keys()])
  }

  async #analysed(tools: readonly IndexedTool[]): Promise<readonly AnalysedTool[]> {
    const analysed = await this.#parts.analyser.analyse(tools, this.#stop.signal)
    return analysed.map((tool) => ({ ...tool, server: serverOfSearched(tool.id) }))
  }

  async #write(put: readonly AnalysedTool[], remove: readonly string[]): Promise<void> {
    if (put.length + remove.length === 0) return
    const { engine, log } = this.#parts
    const from = await engine.revision()
    const to = from + 1 + Math.floor(Math.random() * MOST_STEP)
    await engine.apply({ from, to, put, remove }, this.#stop.signal)
    // An engine passes over a delta up to a revision that it has: another gateway may have written that one.
    if ((await engine.revision()) !== to) throw new ToolSearchError('REVISION_GAP', { from, to })
    log.debug({ revision: to, put: put.length, removed: remove.length }, 'wrote to the engine of the search index')
    this.#deltas++
    this.#written += put.length
    if (this.#deltas >= TEND_AFTER) await this.#tend()
  }

  /** What is not tidied up makes searches slower, and no worse; it is tried again after as many changes. */
  async #tend(): Promise<void> {
    if (this.#stop.signal.aborted) return
    this.#deltas = 0
    this.#written = 0
    try {
      await this.#parts.engine.tend()
    } catch (error) {
      if (hasCode(error, 'INVALID_STORED_CATALOG')) throw error
      this.#parts.log.warn(
        { reason: engineFailureText(error) },
        'cannot tidy up the engine of the search index; searches are slower',
      )
    }
  }

  #failed(error: unknown): void {
    if (this.#stop.signal.aborted) return
    // Another gateway may have written meanwhile: what it wrote is compared.
    this.#isCompared = false
    const { log, retryMs = RETRY_MS } = this.#parts
    const isBehind = hasCode(error, 'REVISION_GAP')
    const isRepeated = this.#isFailing && !isBehind
    if (!isRepeated && !isBehind) {
      const remedy = 'Check that the folder or the object store of search.at can be written and has room'
      log.warn(
        { reason: engineFailureText(error, remedy) },
        'cannot write to the engine of the search index; changed tools are found later',
      )
    }
    this.#isFailing ||= !isBehind
    if (isRepeated || hasCode(error, 'INVALID_STORED_CATALOG')) return this.#parts.onUnusable()
    const waitMs = isBehind ? 0 : retryMs
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      this.#wake()
    }, waitMs).unref()
  }
}

function isSame(stored: AnalysedTool | undefined, tool: AnalysedTool): boolean {
  return (
    stored !== undefined &&
    stored.server === tool.server &&
    stored.traits === tool.traits &&
    Buffer.compare(stored.terms, tool.terms) === 0 &&
    Buffer.compare(bytesOf(stored.vector), bytesOf(tool.vector)) === 0
  )
}

function bytesOf(vector: Int8Array = new Int8Array()): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
