import { cleanText } from '@tooldex/http-kit/clean-text'
import { isRecord } from '@tooldex/http-kit/json'

type Schema = Readonly<Record<string, unknown>>

/** How much of a schema is written. Required fields are always written. */
export interface SchemaDetail {
  /** Objects that are nested deeper are written as `object`. */
  readonly depth: number
  /** Optional fields of objects that are nested deeper are counted; those of the parameters themselves have depth 0. */
  readonly optionalDepth: number
  /** Values of an enumeration beyond this number are counted. */
  readonly enumValues: number
  /** Characters of the description of a parameter; 0 for none. */
  readonly noteLength: number
}

/** A parameter of a tool as text. */
export interface ParameterText {
  readonly text: string
  /** Required by every call, or by one of the alternatives of the schema. */
  readonly isKept: boolean
}

/** Schemas are untrusted: a text is made of at most this many types. */
const MOST_TYPES = 1_000
const MOST_ALTERNATIVES = 12
const MOST_REFERENCES = 10
const LONGEST_VALUE = 60
const LONGEST_PATTERN = 60
/** Longer texts are hardly ever too long, so the limit is not worth its tokens. */
const LONGEST_STATED_LENGTH = 100

/** Writes a JSON Schema as text in the manner of TypeScript. Definitions are written once, so that a schema may be cyclic. */
export class SchemaText {
  readonly #root: Schema
  readonly #detail: SchemaDetail
  /** Written names of definitions by reference. */
  readonly #names = new Map<string, string>()
  #types = 0

  constructor(root: unknown, detail: SchemaDetail) {
    this.#root = asSchema(root)
    this.#detail = detail
  }

  /** Required parameters first, both kinds in the schema's order. */
  parameters(): readonly ParameterText[] {
    const { noteLength } = this.#detail
    const fields = this.#fieldsOf(this.#root)
    return fields.map((field) => ({
      text: `${this.#fieldText(field, 0)}${noteText(field.schema, noteLength)}`,
      isKept: field.isRequired || field.isSometimesRequired,
    }))
  }

  /** The parameters of which a call needs one set; empty where all alternatives need the same. */
  alternatives(): readonly (readonly string[])[] {
    const root = this.#flat(this.#root)
    const always = new Set(requiredOf(root))
    const sets = branchesOf(root).map((branch) =>
      requiredOf(this.#flat(branch))
        .filter((name) => !always.has(name))
        .map(fieldName),
    )
    return sets.some((set) => set.length > 0) && sets.every((set) => set.length > 0) ? sets : []
  }

  /** The definitions that the parameters refer to, such as `Block = {type: string, children?: Block[]}`. */
  definitions(): readonly string[] {
    const texts: string[] = []
    // A definition may refer to further ones, which join the map meanwhile.
    for (const [reference, name] of this.#names) {
      texts.push(`${name} = ${this.#typeText(this.#resolved(reference), 1)}`)
    }
    return texts
  }

  #fieldsOf(schema: Schema): readonly Field[] {
    const flat = this.#flat(schema)
    const branches = branchesOf(flat).map((branch) => this.#flat(branch))
    const always = new Set(requiredOf(flat))
    const sometimes = new Set(branches.flatMap(requiredOf))
    const properties = new Map<string, unknown>()
    for (const part of [flat, ...branches]) {
      for (const [name, property] of Object.entries(asSchema(part['properties']))) {
        if (!properties.has(name)) properties.set(name, property)
      }
    }
    return [...new Set([...always, ...sometimes, ...properties.keys()])]
      .map((name) => ({
        name,
        schema: properties.get(name),
        isRequired: always.has(name),
        isSometimesRequired: sometimes.has(name),
      }))
      .toSorted((one, other) => Number(other.isRequired) - Number(one.isRequired))
  }

  #fieldText({ name, schema, isRequired }: Field, depth: number): string {
    // A field that may be left out needs no null.
    const type = this.#typeText(isRequired ? schema : withoutNull(asSchema(schema)), depth + 1)
    return `${fieldName(name)}${isRequired ? '' : '?'}: ${type}`
  }

