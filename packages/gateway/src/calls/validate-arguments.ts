import type { McpTool } from '@tooldex/search'
import { Validator } from '@cfworker/json-schema'
import { type PlainCheck, plainCheckOf } from './plain-schema.ts'

/** A schema that is larger than this as JSON is not checked here; the server checks for itself. */
const MOST_SCHEMA_CHARACTERS = 200_000
const MOST_MESSAGES = 8

/** What is wrong with a call's arguments, in sentences; nothing when they fit. */
export type ArgumentMistakes = readonly string[]

const NONE: ArgumentMistakes = []

interface Checks {
  /** Says yes where that is quickly said. */
  readonly plain: PlainCheck | undefined
  readonly validator: Validator
}

/** Checks arguments against tools' schemas. Validators are kept for as long as the definition they were made from. */
export class ArgumentValidator {
  readonly #checks = new WeakMap<McpTool, Checks | null>()

  check(tool: McpTool, args: Readonly<Record<string, unknown>>): ArgumentMistakes {
    const checks = this.#checksOf(tool)
    if (checks === null || checks.plain?.(args) === true) return NONE
    try {
      const result = checks.validator.validate(args)
      return result.valid ? NONE : sentences(result.errors)
    } catch {
      // A schema that cannot be evaluated (an unresolvable $ref, a broken pattern) is the server's business, not the caller's.
      return NONE
    }
  }

  #checksOf(tool: McpTool): Checks | null {
    const known = this.#checks.get(tool)
    if (known !== undefined) return known
    const checks = makeChecks(tool.inputSchema)
    this.#checks.set(tool, checks)
    return checks
  }
}

function makeChecks(schema: McpTool['inputSchema']): Checks | null {
  if (schema === undefined) return null
  try {
    if (JSON.stringify(schema).length > MOST_SCHEMA_CHARACTERS) return null
    return { plain: plainCheckOf(schema), validator: new Validator(schema, draftOf(schema), false) }
  } catch {
    return null
  }
}

function draftOf(schema: Readonly<Record<string, unknown>>): '7' | '2019-09' | '2020-12' {
  const declared = schema['$schema']
  if (typeof declared !== 'string') return '2020-12'
  if (declared.includes('draft-07') || declared.includes('draft-06') || declared.includes('draft-04')) return '7'
  return declared.includes('2019-09') ? '2019-09' : '2020-12'
}

interface SchemaError {
  readonly instanceLocation: string
  readonly keyword: string
  readonly error: string
}

/** The errors at the leaves; the ones above them only repeat that something below is wrong. */
function sentences(errors: readonly SchemaError[]): ArgumentMistakes {
  const leaves = errors.filter(
    ({ keyword }) => !['properties', 'items', 'allOf', 'prefixItems', '$ref', 'additionalItems'].includes(keyword),
  )
  const told = leaves.length > 0 ? leaves : errors
  const texts = told.map(({ instanceLocation, error }) => {
    const place = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
    return place === '' ? error : `${place}: ${error}`
  })
  return [...new Set(texts)].slice(0, MOST_MESSAGES)
}
