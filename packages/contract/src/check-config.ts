import { z } from 'zod'
import { type ConfigProblem, problemsOf as issueProblems } from './config-problem.ts'
import { type Config, configSchema } from './config.ts'
import { configJsonSchema, knownKeys } from './json-schema.ts'
import { endpointRules, projectRules } from './rules/project-rules.ts'
import { describeRaw, type ValidEntries } from './rules/raw-config.ts'
import { serverRules } from './rules/server-rules.ts'
import { embeddingsRules, searchApiRules } from './rules/service-rules.ts'
import { tokenRules } from './rules/token-rules.ts'

/** A valid configuration, or all its problems. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config?: undefined; readonly problems: readonly ConfigProblem[] }

/**
 * Checks a configuration: shapes, unknown keys and references between parts. Returns all problems at once.
 * @param valid other entries of the configuration, so that a part of it can be checked
 */
export function checkConfig(value: unknown, valid?: ValidEntries): CheckedConfig {
  const parsed = configSchema.safeParse(value, { reportInput: false })
  const problems = [...(parsed.error?.issues ?? []).flatMap(problemsOf), ...configRules(value, valid)]
  return parsed.success && problems.length === 0 ? { config: parsed.data, problems: [] } : { problems }
}

const { auth, rateLimits, listen, dataDir, database, audit, logLevel, startGraceMs } = configSchema.shape
const { drainMs, telemetry, embeddings, learning, searchApi, search, registries } = configSchema.shape
const fixedSchema = z.object({
  auth,
  rateLimits,
  listen,
  dataDir,
  database,
  audit,
  logLevel,
  startGraceMs,
  drainMs,
  embeddings,
  learning,
  searchApi,
  search,
  registries,
  telemetry,
})

/** The part of a configuration that does not change while the gateway runs; the rest is ignored. */
export type FixedConfig = z.output<typeof fixedSchema>

/** Checks the part that is needed to open the store, before the whole can be checked. */
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
 * Checks references between the parts of a configuration. Works on the unchecked value, so that these problems are reported
 * together with those of shape; values of the wrong shape are left to the schema.
 */
function configRules(value: unknown, valid: ValidEntries | undefined): ConfigProblem[] {
  const raw = describeRaw(value, valid)
  return [serverRules, projectRules, endpointRules, tokenRules, embeddingsRules, searchApiRules].flatMap((rule) =>
    rule(raw),
  )
}
