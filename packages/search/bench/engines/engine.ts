import type { BenchTool } from '../bench-tool.ts'

/** How many hits every engine is asked for. */
export const MAX_RESULTS = 10

/** A search engine under measurement, in its sensible default set-up. */
export interface Engine {
  /** Makes the tools searchable; called once. */
  index(tools: readonly BenchTool[]): void | Promise<void>
  /** Ids of the best tools, best first, at most {@link MAX_RESULTS}. */
  search(query: string): readonly string[] | Promise<readonly string[]>
  /** Takes over the new definition of one indexed tool. Absent: updates of this engine are not measured. */
  update?(tool: BenchTool): void | Promise<void>
  /**
   * Saves the index and answers how to make another one from what was saved, up to its first answer. Absent: it is not
   * measured.
   */
  save?(): Promise<() => Promise<unknown>>
}

/** The engines by name, ours first. Modules load on demand, so that a process holds the code of one engine only. */
const ENGINES = {
  'tooldex-bm25': async () => (await import('./tooldex.ts')).tooldexBm25(),
  'tooldex-hybrid': async () => (await import('./tooldex.ts')).tooldexHybrid(),
  'tooldex-embeddings': async () => (await import('./tooldex.ts')).tooldexEmbeddings(),
  minisearch: async () => (await import('./minisearch.ts')).miniSearch(),
  flexsearch: async () => (await import('./flexsearch.ts')).flexSearch(),
  orama: async () => (await import('./orama.ts')).orama(),
  'sqlite-fts5': async () => (await import('./sqlite-fts5.ts')).sqliteFts5(),
} satisfies Record<string, () => Promise<Engine>>

/** A key of the table that `--engines` chooses from. */
export type EngineName = keyof typeof ENGINES

/** All engines, in the order they run and are reported. */
export const ENGINE_NAMES = Object.keys(ENGINES) as readonly EngineName[]

/** Whether an engine is one of ours; when it fails, so does the command. */
export function isOurs(engine: EngineName): boolean {
  return engine.startsWith('tooldex-')
}

/** The engine whose figures the others are compared with. */
export const OUR_ENGINE: EngineName = 'tooldex-bm25'

/** A fresh, empty engine. */
export function openEngine(name: EngineName): Promise<Engine> {
  return ENGINES[name]()
}