  #typeText(value: unknown, depth: number): string {
    if (this.#types++ > MOST_TYPES) return 'any'
    const given = asSchema(value)
    if (typeof given['$ref'] === 'string') return this.#referenceText(given, depth)
    const schema = this.#flat(given)
    const choices = 'const' in schema ? [schema['const']] : listOf(schema['enum'])
    if (choices.length > 0) return this.#enumText(choices)
    const alternatives = branchesOf(schema)
    const isObject = schema['properties'] !== undefined
    if (alternatives.length > 0 && !isObject) return this.#unionText(alternatives, depth)
    const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? impliedType(schema)]
    return union(types.slice(0, MOST_ALTERNATIVES).map((type) => this.#plainType(type, schema, depth)))
  }

  /** Objects are written once, under their name; everything else in place. */
  #referenceText(given: Schema, depth: number): string {
    const reference = String(given['$ref'])
    const target = this.#flat(this.#resolved(reference))
    const isNamed = target['properties'] !== undefined || branchesOf(target).length > 0
    if (!isNamed) return this.#typeText({ ...target, $ref: undefined }, depth)
    if (depth > this.#detail.depth) return 'object'
    const known = this.#names.get(reference) ?? nameFor(reference, new Set(this.#names.values()))
    this.#names.set(reference, known)
    return known
  }

  #plainType(type: unknown, schema: Schema, depth: number): string {
    switch (type) {
      case 'array':
        return `${this.#arrayText(schema, depth)}${rangeText(schema['minItems'], schema['maxItems'], ' items', 0)}`
      case 'object':
        return this.#objectText(schema, depth)
      case 'string':
        return `string${stringLimits(schema)}`
      case 'integer':
      case 'number':
        return `${type}${numberLimits(schema)}`
      default:
        return typeof type === 'string' && /^[a-z]{1,20}$/.test(type) ? type : 'any'
    }
  }

