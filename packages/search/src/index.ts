export { type BackendSelector, preferBackends } from './backend-selector.ts'
export type { CursorProblem } from './cursor.ts'
export type { Embedder, EmbedOptions, VectorCache } from './embedder.ts'
export {
  type ErrorDetails,
  hasCode,
  TOOL_SEARCH_ERROR_CODES,
  ToolSearchError,
  type ToolSearchErrorCode,
} from './errors.ts'
export { createToolIndex, type ToolIndexOptions } from './in-memory-tool-index.ts'
export { type Bm25Options, Bm25Provider } from './providers/bm25/bm25-provider.ts'
export { EmbeddingsProvider } from './providers/embeddings/embeddings-provider.ts'
export { type FallbackOptions, FallbackProvider } from './providers/fallback/fallback-provider.ts'
export { HybridProvider } from './providers/hybrid/hybrid-provider.ts'
export { LexicalProvider } from './providers/lexical/lexical-provider.ts'
export type { EmbedderProgress, EmbeddingOptions } from './providers/meaning/meaning-search.ts'
export { parseQuery } from './query/parse-query.ts'
export type { Meaning, QueryPart, QueryReader, QueryReading } from './query/query-reader.ts'
export type { ParsedQuery, QueryExclusion, QueryGroup, QueryLeaf, QueryNode } from './query/query.ts'
export type {
  Explanation,
  Searcher,
  SearchAnswer,
  SearchField,
  SearchHit,
  SearchProvider,
  SearchRequest,
  SearchStrategy,
  ToolChange,
  ToolFilter,
} from './search-provider.ts'
export { shortDescription } from './short-description.ts'
export { normalizeTags } from './tags.ts'
export type { IndexedTool, JsonSchema, JsonValue, McpTool, Tool } from './tool.ts'
export type { ToolBackend, ToolBackendKind } from './tool-backend.ts'
export type {
  NamespaceOptions,
  NamespacePage,
  NamespacePageOptions,
  PageOptions,
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
} from './tool-index.ts'
export { formatToolKey, parseToolKey, type ToolKey, type ToolKeyParts } from './tool-key.ts'
export { ToolScope } from './tool-scope.ts'
