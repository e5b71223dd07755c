import type { SearchProvider, SearchStrategy } from '../../src/providers/search-provider.ts'
import type { Ranker } from './ranker.ts'

/** A provider that may have something to finish before it answers as well as it can. */
type EvaluatedProvider = SearchProvider & { settled?(): Promise<void> }

/** Ranks with one of our providers, through its public interface. */
export function ours(name: SearchStrategy, make: () => EvaluatedProvider): Ranker {
  return {
    name,
    ours: true,
    async build(tools) {
      const provider = make()
      const added = tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      provider.apply({ added, changed: [], removed: [] })
      await provider.settled?.()
      return async (queries, limit) => {
        const { hits, degraded } = await provider.search({ queries, maxResults: limit })
        // Figures of another ranker under this one's name would be worse than none.
        if (degraded !== undefined) throw new Error(`${name} could not answer: ${degraded.reason}`)
        return { ids: hits.map((hit) => hit.id), relevance: hits[0]?.relevance ?? 0 }
      }
    },
  }
}
