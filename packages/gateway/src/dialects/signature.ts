import { isRecord } from '@tooldex/http-kit/json'

/** Optional parameters are shown while the line is shorter than this; required ones always. */
const WIDTH_FOR_OPTIONAL = 160
const MOST_ENUM_VALUES = 5
const LONGEST_ENUM = 60
const DEEPEST = 2
/** Schemas are untrusted: a type uses at most this many alternatives or fields. */
const MOST_PARTS = 8

type Schema = Readonly<Record<string, unknown>>

interface Parameter {
  readonly text: string
  /** Required by every call, or by one of the alternatives of the schema. */
  readonly isKept: boolean
}

/**
 * The signature of a tool in one line, such as `create_issue(title: string, labels?: string[], …)`. It shows all required
 * parameters, and as many optional ones as fit; `…` stands for the others.
 */
export function signature(name: string, inputSchema: unknown): string {
  const parameters = parametersOf(asSchema(inputSchema))
  const parts = parameters.filter((parameter) => parameter.isKept).map((parameter) => parameter.text)
  let width = parts.join(', ').length
  const optional = parameters.filter((parameter) => !parameter.isKept)
  for (const [index, { text }] of optional.entries()) {
    width += text.length + 2
    if (width > WIDTH_FOR_OPTIONAL) {
      parts.push(`…${optional.length - index} optional`)
      break
    }
    parts.push(text)
  }
  return `${name}(${parts.join(', ')})`
}

/** Required parameters first, both kinds in the schema's order. */
function parametersOf(schema: Schema): readonly Parameter[] {
  const { always, sometimes } = requiredNames(schema)
  const properties = propertiesOf(schema)
  const names = new Set([...always, ...sometimes, ...properties.keys()])
  const ordered = [...names].toSorted((one, other) => Number(always.has(other)) - Number(always.has(one)))
  return ordered.map((name) => ({
    text: `${fieldName(name)}${always.has(name) ? '' : '?'}: ${typeText(properties.get(name), 0)}`,
    isKept: always.has(name) || sometimes.has(name),
  }))
}

/** The parameters that every call needs, and those that only some alternatives need. */
function requiredNames(schema: Schema): { readonly always: Set<string>; readonly sometimes: Set<string> } {
  const all = [schema, ...listOf(schema['allOf']).map(asSchema)]
  const any = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].map(asSchema)
  return { always: new Set(all.flatMap(requiredOf)), sometimes: new Set(any.flatMap(requiredOf)) }
}

function requiredOf(schema: Schema): readonly string[] {
  return listOf(schema['required']).filter((name) => typeof name === 'string')
}

function propertiesOf(schema: Schema): ReadonlyMap<string, unknown> {
  const branches = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema[key]).map(asSchema))
  const properties = new Map<string, unknown>()
  for (const part of [schema, ...branches]) {
    for (const [name, property] of Object.entries(asSchema(part['properties']))) {
      if (!properties.has(name)) properties.set(name, property)
    }
  }
  return properties
}

function typeText(value: unknown, depth: number): string {
  const schema = asSchema(value)
  const choices = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
  if (choices.length > 0) return enumText(choices)
  const alternatives = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])]
  if (alternatives.length > 0 && depth < DEEPEST) return unionText(alternatives, depth)
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type']]
  return union(types.slice(0, MOST_PARTS).map((type) => plainType(type, schema, depth)))
}

function plainType(type: unknown, schema: Schema, depth: number): string {
  if (type === 'array') return arrayText(schema, depth)
  if (type === 'object') return objectText(schema, depth)
  return typeof type === 'string' && /^[a-z]{1,20}$/.test(type) ? type : 'any'
}

function arrayText(schema: Schema, depth: number): string {
  const item = depth < DEEPEST ? typeText(schema['items'], depth + 1) : 'any'
  return item.includes('|') ? `(${item})[]` : `${item}[]`
}

/** An object shows its required fields only. */
function objectText(schema: Schema, depth: number): string {
  const properties = propertiesOf(schema)
  const required = [...requiredNames(schema).always]
  if (depth >= DEEPEST || required.length === 0 || required.length > MOST_PARTS) return 'object'
  const fields = required.map((name) => `${fieldName(name)}: ${typeText(properties.get(name), depth + 1)}`)
  return `{ ${[...fields, ...(properties.size > required.length ? ['…'] : [])].join(', ')} }`
}

function enumText(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_ENUM_VALUES).map((value) => oneLine(JSON.stringify(value) ?? 'any'))
  const text = union(values.length > shown.length ? [...shown, '…'] : shown)
  return text.length <= LONGEST_ENUM ? text : union([...new Set(values.map((value) => typeof value))])
}

function unionText(alternatives: readonly unknown[], depth: number): string {
  const shown = alternatives.slice(0, MOST_PARTS).map((alternative) => typeText(alternative, depth + 1))
  return union(alternatives.length > MOST_PARTS ? [...shown, '…'] : shown)
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(' | ')
}

/** Names are untrusted: a name that is not a simple identifier is quoted. */
function fieldName(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : oneLine(JSON.stringify(name))
}

/** JSON does not escape these two line separators. */
function oneLine(json: string): string {
  return json.replace(/\u2028/g, '\\u2028').replace(/\u2029/g, '\\u2029')
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
