import type { ToolRule } from '@tooldex/search/engine'
import type { JudgedQuery } from './catalog.ts'

/** What a process of the measurement is to do. */
export interface Part {
  readonly part: 'questions' | 'index' | 'memory' | 'build' | 'read'
  readonly folders: readonly string[]
  readonly size: number
  /** The folder of LanceDB. */
  readonly at: string
  /** The file of the questions. */
  readonly questions: string
}

/** What is asked, and for whom. */
export interface Questions {
  readonly queries: readonly JudgedQuery[]
  readonly tenants: readonly ToolRule[]
}

/** The ids that the ordinary index found, by query. */
export interface Truth {
  readonly found: readonly (readonly string[])[]
  /** The same for the tenant that asks. */
  readonly foundByTenant: readonly (readonly string[])[]
  readonly times: readonly number[]
}

/** How long it took to fill an engine, the analysis included. */
export interface Filled {
  readonly tools: number
  readonly ms: number
  readonly cpuMs: number
}

/** The answers of an engine, by query. */
export interface Answers extends Truth {
  readonly candidates: readonly (readonly string[])[]
  readonly candidatesByTenant: readonly (readonly string[])[]
  /** With four searches at a time. */
  readonly searchesPerSecond: number
  readonly tenantTimes: readonly number[]
  readonly candidateTimes: readonly number[]
  readonly firstSearchMs: number
  readonly rssMb: number
  readonly searchCpuMs: number
}
