import type { CatalogTool } from '@tooldex/contract/search-api'
import type { Embedder } from '@tooldex/search'
import { type CatalogEngine, ToolAnalyser } from '@tooldex/search/engine'
import type { CatalogEngines } from '../options.ts'
import { judged, toIndexed } from '../rank/tool-sets.ts'

/** The collaborators of {@link CatalogWriter}. */
interface CatalogWriterParts {
  readonly engines: CatalogEngines
  readonly embedder: Embedder | undefined
  /** Of the catalog on the engine. */
  readonly name: string
  readonly tools: readonly CatalogTool[]
  readonly onProblem: (error: unknown) => void
}

/** Tools of one delta. */
const MOST_IN_DELTA = 2_000
/** How soon another instance takes over from one that died. */
const RETRY_MS = 2_000
/** Repairing reads everything that is stored: once in so many waits. */
const RETRIES_PER_REPAIR = 300

/**
 * Writes a catalog to its engine, unless another instance does; then it watches, and takes over when that one dies. A catalog
 * never changes, so its revisions are the tools that were written, in the order of their keys, and one more once the engine
 * has tidied up: the next writer writes the same deltas.
 */
export class CatalogWriter {
  readonly #parts: CatalogWriterParts
  readonly #tools: readonly CatalogTool[]
  readonly #stop = new AbortController()
  #working: Promise<void> | undefined
  #wake: (() => void) | undefined
  #written = 0
  /** Whether the engine failed at what it stored. */
  #isSuspect = false
  #repairedAt = Number.NEGATIVE_INFINITY
  #reported: string | undefined

  constructor(parts: CatalogWriterParts) {
    this.#parts = parts
    this.#tools = parts.tools.toSorted((one, other) => (one.toolKey < other.toolKey ? -1 : 1))
    this.check()
  }

  /** Looks again whether the engine has everything: somebody may have deleted it since, or damaged it. */
  check(isSuspect = false): void {
    const isRepaired = performance.now() - this.#repairedAt < RETRIES_PER_REPAIR * this.#retryMs
    this.#isSuspect ||= isSuspect && !isRepaired
    if (this.#stop.signal.aborted) return
    this.#working ??= this.#work().finally(() => {
      this.#working = undefined
    })
  }

  /** Tools that the engine is known to have. */
  get written(): number {
    return Math.min(this.#written, this.#tools.length)
  }

  /** Resolves once nothing is written any more. */
  async close(): Promise<void> {
    this.#stop.abort()
    this.#wake?.()
    await this.#working
  }

  async #work(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        if (!this.#isSuspect && (await this.#isWhole())) return
        const { engines, name } = this.#parts
        const write = (lost?: AbortSignal): Promise<void> => this.#write(lost)
        const isOurs = engines.alone === undefined || (await engines.alone(name, write))
        if (engines.alone === undefined) await write()
        if (isOurs) continue
      } catch (error) {
        this.#failed(error)
      }
      await this.#rest()
    }
  }

  /** Whether the engine has everything. Asked as a reader, which does no harm while another instance writes. */
  async #isWhole(): Promise<boolean> {
    let engine: CatalogEngine | undefined
    try {
      engine = await this.#open('reader')
      this.#written = await engine.revision()
      return this.#written > this.#tools.length
    } catch {
      // What cannot be read is written anew, or the writer's error says what to do.
      this.#written = 0
      return false
    } finally {
      await engine?.close()
    }
  }

  async #write(lost?: AbortSignal): Promise<void> {
    const signal = lost === undefined ? this.#stop.signal : AbortSignal.any([this.#stop.signal, lost])
    const repair = this.#isSuspect
    this.#isSuspect = false
    if (repair) this.#repairedAt = performance.now()
    const engine = await this.#open('writer', repair)
    try {
      const analyser = new ToolAnalyser(this.#parts.embedder)
      for (this.#written = await engine.revision(); this.written < this.#tools.length; ) {
        await this.#writeFrom(this.#written, engine, analyser, signal)
        this.#written = await engine.revision()
      }
      await engine.tend()
      const from = this.#tools.length
      await engine.apply({ from, to: from + 1, put: [], remove: [] }, signal)
      this.#written = from + 1
      this.#reported = undefined
    } finally {
      await engine.close()
    }
  }

  async #writeFrom(from: number, engine: CatalogEngine, analyser: ToolAnalyser, signal: AbortSignal): Promise<void> {
    const tools = this.#tools.slice(from, from + MOST_IN_DELTA)
    const analysed = await analyser.analyse(tools.map(toIndexed), signal)
    const put = analysed.map((tool, nth) => ({ ...tool, ...judged(tools[nth] as CatalogTool) }))
    await engine.apply({ from, to: from + tools.length, put, remove: [] }, signal)
  }

  #open(role: 'reader' | 'writer', repair = false): Promise<CatalogEngine> {
    const { engines, name, embedder } = this.#parts
    return engines.open({ name, role, embedder, repair })
  }

  get #retryMs(): number {
    return this.#parts.engines.retryMs ?? RETRY_MS
  }

  /** Each trouble is reported once. */
  #failed(error: unknown): void {
    if (this.#stop.signal.aborted) return
    const text = String(error)
    if (text !== this.#reported) this.#parts.onProblem(error)
    this.#reported = text
  }

  #rest(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve()
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#retryMs).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
