import { create, insertMultiple, search } from '@orama/orama'
import { toDocument } from '../bench-tool.ts'
import type { Engine } from './engine.ts'
import { MAX_RESULTS } from './engine.ts'

/** Orama full-text search with its defaults: all text fields, English tokenizer, any word may match. */
export function orama(): Engine {
  const database = create({
    schema: { name: 'string', server: 'string', description: 'string', parameters: 'string' },
  })
  return {
    index: async (tools) => {
      await insertMultiple(database, tools.map(toDocument))
    },
    search: async (query) => {
      const { hits } = await search(database, { term: query, limit: MAX_RESULTS })
      return hits.map((hit) => hit.id)
    },
  }
}
