import { z } from 'zod'
import { configSchema } from './config.ts'

/** The part of JSON Schema that the schemas use. */
export interface ConfigJsonSchema {
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly properties?: Readonly<Record<string, ConfigJsonSchema>>
  readonly additionalProperties?: boolean | ConfigJsonSchema
  readonly items?: ConfigJsonSchema
  readonly anyOf?: readonly ConfigJsonSchema[]
  readonly required?: readonly string[]
}

/** The schema of `tooldex.json` for editors and for the reference page. */
export function configJsonSchema(): ConfigJsonSchema {
  const schema = z.toJSONSchema(configSchema, { io: 'input' }) as ConfigJsonSchema
  return { ...schema, description: 'The configuration of Tooldex.' }
}

/** The known keys at a place of the configuration; none where any key is allowed. */
export function knownKeys(schema: ConfigJsonSchema, path: readonly PropertyKey[]): string[] {
  const [first, ...rest] = path
  if (first === undefined) return Object.keys(schema.properties ?? {})
  const property = Object.hasOwn(schema.properties ?? {}, first) ? schema.properties?.[String(first)] : undefined
  const additional = typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const next = property ?? (typeof first === 'number' ? schema.items : additional)
  return next === undefined ? [] : knownKeys(next, rest)
}
