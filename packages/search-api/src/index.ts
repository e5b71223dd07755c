export type { Incoming, Outgoing } from './http/messages.ts'
export { type ListeningSearchApi, type ListenOptions, listenSearchApi } from './http/listen.ts'
export type {
  CacheOptions,
  CatalogEngines,
  JwtOptions,
  SearchApiLimits,
  SearchApiOptions,
  SearchApiToken,
  SelectOptions,
} from './options.ts'
export type { CatalogKey, CatalogStore, StoredCatalog } from './catalogs/catalog-store.ts'
export { openSearchDatabase, type SearchDatabase } from './open-database.ts'
export { createSearchApi, type SearchApi } from './search-api.ts'
