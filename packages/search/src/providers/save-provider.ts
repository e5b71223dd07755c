import { SavedReader, SavedWriter, invalidSaved } from '../saved/saved-parts.ts'
import type { SavedTools } from '../saved/saved-tools.ts'
import type { IndexedTool } from '../tool/tool.ts'
import type { SearchProvider } from './search-provider.ts'

/**
 * What a provider derived from its tools, for those who use providers without an index: the tools themselves are not in
 * it. Absent for a provider that has nothing to save.
 */
export function saveProvider(provider: SearchProvider): Uint8Array | undefined {
  if (provider.save === undefined) return undefined
  const to = new SavedWriter()
  to.json('provider', { strategy: provider.strategy })
  provider.save(to)
  return to.joined()
}

/**
 * Has a new provider take over tools together with what `saveProvider` wrote of another one. The caller answers for it
 * that the tools are the same; only their ids are compared.
 * @throws ToolSearchError INVALID_SAVED_INDEX, and the provider is still new
 */
export function restoreProvider(provider: SearchProvider, saved: Uint8Array, tools: readonly IndexedTool[]): void {
  const from = new SavedReader(saved)
  const { strategy } = from.json('provider') as { readonly strategy: string }
  if (strategy !== provider.strategy || provider.restore === undefined) {
    throw invalidSaved(`it is of ${strategy}, not of ${provider.strategy}`)
  }
  provider.restore(from, savedTools(tools))
}

function savedTools(tools: readonly IndexedTool[]): SavedTools {
  const ids = tools.map(({ id }) => id)
  const places = new Map(ids.map((id, place) => [id, place]))
  return { ids, placeOf: (id) => places.get(id), at: (place) => tools[place] as IndexedTool }
}
