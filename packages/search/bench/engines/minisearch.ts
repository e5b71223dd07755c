import MiniSearch from 'minisearch'
import type { ToolDocument } from '../bench-tool.ts'
import { DOCUMENT_FIELDS, toDocument } from '../bench-tool.ts'
import type { Engine } from './engine.ts'
import { MAX_RESULTS } from './engine.ts'

/** MiniSearch with its defaults: any word may match, whole words, no fuzziness. It ranks all hits; we cut to ten. */
export function miniSearch(): Engine {
  const index = new MiniSearch<ToolDocument>({ fields: [...DOCUMENT_FIELDS] })
  return {
    index: (tools) => index.addAll(tools.map(toDocument)),
    search: (query) =>
      index
        .search(query)
        .slice(0, MAX_RESULTS)
        .map((hit) => String(hit.id)),
    update: (tool) => index.replace(toDocument(tool)),
    save: async () => {
      const saved = JSON.stringify(index)
      return async () => MiniSearch.loadJSON(saved, { fields: [...DOCUMENT_FIELDS] }).search('list files')
    },
  }
}
