export { ADMIN_BASE, PAGE_HEADER, SECRET_MASK } from './admin/names.ts'
export { type CheckedConfig, checkConfig, checkFixedConfig, type FixedConfig } from './check-config.ts'
export type {
  AuthConfig,
  Config,
  EmbeddingsConfig,
  EndpointConfig,
  ListenLimitsConfig,
  LogLevel,
  ProjectConfig,
  RateLimitsConfig,
  RegistryConfig,
  SearchApiConfig,
  ServerConfig,
  TokenConfig,
} from './config.ts'
export { type AcceptedFinding, FINDING_RULES } from './findings-config.ts'
export { type ConfigProblem, placeOf } from './config-problem.ts'
export { type ConfigJsonSchema, configJsonSchema } from './json-schema.ts'
export { nearest } from './nearest.ts'
export { SAME_SETTINGS } from './rules/project-rules.ts'
