export { type CheckedConfig, checkConfig } from './check-config.ts'
export type {
  Config,
  EmbeddingsConfig,
  EndpointConfig,
  LogLevel,
  ProjectConfig,
  SearchApiConfig,
  ServerConfig,
  TokenConfig,
} from './config.ts'
export { type ConfigProblem, placeOf } from './config-problem.ts'
export { type ConfigJsonSchema, configJsonSchema } from './json-schema.ts'
export { nearest } from './nearest.ts'
