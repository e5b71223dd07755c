import { Document } from 'flexsearch'
import { DOCUMENT_FIELDS, toDocument } from '../bench-tool.ts'
import type { Engine } from './engine.ts'
import { MAX_RESULTS } from './engine.ts'

/**
 * A FlexSearch document index with the `forward` tokenizer (words and their prefixes). `suggest` lets a tool match that
 * lacks some of the words: without it a natural question finds nothing.
 */
export function flexSearch(): Engine {
  const index = new Document({
    tokenize: 'forward',
    document: { id: 'id', index: [...DOCUMENT_FIELDS] },
  })
  return {
    index: (tools) => {
      for (const tool of tools) index.add({ ...toDocument(tool) })
    },
    search: (query) => {
      const answers = index.search(query, { limit: MAX_RESULTS, suggest: true })
      const ids = new Set(answers.flatMap((answer) => answer.result.map(String)))
      return [...ids].slice(0, MAX_RESULTS)
    },
  }
}
