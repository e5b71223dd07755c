export type { Incoming, Outgoing } from './http/messages.ts'
export { type ListeningSearchApi, type ListenOptions, listenSearchApi } from './http/listen.ts'
export type {
  CacheOptions,
  JwtOptions,
  SearchApiLimits,
  SearchApiOptions,
  SearchApiToken,
  SelectOptions,
} from './options.ts'
export { type Database, openPostgresVectors, PostgresVectors } from './rank/postgres-vectors.ts'
export { createSearchApi, type SearchApi } from './search-api.ts'
