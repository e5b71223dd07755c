/**
 * Building blocks for another `ToolIndex`, such as one that keeps its tools in a database: the checks, the drafts, the
 * cursors and the words that the index in memory is made of, so that both answer alike. Not needed by those who only
 * use an index.
 */
export { ChangeListeners } from './tool-index/change-listeners.ts'
export { type CursorPosition, CursorSigner, invalidCursor, randomCursorKey } from './tool-index/cursor.ts'
export {
  type DraftOutcome,
  IndexDraft,
  type IndexEntry,
  type NewEntry,
  REMOVED,
  toolNotFound,
} from './tool-index/index-draft.ts'
export { MAX_RANKED, type ResultRange } from './tool-index/index-search.ts'
export { snapshotJson } from './tool/json-snapshot.ts'
export { readPosition } from './tool-index/cursor.ts'
export type { Bm25Options } from './providers/bm25/bm25-provider.ts'
export {
  likelyStems,
  unknownWords,
  type Wanted,
  wantedBy,
  type WantedWord,
  weighTerms,
  type WeightedTerm,
} from './providers/bm25/query/wanted-terms.ts'
export { type CatalogStatistics, serverKey, type ServerStatistics } from './providers/bm25/index/catalog-statistics.ts'
export { saturations } from './providers/bm25/index/frequency.ts'
export { foldName } from './providers/bm25/index/untokenized-names.ts'
export { type ServerTerms, TermReader, type ToolTerms } from './providers/bm25/index/term-reader.ts'

export { readRegistrations } from './tool-index/registrations.ts'
export {
  identityOfSearch,
  readCount,
  readSearchArguments,
  type SearchArguments,
} from './tool-index/search-arguments.ts'
export { readServerList, type ServerList } from './tool-index/registrations.ts'
export { isSameBackend, readBackend } from './tool/tool-backend.ts'
export { allows, namedIds, readFilter } from './tool/tool-filter.ts'
export { clampRelevance, ToolSummaries } from './tool-index/index-search.ts'
export { readTool } from './tool/tool-validation.ts'
