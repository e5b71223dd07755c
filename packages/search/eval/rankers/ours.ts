import type { SearchProvider } from '../../src/search-provider.ts'
import type { Ranker } from './ranker.ts'

/** Ranks with one of our providers, through the interface that everybody else uses. */
export function ours(make: () => SearchProvider): Ranker {
  return {
    name: make().strategy,
    ours: true,
    async build(tools) {
      const provider = make()
      const added = tools.toSorted((a, b) => (a.id < b.id ? -1 : 1))
      provider.apply({ added, changed: [], removed: [] })
      return async (queries, limit) => {
        const { hits } = await provider.search({ queries, maxResults: limit })
        return hits.map((hit) => hit.id)
      }
    },
  }
}
