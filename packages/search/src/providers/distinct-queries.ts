/** More intents than this in one search are not an agent's question; each costs a pass over the tools. */
const MOST_QUERIES = 20

/** The queries to rank: without blank and repeated ones, at most the first twenty. */
export function distinctQueries(queries: readonly string[]): string[] {
  const distinct = new Set<string>()
  for (const query of queries) {
    const trimmed = query.trim()
    if (trimmed !== '') distinct.add(trimmed)
    if (distinct.size === MOST_QUERIES) break
  }
  return [...distinct]
}
