import type {
  AnalysedTool,
  CandidateOptions,
  Candidates,
  CatalogDelta,
  CatalogEngine,
  ToolRule,
  Wanted,
} from './catalog-engine.ts'
import { MemoryEngine } from './memory-engine.ts'

/** How an engine misbehaves; by default not at all. */
export interface Script {
  /** Changes the candidates that it answers. */
  lie?: (candidates: Candidates) => Candidates | Promise<Candidates>
  /** Throws for every search, with this reason or this error. */
  away?: string | Error
  /** Throws for every change. */
  full?: string
}

/** A real engine in memory, which follows a script and keeps every change. */
export class ScriptedEngine implements CatalogEngine {
  readonly inner = new MemoryEngine()
  readonly deltas: CatalogDelta[] = []
  readonly script: Script
  asked = 0
  tended = 0
  isClosed = false

  constructor(script: Script = {}) {
    this.script = script
  }

  revision(): Promise<number> {
    return this.inner.revision()
  }

  async apply(delta: CatalogDelta, signal?: AbortSignal): Promise<void> {
    if (this.script.full !== undefined) throw new Error(this.script.full)
    await this.inner.apply(delta, signal)
    this.deltas.push(delta)
  }

  async candidates(wanted: Wanted, rule: ToolRule, k: number, options?: CandidateOptions): Promise<Candidates> {
    this.asked++
    const { away } = this.script
    if (away !== undefined) throw away instanceof Error ? away : new Error(away)
    const candidates = await this.inner.candidates(wanted, rule, k, options)
    return this.script.lie?.(candidates) ?? candidates
  }

  scope(rule: ToolRule, most: number): Promise<readonly AnalysedTool[] | undefined> {
    return this.inner.scope(rule, most)
  }

  async tend(): Promise<void> {
    this.tended++
  }

  async close(): Promise<void> {
    this.isClosed = true
  }
}
