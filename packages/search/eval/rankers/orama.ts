import { create, insertMultiple, search } from '@orama/orama'
import { documentOf } from './document.ts'
import { peer, type Ranker } from './ranker.ts'

/** Orama full-text search with its default options. */
export const orama: Ranker = peer('orama', async (tools) => {
  const index = create({ schema: { name: 'string', server: 'string', description: 'string' } })
  await insertMultiple(index, tools.map(documentOf))
  return async (query, limit) => {
    const { hits } = await search(index, { term: query, limit })
    return hits.map((hit) => hit.id)
  }
})
