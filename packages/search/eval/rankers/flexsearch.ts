import { Document } from 'flexsearch'
import { documentOf } from './document.ts'
import { fuse, peer, type Ranker } from './ranker.ts'

/**
 * A FlexSearch document index: forward tokenizer, suggestions where not every word matches. Its own merge puts one
 * field's hits before the next field's; fusing the fields by rank serves it better on every set measured.
 */
export const flexsearch: Ranker = peer('flexsearch', async (tools) => {
  const index = new Document({
    tokenize: 'forward',
    document: { id: 'id', index: ['name', 'server', 'description'] },
  })
  for (const tool of tools) index.add({ ...documentOf(tool) })
  return (query, limit) => {
    const byField = index.search(query, { limit, suggest: true })
    return fuse(byField.map((field) => field.result.map(String))).slice(0, limit)
  }
})
