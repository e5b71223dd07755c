type Json = Readonly<Record<string, unknown>>

/** Whether arguments fit, as far as it can be told without a validator: false = ask one. */
export type PlainCheck = (args: Json) => boolean

const TYPES: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['string', (value: unknown) => typeof value === 'string'],
  ['number', (value: unknown) => typeof value === 'number'],
  ['integer', (value: unknown) => Number.isInteger(value)],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
])

/** What a schema says for people only. */
const WORDS = ['$schema', 'title', 'description', 'default', 'examples', 'deprecated']
const OF_OBJECT: ReadonlySet<string> = new Set([...WORDS, 'type', 'properties', 'required', 'additionalProperties'])
const OF_VALUE: ReadonlySet<string> = new Set([...WORDS, 'type'])

/**
 * A check for the schemas that most tools have, of simple values and nothing else, at a fraction of a validator's price.
 * It knows what fits; what may not fit is the validator's to judge and to explain. Absent for any other schema.
 */
export function plainCheckOf(schema: Json): PlainCheck | undefined {
  const { type, properties = {}, required = [], additionalProperties = true } = schema
  if (type !== 'object' || !hasOnly(schema, OF_OBJECT) || !isObject(properties)) return undefined
  if (typeof additionalProperties !== 'boolean' || !isNames(required)) return undefined
  const checks = new Map<string, (value: unknown) => boolean>()
  for (const [name, property] of Object.entries(properties)) {
    const check = isObject(property) && hasOnly(property, OF_VALUE) ? TYPES.get(String(property['type'])) : undefined
    // Names that every object has are there for a validator even where nobody wrote them.
    if (check === undefined || name in Object.prototype) return undefined
    checks.set(name, check)
  }
  return (args) => {
    for (const name of required) if (!Object.hasOwn(args, name)) return false
    for (const name in args) {
      const check = checks.get(name)
      if (check === undefined ? !additionalProperties : !check(args[name])) return false
    }
    return true
  }
}

function hasOnly(schema: Json, keys: ReadonlySet<string>): boolean {
  return Object.keys(schema).every((key) => keys.has(key))
}

function isNames(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