  #arrayText(schema: Schema, depth: number): string {
    const tuple = listOf(schema['prefixItems'] ?? (Array.isArray(schema['items']) ? schema['items'] : undefined))
    if (tuple.length > 0) {
      return `[${tuple
        .slice(0, MOST_ALTERNATIVES)
        .map((item) => this.#typeText(item, depth + 1))
        .join(', ')}]`
    }
    const item = this.#typeText(schema['items'], depth + (isRecord(schema['items']) ? 0 : 1))
    return isOneWord(item) ? `${item}[]` : `(${item})[]`
  }

  #objectText(schema: Schema, depth: number): string {
    const { depth: deepest, optionalDepth } = this.#detail
    const fields = this.#fieldsOf(schema)
    if (fields.length === 0 || depth > deepest) {
      const values = schema['additionalProperties']
      const isMap = fields.length === 0 && depth <= deepest && isRecord(values) && Object.keys(values).length > 0
      return isMap ? `{[key]: ${this.#typeText(values, depth + 1)}}` : 'object'
    }
    const shown = fields.filter((field) => depth <= optionalDepth || field.isRequired || field.isSometimesRequired)
    const texts = shown.map((field) => this.#fieldText(field, depth))
    const left = fields.length - shown.length
    return `{${[...texts, ...(left > 0 ? [`…${left} optional`] : [])].join(', ')}}`
  }

  #enumText(values: readonly unknown[]): string {
    const texts = values.map((value) => oneLine(JSON.stringify(value) ?? 'any'))
    const short = texts.filter((text) => text.length <= LONGEST_VALUE).slice(0, this.#detail.enumValues)
    if (short.length === 0) return union([...new Set(values.map((value) => (value === null ? 'null' : typeof value)))])
    return union(values.length > short.length ? [...short, `…${values.length - short.length} more`] : short)
  }

  #unionText(alternatives: readonly unknown[], depth: number): string {
    const shown = alternatives.slice(0, MOST_ALTERNATIVES).map((each) => this.#typeText(each, depth))
    return union(alternatives.length > shown.length ? [...shown, '…'] : shown)
  }

  /** The schema with the parts that `allOf` and references at its top add. */
  #flat(given: Schema): Schema {
    let schema = given
    for (let steps = 0; typeof schema['$ref'] === 'string' && steps < MOST_REFERENCES; steps++) {
      const { $ref, ...rest } = schema
      schema = { ...this.#resolved(String($ref)), ...rest }
    }
    const parts = listOf(schema['allOf']).slice(0, MOST_ALTERNATIVES)
    if (parts.length === 0 || this.#types++ > MOST_TYPES) return schema
    const { allOf: _allOf, ...own } = schema
    const all = [own, ...parts.map((part) => this.#flat(asSchema(part)))]
    const properties = Object.assign(Object.create(null), ...all.map((part) => asSchema(part['properties']))) as Schema
    return {
      ...Object.assign({}, ...all.toReversed()),
      ...(Object.keys(properties).length > 0 && { properties }),
      required: all.flatMap(requiredOf),
    }
  }

  /** The part of the schema that a reference names; an empty schema for others. */
  #resolved(reference: string): Schema {
    if (!reference.startsWith('#')) return {}
    let place: unknown = this.#root
    for (const segment of reference.slice(1).split('/').slice(1)) {
      const key = decoded(segment).replaceAll('~1', '/').replaceAll('~0', '~')
      place = isRecord(place) && Object.hasOwn(place, key) ? place[key] : Array.isArray(place) ? place[Number(key)] : {}
    }
    return asSchema(place)
  }
}

interface Field {
  readonly name: string
  readonly schema: unknown
  readonly isRequired: boolean
  /** Required by some of the alternatives. */
  readonly isSometimesRequired: boolean
}

function noteText(schema: unknown, most: number): string {
  const { description } = asSchema(schema)
  if (most === 0 || typeof description !== 'string') return ''
  const note = cleanText(description.slice(0, most * 4).replaceAll('*/', ''), most)
  return note === '' ? '' : ` /* ${note} */`
}

function stringLimits({ format, pattern, minLength, maxLength }: Schema): string {
  if (typeof format === 'string' && /^[\w-]{1,30}$/.test(format)) return ` (${format})`
  if (typeof pattern === 'string' && pattern.length <= LONGEST_PATTERN) return ` (/${oneLine(pattern)}/)`
  const most = typeof maxLength === 'number' && maxLength < LONGEST_STATED_LENGTH ? maxLength : undefined
  return rangeText(minLength, most, ' characters', 1)
}

function numberLimits({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): string {
  if (isLimit(exclusiveMinimum) && !isLimit(maximum)) return ` (>${exclusiveMinimum})`
  if (isLimit(exclusiveMaximum) && !isLimit(minimum)) return ` (<${exclusiveMaximum})`
  const range = rangeText(minimum, maximum, '', Number.NEGATIVE_INFINITY)
  return range === '' && isLimit(multipleOf) && multipleOf !== 1 ? ` (multiple of ${multipleOf})` : range
}

/** @param usual the least value that goes without saying */
function rangeText(least: unknown, most: unknown, unit: string, usual: number): string {
  const from = isLimit(least) && least > usual ? least : undefined
  const to = isLimit(most) ? most : undefined
  if (from !== undefined && to !== undefined) return ` (${from}..${to}${unit})`
  if (from !== undefined) return ` (≥${from}${unit})`
  return to === undefined ? '' : ` (≤${to}${unit})`
}

/** Limits of the number format itself are none. */
function isLimit(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) < Number.MAX_SAFE_INTEGER
}

/** Schemas without a type mean objects where they have properties, and lists where they have items. */
function impliedType(schema: Schema): unknown {
  if (schema['properties'] !== undefined || schema['required'] !== undefined) return 'object'
  return schema['items'] === undefined ? undefined : 'array'
}

function withoutNull(schema: Schema): Schema {
  const { anyOf, oneOf, type } = schema
  const isNull = (each: unknown): boolean => asSchema(each)['type'] === 'null'
  const left = (list: unknown): readonly unknown[] => listOf(list).filter((each) => !isNull(each))
  return {
    ...schema,
    ...(Array.isArray(anyOf) && left(anyOf).length > 0 && { anyOf: left(anyOf) }),
    ...(Array.isArray(oneOf) && left(oneOf).length > 0 && { oneOf: left(oneOf) }),
    ...(Array.isArray(type) && type.length > 1 && { type: type.filter((each) => each !== 'null') }),
  }
}

/** The last part of a reference as a word of its own. */
function nameFor(reference: string, taken: ReadonlySet<string>): string {
  const last = decoded(reference.split('/').at(-1) ?? '')
    .replace(/\W+/g, '_')
    .slice(0, 40)
  const word = /^[A-Za-z_]/.test(last) && last !== '_' ? last : 'Type'
  for (let count = 1; ; count++) {
    const name = count === 1 ? word : `${word}${count}`
    if (!taken.has(name)) return name
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function branchesOf(schema: Schema): readonly Schema[] {
  return [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])].map(asSchema)
}

function requiredOf(schema: Schema): readonly string[] {
  return listOf(schema['required']).filter((name) => typeof name === 'string')
}

function union(parts: readonly string[]): string {
  return [...new Set(parts)].join(' | ')
}

/** Whether `[]` behind a text belongs to the whole of it. */
function isOneWord(text: string): boolean {
  const isBraced = text.startsWith('{') && text.indexOf('}') === text.length - 1
  return isBraced || !/[ |]/.test(text)
}

/** Names are untrusted: a name that is not a simple identifier is quoted. */
function fieldName(name: string): string {
  return /^[\w$.-]+$/.test(name) ? name : oneLine(JSON.stringify(name))
}

/** JSON does not escape these two line separators. */
function oneLine(json: string): string {
  return json
    .replace(/[\n\r]/g, ' ')
    .replace(/\u2028/g, '\\u2028')
    .replace(/\u2029/g, '\\u2029')
}

function asSchema(value: unknown): Schema {
  return isRecord(value) ? value : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
