import type { McpTool } from '@tooldex/search'
import { EngineMissing, LinearPatterns } from './linear-patterns.ts'
import { jsonSize } from '../servers/protocol/json-size.ts'
import { CheckTooCostly, SchemaCheck } from './schema-check.ts'

/** The gateway does not check a schema that is larger than this as JSON; the server does. */
const MOST_SCHEMA_CHARACTERS = 200_000

/** The mistakes in a call's arguments, one sentence each; empty if they fit. */
export type ArgumentMistakes = readonly string[]

const NONE: ArgumentMistakes = []

interface CheckedSchema {
  readonly schema: NonNullable<McpTool['inputSchema']>
  readonly isRefAlone: boolean
}

/** Checks arguments against tools' schemas. Each check has a budget; the server checks whatever exceeds it. */
export class ArgumentValidator {
  readonly #schemas = new WeakMap<McpTool, CheckedSchema | null>()
  readonly #patterns = new LinearPatterns()
  readonly #onLeft: (tool: McpTool, reason: string) => void

  /** @param onLeft called when a check is left to the server, with the reason */
  constructor(onLeft: (tool: McpTool, reason: string) => void = () => {}) {
    this.#onLeft = onLeft
  }

  /** A promise only where a pattern is the first that this gateway meets, because its engine has to be loaded. */
  check(tool: McpTool, args: Readonly<Record<string, unknown>>): ArgumentMistakes | Promise<ArgumentMistakes> {
    try {
      return this.#check(tool, args)
    } catch (error) {
      if (error instanceof EngineMissing) return this.#patterns.load().then(() => this.check(tool, args))
      // Anything else is a schema that no one can evaluate.
      this.#onLeft(tool, error instanceof CheckTooCostly ? error.message : 'its schema cannot be evaluated')
      return NONE
    }
  }

  #check(tool: McpTool, args: Readonly<Record<string, unknown>>): ArgumentMistakes {
    const checked = this.#schemaOf(tool)
    if (checked === null) {
      if (tool.inputSchema !== undefined) this.#onLeft(tool, 'its schema is too large')
      return NONE
    }
    const check = new SchemaCheck(checked.schema, this.#patterns, checked.isRefAlone)
    const verdict = check.run(args)
    if (verdict === undefined) this.#onLeft(tool, 'its schema has parts that only the server can check')
    return verdict === false ? check.mistakes : NONE
  }

  #schemaOf(tool: McpTool): CheckedSchema | null {
    const known = this.#schemas.get(tool)
    if (known !== undefined) return known
    const { inputSchema: schema } = tool
    const isChecked = schema !== undefined && jsonSize(schema, MOST_SCHEMA_CHARACTERS) <= MOST_SCHEMA_CHARACTERS
    const checked = isChecked ? { schema, isRefAlone: isRefAlone(schema['$schema']) } : null
    this.#schemas.set(tool, checked)
    return checked
  }
}

/** Whether `$ref` replaces the keywords beside it, as it did until draft 7. */
function isRefAlone(declared: unknown): boolean {
  return typeof declared === 'string' && /draft-0[3-7]/.test(declared)
}
