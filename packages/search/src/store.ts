/**
 * What another `ToolIndex` is made of, one that keeps its tools in a database, say: the checks, the drafts, the cursors and
 * the words that the index in memory is made of, so that both answer alike. Not needed by those who only use an index.
 */
export { ChangeListeners } from './change-listeners.ts'
export { type CursorPosition, CursorSigner, invalidCursor, randomCursorKey } from './cursor.ts'
export { type DraftOutcome, IndexDraft, type IndexEntry, type NewEntry, REMOVED, toolNotFound } from './index-draft.ts'
export { MAX_RANKED, type ResultRange } from './index-search.ts'
export { snapshotJson } from './json-snapshot.ts'
export { readPosition } from './page-position.ts'
export type { Bm25Options } from './providers/bm25/bm25-provider.ts'
export {
  likelyStems,
  saturations,
  unknownWords,
  type Wanted,
  wantedBy,
  type WantedWord,
  weighTerms,
  type WeightedTerm,
} from './providers/bm25/candidates.ts'
export { type CatalogStatistics, serverKey, type ServerStatistics } from './providers/bm25/catalog-statistics.ts'
export { foldName } from './providers/bm25/odd-names.ts'
export { type ServerTerms, TermReader, type ToolTerms } from './providers/bm25/term-reader.ts'

export { readRegistrations } from './registration.ts'
export { identityOfSearch, readCount, readSearchArguments, type SearchArguments } from './search-arguments.ts'
export { readServerList, type ServerList } from './server-list.ts'
export { isSameBackend, readBackend } from './tool-backend.ts'
export { allows, namedIds, readFilter } from './tool-filter.ts'
export { clampRelevance, ToolSummaries } from './tool-match.ts'
export { readTool } from './tool-validation.ts'
