import type { QueryClient } from '@tanstack/react-query'
import type { AdminRouteId } from '@tooldex/contract/admin'

/** Updates cached answers before the gateway has answered. Returns a function that restores them. */
export function updateOptimistically(
  client: QueryClient,
  shownBy: readonly AdminRouteId[],
  change: (answer: unknown) => unknown,
): () => void {
  const before = shownBy.flatMap((id) => client.getQueriesData({ queryKey: [id] }))
  for (const id of shownBy) {
    // An answer in flight does not contain the change yet.
    void client.cancelQueries({ queryKey: [id] })
    client.setQueriesData({ queryKey: [id] }, change)
  }
  return () => {
    for (const [key, answer] of before) client.setQueryData(key, answer)
  }
}

/** Changes the matching entries of an answer (pages, a list, or one entry) and keeps the rest. */
export function changedIn<Thing extends object>(
  answer: unknown,
  isMeant: (thing: object) => boolean,
  change: (thing: Thing) => Thing,
): unknown {
  if (typeof answer !== 'object' || answer === null) return answer
  const within = (part: unknown): unknown => changedIn(part, isMeant, change)
  if ('pages' in answer && Array.isArray(answer.pages)) return { ...answer, pages: answer.pages.map(within) }
  if ('items' in answer && Array.isArray(answer.items)) return { ...answer, items: answer.items.map(within) }
  return isMeant(answer) ? change(answer as Thing) : answer
}
