import { isRecord, type JsonObject } from '@tooldex/http-kit/json'

/** A parameter of a tool, for forms and tables. */
export interface SchemaField {
  readonly name: string
  readonly type: string
  /** The form control; `json` for everything that is not a simple type. */
  readonly control: 'text' | 'number' | 'integer' | 'boolean' | 'choice' | 'json'
  readonly isRequired: boolean
  readonly description: string
  readonly choices: readonly string[]
  readonly fallback: unknown
}

/** The parameters of an object schema; none for other values. Schemas are untrusted, so every part is checked. */
export function fieldsOf(schema: unknown): readonly SchemaField[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties']).map(([name, property]) =>
    fieldOf(name, isRecord(property) ? property : {}, required.includes(name)),
  )
}

/** The arguments of a filled form. Empty fields are left out, so that the tool's defaults apply. */
export function argumentsOf(
  fields: readonly SchemaField[],
  filled: ReadonlyMap<string, string>,
): { values: JsonObject; problems: ReadonlyMap<string, string> } {
  const values: [string, unknown][] = []
  const problems = new Map<string, string>()
  for (const field of fields) {
    const text = filled.get(field.name) ?? ''
    if (text === '') continue
    const value = valueOf(field, text)
    if (value === undefined) problems.set(field.name, field.control)
    else values.push([field.name, value])
  }
  return { values: Object.fromEntries(values), problems }
}

function fieldOf(name: string, property: JsonObject, isRequired: boolean): SchemaField {
  const type = typeName(property)
  const choices = Array.isArray(property['enum']) ? property['enum'].map(String) : []
  const isTextChoice =
    choices.length > 0 && (property['enum'] as unknown[]).every((choice) => typeof choice === 'string')
  return {
    name,
    type,
    control: isTextChoice ? 'choice' : controlOf(type),
    isRequired,
    description: typeof property['description'] === 'string' ? property['description'] : '',
    choices,
    fallback: property['default'],
  }
}

function typeName({ type, enum: choices, items, anyOf, oneOf }: JsonObject): string {
  if (Array.isArray(type)) return type.map(String).join(' | ')
  if (type === 'array') return isRecord(items) ? `${typeName(items)}[]` : 'array'
  if (typeof type === 'string') return type
  if (Array.isArray(choices)) return 'enum'
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
  return either.length === 0 ? 'any' : either.map((each) => (isRecord(each) ? typeName(each) : 'any')).join(' | ')
}

function controlOf(type: string): SchemaField['control'] {
  switch (type) {
    case 'string':
      return 'text'
    case 'number':
    case 'integer':
    case 'boolean':
      return type
    default:
      return 'json'
  }
}

function valueOf({ control }: SchemaField, text: string): unknown {
  if (control === 'text' || control === 'choice') return text
  if (control === 'boolean') return text === 'true'
  if (control === 'json') return parsed(text)
  const number = Number(text)
  const isFine = Number.isFinite(number) && (control === 'number' || Number.isInteger(number))
  return isFine ? number : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
