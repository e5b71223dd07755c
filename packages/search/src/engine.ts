/**
 * Search in catalogs beyond one process: an engine finds candidates, the library ranks them. Apart from the rest because
 * an index in memory needs none of it.
 */
export type * from './engine/catalog-engine.ts'
export { CatalogFigures } from './engine/catalog-figures.ts'
export { engineFailureText, isStoredFailure } from './engine/engine-failure.ts'
export {
  type EngineAnswer,
  type EngineRequest,
  EngineSearch,
  type EngineSearchOptions,
} from './engine/engine-search.ts'
export { MemoryEngine } from './engine/memory-engine.ts'
export { requireRevision, staleness } from './engine/revisions.ts'
export { ToolAnalyser } from './engine/tool-analyser.ts'
export { ToolReader, type ToolText } from './engine/tool-reader.ts'
export { allowedByRule, type JudgedTool, type RuleCheck, TRAIT, traitsOf } from './engine/tool-rule.ts'
export type { ServerStatistics, StemStatistics, WordStatistics } from './providers/bm25/index/word-statistics.ts'
export type { CosineMoments, MeaningStatistics } from './engine/meaning-statistics.ts'
