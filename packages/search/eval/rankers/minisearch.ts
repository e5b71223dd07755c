import MiniSearch from 'minisearch'
import { documentOf } from './document.ts'
import { peer, type Ranker } from './ranker.ts'

/** MiniSearch as its README starts: default options over the text fields. */
export const minisearch: Ranker = peer('minisearch', async (tools) => {
  const index = new MiniSearch({ fields: ['name', 'server', 'description'] })
  index.addAll(tools.map(documentOf))
  return (query, limit) =>
    index
      .search(query)
      .slice(0, limit)
      .map((hit) => String(hit.id))
})
