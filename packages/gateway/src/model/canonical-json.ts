/** JSON that is equal for equal content: independent of key order, with support for maps and sets. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    // The order of a map is significant: it is an order of priority.
    if (each instanceof Map) return { map: [...each] }
    if (each instanceof Set) return { set: [...each].toSorted() }
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
