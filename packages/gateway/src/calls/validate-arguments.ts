import type { McpTool } from '@tooldex/search'
import { Validator } from '@cfworker/json-schema'

/** The gateway does not check a schema that is larger than this as JSON; the server does. */
const MOST_SCHEMA_CHARACTERS = 200_000
const MOST_MESSAGES = 8

/** The mistakes in a call's arguments, one sentence each; empty if they fit. */
export type ArgumentMistakes = readonly string[]

const NONE: ArgumentMistakes = []

/** Checks arguments against tools' schemas. Validators are kept for as long as the definition they were made from. */
export class ArgumentValidator {
  readonly #validators = new WeakMap<McpTool, Validator | null>()

  check(tool: McpTool, args: Readonly<Record<string, unknown>>): ArgumentMistakes {
    const validator = this.#validatorOf(tool)
    if (validator === null) return NONE
    try {
      const result = validator.validate(args)
      return result.valid ? NONE : sentences(result.errors)
    } catch {
      // The server has to deal with a schema that cannot be evaluated (an unresolvable $ref, a broken pattern).
      return NONE
    }
  }

  #validatorOf(tool: McpTool): Validator | null {
    const known = this.#validators.get(tool)
    if (known !== undefined) return known
    const validator = makeValidator(tool.inputSchema)
    this.#validators.set(tool, validator)
    return validator
  }
}

function makeValidator(schema: McpTool['inputSchema']): Validator | null {
  if (schema === undefined) return null
  try {
    if (JSON.stringify(schema).length > MOST_SCHEMA_CHARACTERS) return null
    return new Validator(schema, draftOf(schema), false)
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

/** Keeps the errors at the leaves; those above them only repeat that something below is wrong. */
function sentences(errors: readonly SchemaError[]): ArgumentMistakes {
  const leaves = errors.filter(
    ({ keyword }) => !['properties', 'items', 'allOf', 'prefixItems', '$ref', 'additionalItems'].includes(keyword),
  )
  const shown = leaves.length > 0 ? leaves : errors
  const texts = shown.map(({ instanceLocation, error }) => {
    const place = instanceLocation.replace(/^#\/?/, '').replaceAll('/', '.')
    return place === '' ? error : `${place}: ${error}`
  })
  return [...new Set(texts)].slice(0, MOST_MESSAGES)
}
