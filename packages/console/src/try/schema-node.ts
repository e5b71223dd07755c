import { isRecord, type JsonObject } from '@tooldex/http-kit/json'

/** How a form shows a value of a schema. Children are schemas: they become nodes when they are shown, so that cycles end. */
export type SchemaNode =
  | (Described & {
      readonly kind: 'text'
      readonly format?: string
      readonly min?: number
      readonly max?: number
      readonly pattern?: string
    })
  | (Described & {
      readonly kind: 'number'
      readonly isInteger: boolean
      readonly min?: number
      readonly max?: number
      readonly step?: number
    })
  | (Described & { readonly kind: 'flag' })
  | (Described & { readonly kind: 'null' })
  | (Described & { readonly kind: 'choice'; readonly choices: readonly unknown[] })
  | (Described & {
      readonly kind: 'object'
      readonly fields: readonly ObjectField[]
      /** The schema of fields with other names; undefined if there are none. */
      readonly others: unknown
      readonly min: number
    })
  | (Described & {
      readonly kind: 'list'
      /** The schemas of the first items. */
      readonly first: readonly unknown[]
      /** The schema of further items; undefined if there are none. */
      readonly rest: unknown
      readonly min: number
      readonly max: number
    })
  | (Described & { readonly kind: 'either'; readonly variants: readonly Variant[] })
  /** Any JSON: the schema says nothing that a form can show. */
  | (Described & { readonly kind: 'json' })

interface Described {
  readonly title?: string
  readonly description?: string
  readonly fallback?: unknown
}

/** A named field of an object. */
export interface ObjectField {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
}

/** One of several forms that a value may have. */
interface Variant {
  readonly label: string
  readonly schema: unknown
}

/** References that lead to references; more are a circle. */
const MOST_STEPS = 20

/** How to show a value of a schema. Schemas are untrusted, so every part is checked. @param root has the definitions */
export function nodeOf(given: unknown, root: unknown): SchemaNode {
  const schema = resolved(given, root)
  if (schema === undefined) return { kind: 'json' }
  const about = describedBy(schema)
  if ('const' in schema) return { kind: 'choice', choices: [schema['const']], ...about }
  if (Array.isArray(schema['enum']) && schema['enum'].length > 0)
    return { kind: 'choice', choices: schema['enum'], ...about }
  const variants = variantsOf(schema, root)
  if (variants.length === 1) return { ...nodeOf(variants[0]?.schema, root), ...about }
  if (variants.length > 1) return { kind: 'either', variants, ...about }
  switch (typeOf(schema)) {
    case 'string':
      return { kind: 'text', ...about, ...textLimits(schema) }
    case 'integer':
    case 'number':
      return { kind: 'number', isInteger: schema['type'] === 'integer', ...about, ...numberLimits(schema) }
    case 'boolean':
      return { kind: 'flag', ...about }
    case 'null':
      return { kind: 'null', ...about }
    case 'object':
      return { kind: 'object', ...about, ...objectParts(schema) }
    case 'array':
      return { kind: 'list', ...about, ...listParts(schema) }
    default:
      return { kind: 'json', ...about }
  }
}

/** The schema without references and with the parts of `allOf`; undefined if it says nothing. */
function resolved(given: unknown, root: unknown): JsonObject | undefined {
  let schema = given
  for (let step = 0; step < MOST_STEPS; step++) {
    if (!isRecord(schema)) return undefined
    const { $ref: reference, ...rest } = schema
    if (typeof reference !== 'string') return merged(schema, root)
    const target = pointedAt(reference, root)
    if (!isRecord(target)) return undefined
    schema = { ...target, ...rest }
  }
  return undefined
}

function pointedAt(reference: string, root: unknown): unknown {
  if (!reference.startsWith('#')) return undefined
  let place = root
  for (const part of reference.slice(1).split('/').slice(1)) {
    const name = decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
    place = isRecord(place) || Array.isArray(place) ? (place as JsonObject)[name] : undefined
  }
  return place
}

