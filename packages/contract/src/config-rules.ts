import type { ConfigProblem } from './config-problem.ts'
import { embeddingsRules } from './rules/embeddings-rules.ts'
import { endpointRules } from './rules/endpoint-rules.ts'
import { projectRules } from './rules/project-rules.ts'
import { describeRaw } from './rules/raw-config.ts'
import { searchApiRules } from './rules/search-api-rules.ts'
import { serverRules } from './rules/server-rules.ts'
import { tokenRules } from './rules/token-rules.ts'

/**
 * What parts of a configuration say about each other. Works on the unchecked value, so that these problems are told
 * together with those of shape; what has the wrong shape is left to the schema.
 */
export function configRules(value: unknown): ConfigProblem[] {
  const raw = describeRaw(value)
  return [serverRules, projectRules, endpointRules, tokenRules, embeddingsRules, searchApiRules].flatMap((rule) =>
    rule(raw),
  )
}
