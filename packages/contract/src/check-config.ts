import type { z } from 'zod'
import { type Config, configSchema } from './config.ts'
import type { ConfigProblem } from './config-problem.ts'
import { configRules } from './config-rules.ts'
import { configJsonSchema, knownKeys } from './json-schema.ts'
import { nearest } from './nearest.ts'

/** Either a configuration or everything that is wrong with it. */
export type CheckedConfig =
  | { readonly config: Config; readonly problems: readonly [] }
  | { readonly config?: undefined; readonly problems: readonly ConfigProblem[] }

type Issue = z.core.$ZodIssue

/** Checks a whole configuration: shapes, unknown keys and what parts say about each other. All problems at once. */
export function checkConfig(value: unknown): CheckedConfig {
  const parsed = configSchema.safeParse(value, { reportInput: false })
  const problems = [...(parsed.error?.issues ?? []).flatMap(problemsOf), ...configRules(value)]
  return parsed.success && problems.length === 0 ? { config: parsed.data, problems: [] } : { problems }
}

function problemsOf(issue: Issue): ConfigProblem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key))
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message: `the name ${message}`, isKey: true }))
  }
  return [{ path, message: sentence(issue) }]
}

function unknownKey(path: ConfigProblem['path'], key: string): ConfigProblem {
  const known = knownKeys(configJsonSchema(), path)
  const meant = nearest(key, known)
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
  return { path: [...path, key], message: `unknown key; ${hint}`, isKey: true }
}

/** Never the value: it may be a secret. */
function sentence(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${ARTICLES[issue.expected] ?? issue.expected}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_small':
    case 'too_big':
      return issue.message.startsWith('Too ') ? bound(issue) : issue.message
    default:
      return issue.message.replace(/^Invalid input: /, '')
  }
}

function bound(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>): string {
  const [least, limit] = issue.code === 'too_small' ? ['at least', issue.minimum] : ['at most', issue.maximum]
  if (issue.origin === 'array') return `must have ${least} ${limit} ${limit === 1 ? 'entry' : 'entries'}`
  if (issue.origin === 'string') return `must have ${least} ${limit} ${limit === 1 ? 'character' : 'characters'}`
  if (issue.code === 'too_small' && issue.inclusive === false) return `must be more than ${limit}`
  return `must be ${least} ${limit}`
}

const ARTICLES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  record: 'an object',
  array: 'a list',
}
