import { z } from 'zod'
import { type ConfigProblem, problemsOf as issueProblems } from './config-problem.ts'
import { type Config, configSchema } from './config.ts'
import { configJsonSchema, knownKeys } from './json-schema.ts'
import { endpointRules, projectRules } from './rules/project-rules.ts'
import { describeRaw } from './rules/raw-config.ts'
import { serverRules } from './rules/server-rules.ts'
import { embeddingsRules, searchApiRules } from './rules/service-rules.ts'
import { tokenRules } from './rules/token-rules.ts'

/** Either a configuration or everything that is wrong with it. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config?: undefined; readonly problems: readonly ConfigProblem[] }

/** Checks a whole configuration: shapes, unknown keys and what parts say about each other. All problems at once. */
export function checkConfig(value: unknown): CheckedConfig {
  const parsed = configSchema.safeParse(value, { reportInput: false })
  const problems = [...(parsed.error?.issues ?? []).flatMap(problemsOf), ...configRules(value)]
  return parsed.success && problems.length === 0 ? { config: parsed.data, problems: [] } : { problems }
}

const { auth, rateLimits, listen, dataDir, database, audit, logLevel, telemetry, embeddings, searchApi } =
  configSchema.shape
const fixedSchema = z.object({
  auth,
  rateLimits,
  listen,
  dataDir,
  database,
  audit,
  logLevel,
  embeddings,
  searchApi,
  telemetry,
})

/** The part of a configuration that stays as it is while the gateway runs; the rest is not looked at. */
export type FixedConfig = z.output<typeof fixedSchema>

/** Checks the part that is needed before anything can be opened, and so before the whole can be checked. */
export function checkFixedConfig(value: unknown): {
  readonly config?: FixedConfig
  readonly problems: readonly ConfigProblem[]
} {
  const parsed = fixedSchema.safeParse(value, { reportInput: false })
  return parsed.success ? { config: parsed.data, problems: [] } : { problems: parsed.error.issues.flatMap(problemsOf) }
}

const keysAt = (path: ConfigProblem['path']): string[] => knownKeys(configJsonSchema(), path)
const problemsOf = (issue: z.core.$ZodIssue): ConfigProblem[] => issueProblems(issue, keysAt)

/**
 * What parts of a configuration say about each other. Works on the unchecked value, so that these problems are told
 * together with those of shape; what has the wrong shape is left to the schema.
 */
function configRules(value: unknown): ConfigProblem[] {
  const raw = describeRaw(value)
  return [serverRules, projectRules, endpointRules, tokenRules, embeddingsRules, searchApiRules].flatMap((rule) =>
    rule(raw),
  )
}
