import { isRecord, type JsonObject } from '@tooldex/http-kit/json'

/** A parameter of a tool, for tables. */
export interface SchemaField {
  readonly name: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

/** The parameters of an object schema; none for other values. Schemas are untrusted, so every part is checked. */
export function fieldsOf(schema: unknown): readonly SchemaField[] {
  if (!isRecord(schema) || !isRecord(schema['properties'])) return []
  const required = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(schema['properties']).map(([name, given]) => {
    const property = isRecord(given) ? given : {}
    const { description } = property
    return {
      name,
      type: typeName(property),
      isRequired: required.includes(name),
      description: typeof description === 'string' ? description : '',
    }
  })
}

function typeName({ type, enum: choices, items, anyOf, oneOf }: JsonObject): string {
  if (Array.isArray(type)) return type.map(String).join(' | ')
  if (type === 'array') return isRecord(items) ? `${typeName(items)}[]` : 'array'
  if (typeof type === 'string') return type
  if (Array.isArray(choices)) return 'enum'
  const either = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []
  return either.length === 0 ? 'any' : either.map((each) => (isRecord(each) ? typeName(each) : 'any')).join(' | ')
}
