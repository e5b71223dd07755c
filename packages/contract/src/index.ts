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
  SearchConfig,
  ServerConfig,
  TokenConfig,
} from './config.ts'
export { type AcceptedFinding, FINDING_RULES } from './findings-config.ts'
export { type ConfigProblem, placeOf } from './config-problem.ts'
export { type ConfigJsonSchema, configJsonSchema } from './json-schema.ts'
export { nearest } from './nearest.ts'
export { OWN_TOOL_NAMES, SAME_SETTINGS } from './rules/project-rules.ts'
export { PROGRAM_VARIABLES, type SettingVariable, settingVariables } from './setting-variables.ts'
