/** The same text for the same content: maps and sets included, order of object keys aside. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    // Order within a map is order of priority, so that it counts.
    if (each instanceof Map) return { map: [...each] }
    if (each instanceof Set) return { set: [...each].toSorted() }
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each
    return Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  })
}
