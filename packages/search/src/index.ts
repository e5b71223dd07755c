export { type BackendSelector, preferBackends } from './tool/tool-backend.ts'
export type { CursorProblem } from './tool-index/cursor.ts'
export type { Embedder, EmbedOptions, VectorCache } from './providers/meaning/embedder.ts'
export {
  type ErrorDetails,
  hasCode,
  TOOL_SEARCH_ERROR_CODES,
  ToolSearchError,
  type ToolSearchErrorCode,
} from './errors.ts'
export { createToolIndex, loadIndex, type ToolIndexOptions } from './tool-index/in-memory-tool-index.ts'
export { type Bm25Options, Bm25Provider } from './providers/bm25/bm25-provider.ts'
export { EmbeddingsProvider } from './providers/embeddings/embeddings-provider.ts'
export { type FallbackOptions, FallbackProvider } from './providers/fallback/fallback-provider.ts'
export { HybridProvider } from './providers/hybrid/hybrid-provider.ts'
export { LexicalProvider } from './providers/lexical/lexical-provider.ts'
export { FOUND_FROM, NONE_BELOW, type Verdict, verdictOf } from './providers/verdict.ts'
export type { EmbedderProgress, EmbeddingOptions } from './providers/meaning/meaning-search.ts'
export {
  type Evidence,
  keptQuery,
  type LearnedUse,
  LearnedUses,
  type LearningOptions,
  type LearntEvidence,
  type ToolUse,
  type UseSelector,
  usedAgain,
  useWeight,
} from './learning/learned-uses.ts'
export { MOST_USES, MOST_USES_OF_CALLER } from './learning/parameters.ts'
export { type SearchedTools, searchWithUses } from './learning/search-with-uses.ts'
export { parseQuery } from './query/parse-query.ts'
export type { Meaning, QueryPart, QueryReader, QueryReading } from './query/query-reader.ts'
export type { ParsedQuery, QueryExclusion, QueryGroup, QueryLeaf, QueryNode } from './query/query.ts'
export type {
  Explanation,
  Searcher,
  SearchAnswer,
  SearchHit,
  SearchProvider,
  SearchRequest,
  SearchStrategy,
  ToolChange,
} from './providers/search-provider.ts'
export { restoreProvider, saveProvider } from './providers/save-provider.ts'
export type { SavedReader, SavedWriter } from './saved/saved-parts.ts'
export type { SavedTools } from './saved/saved-tools.ts'
export type { SearchField } from './tool/tool.ts'
export type { ToolFilter } from './tool/tool-filter.ts'
export { shortDescription } from './tool/short-description.ts'
export { normalizeTags } from './tool/tags.ts'
export type { IndexedTool, JsonSchema, JsonValue, McpTool, Tool } from './tool/tool.ts'
export type { ToolBackend, ToolBackendKind } from './tool/tool-backend.ts'
export type {
  InMemoryToolIndex,
  NamespaceOptions,
  NamespacePage,
  NamespacePageOptions,
  PageOptions,
  RefusedTool,
  RegisteredTool,
  SearchOptions,
  SearchPage,
  SearchPageOptions,
  SearchResults,
  ServerOptions,
  ToolDiff,
  ToolIndex,
  ToolIndexChange,
  ToolMatch,
  ToolRegistration,
  ToolSummary,
} from './tool-index/tool-index.ts'
export { formatToolKey, parseToolKey, type ToolKey, type ToolKeyParts } from './tool/tool-key.ts'
export { ToolScope } from './tool/tool-scope.ts'