function merged(schema: JsonObject, root: unknown): JsonObject {
  const { allOf, ...own } = schema
  if (!Array.isArray(allOf)) return schema
  let whole: JsonObject = own
  for (const part of allOf.slice(0, MOST_STEPS)) {
    const { properties, required, ...rest } = (part === schema ? undefined : resolved(part, root)) ?? {}
    whole = {
      ...rest,
      ...whole,
      ...((isRecord(properties) || isRecord(whole['properties'])) && {
        properties: {
          ...(whole['properties'] as object),
          ...(properties as object),
          ...(whole['properties'] as object),
        },
      }),
      required: [...listOf(required), ...listOf(whole['required'])],
    }
  }
  return whole
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

function typeOf({ type, properties, items, prefixItems }: JsonObject): unknown {
  if (typeof type === 'string') return type
  if (isRecord(properties)) return 'object'
  return items !== undefined || prefixItems !== undefined ? 'array' : undefined
}

function variantsOf(schema: JsonObject, root: unknown): readonly Variant[] {
  const { anyOf, oneOf, type, ...base } = schema
  const given = [...listOf(anyOf), ...listOf(oneOf)]
  if (given.length > 0) {
    const { title: _title, description: _description, default: _default, ...shared } = base
    const withBase = (variant: unknown): unknown =>
      type === undefined && Object.keys(shared).length === 0
        ? variant
        : { allOf: [variant, { ...shared, ...(type !== undefined && { type }) }] }
    const schemas = given.map(withBase)
    // Both at once, or variants that only name required fields, cannot be shown as a choice.
    if (Array.isArray(anyOf) && Array.isArray(oneOf)) return []
    const nodes = given.map((variant) => resolved(variant, root))
    const isShown = (variant: JsonObject | undefined): boolean =>
      variant !== undefined &&
      ['type', 'enum', 'const', 'properties', 'items', 'anyOf', 'oneOf'].some((key) => key in variant)
    return nodes.every(isShown)
      ? schemas.map((each, place) => ({ label: labelOf(each, root, place), schema: each }))
      : []
  }
  if (!Array.isArray(type)) return []
  return type.map((each: unknown, place) => {
    const variant = { ...base, type: each }
    return { label: labelOf(variant, root, place), schema: variant }
  })
}

function labelOf(schema: unknown, root: unknown, place: number): string {
  const { title, type, const: only, properties } = resolved(schema, root) ?? {}
  if (typeof title === 'string' && title !== '') return title
  if (only !== undefined) return JSON.stringify(only)
  const constant = isRecord(properties)
    ? Object.values(properties).flatMap((each) =>
        isRecord(each) && typeof each['const'] === 'string' ? [each['const']] : [],
      )
    : []
  if (constant[0] !== undefined) return constant[0]
  return typeof type === 'string' ? type : String(place + 1)
}

function describedBy({ title, description, default: fallback }: JsonObject): Described {
  return {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description }),
    ...(fallback !== undefined && { fallback }),
  }
}

function count(name: string, value: unknown): Record<string, number> {
  return typeof value === 'number' && Number.isFinite(value) ? { [name]: value } : {}
}

function textLimits({ minLength, maxLength, format, pattern }: JsonObject) {
  return {
    ...count('min', minLength),
    ...count('max', maxLength),
    ...(typeof format === 'string' && { format }),
    ...(typeof pattern === 'string' && { pattern }),
  }
}

function numberLimits({ minimum, maximum, multipleOf }: JsonObject) {
  return { ...count('min', minimum), ...count('max', maximum), ...count('step', multipleOf) }
}

function objectParts({ properties, required, additionalProperties, patternProperties, minProperties }: JsonObject) {
  const names = listOf(required).filter((name) => typeof name === 'string')
  const known = isRecord(properties) ? properties : {}
  const own = Object.entries(known).map(([name, schema]) => ({ name, schema, isRequired: names.includes(name) }))
  const unknown = names.filter((name) => !Object.hasOwn(known, name))
  const [pattern] = isRecord(patternProperties) ? Object.values(patternProperties) : []
  const isClosed = additionalProperties === false && pattern === undefined
  return {
    fields: [...own, ...[...new Set(unknown)].map((name) => ({ name, schema: true as unknown, isRequired: true }))],
    others: isClosed ? undefined : (pattern ?? additionalProperties ?? true),
    min: typeof minProperties === 'number' ? minProperties : 0,
  }
}

function listParts({ items, prefixItems, additionalItems, minItems, maxItems }: JsonObject) {
  const first = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : []
  const rest = Array.isArray(items) ? additionalItems : items
  return {
    first,
    rest: rest === false ? undefined : (rest ?? true),
    min: typeof minItems === 'number' ? minItems : 0,
    max: typeof maxItems === 'number' ? maxItems : Number.POSITIVE_INFINITY,
  }
}
