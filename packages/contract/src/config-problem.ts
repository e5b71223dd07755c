import type { z } from 'zod'
import { type ConfigJsonSchema, knownKeys } from './json-schema.ts'
import { nearest } from './nearest.ts'

/** A problem of a configuration, with its place. */
export interface ConfigProblem {
  /** Keys and positions that lead to the place. */
  readonly path: readonly (string | number)[]
  /** A sentence without its subject: "unknown key; did you mean command?". */
  readonly message: string
  /** Whether the key at the end of the path is wrong, rather than its value. */
  readonly isKey?: boolean
}

/** The place as people write it: `mcpServers.github.args[0]`, quoted if a key has special characters. */
export function placeOf(path: ConfigProblem['path']): string {
  return path.reduce<string>((place, step) => {
    if (typeof step === 'number') return `${place}[${step}]`
    if (!/^[\w$-]+$/.test(step)) return `${place}[${JSON.stringify(step)}]`
    return place === '' ? step : `${place}.${step}`
  }, '')
}

type Issue = z.core.$ZodIssue
type KeysAt = (path: ConfigProblem['path']) => string[]

/** An issue of a schema, in sentences that name the nearest known key but never a value. */
export function problemsOf(issue: Issue, keysAt: KeysAt): ConfigProblem[] {
  const path = issue.path.map((step) => (typeof step === 'symbol' ? String(step) : step))
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownKey(path, key, keysAt))
  if (issue.code === 'invalid_key') {
    return issue.issues.map(({ message }) => ({ path, message: `the name ${message}`, isKey: true }))
  }
  return [{ path, message: sentence(issue) }]
}

/** The parsed value, or all its problems. */
export function readWith<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  jsonSchema: () => ConfigJsonSchema,
): { readonly value: z.output<Schema> } | { readonly problems: readonly ConfigProblem[] } {
  const parsed = schema.safeParse(value, { reportInput: false })
  if (parsed.success) return { value: parsed.data }
  const keysAt = (path: ConfigProblem['path']): string[] => knownKeys(jsonSchema(), path)
  return { problems: parsed.error.issues.flatMap((issue) => problemsOf(issue, keysAt)) }
}

function unknownKey(path: ConfigProblem['path'], key: string, keysAt: KeysAt): ConfigProblem {
  const known = keysAt(path)
  const meant = nearest(key, known)
  const hint = meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`
  return { path: [...path, key], message: `unknown key; ${hint}`, isKey: true }
}

/** Never contains the value, which may be a secret. */
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
