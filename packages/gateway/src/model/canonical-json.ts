/** JSON that is equal for equal content: independent of key order, with support for maps and sets. */
export function canonicalText(value: unknown): string {
  return textOf(value, NO_KEYS)
}

/** The lists of a JSON Schema whose order means nothing. */
const UNORDERED_IN_SCHEMAS: ReadonlySet<string> = new Set(['required', 'enum', 'type'])
const NO_KEYS: ReadonlySet<string> = new Set()

/** Like `canonicalText`, for definitions with JSON Schemas: the order of `required`, `enum` and `type` means nothing either. */
export function canonicalDefinition(value: unknown): string {
  return textOf(value, UNORDERED_IN_SCHEMAS)
}

function textOf(value: unknown, unordered: ReadonlySet<string>): string {
  return JSON.stringify(value, (key, each: unknown) => {
    // The order of a map is significant: it is an order of priority.
    if (each instanceof Map) return { map: [...each] }
    if (each instanceof Set) return { set: [...each].toSorted() }
    if (Array.isArray(each)) return unordered.has(key) ? sorted(each, unordered) : each
    if (typeof each !== 'object' || each === null) return each
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}

function sorted(list: readonly unknown[], unordered: ReadonlySet<string>): readonly unknown[] {
  if (list.every((each) => typeof each === 'string')) return list.toSorted()
  const texts = list.map((each) => [textOf(each, unordered), each] as const)
  return texts.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, each]) => each)
}
