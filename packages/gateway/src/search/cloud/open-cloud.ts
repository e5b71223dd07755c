import type { SearchProvider } from '@tooldex/search'
import type { SearchApiHealth, SearchApiLink, SearchApiOptions } from './search-api-link.ts'

/** The strategy `cloud` of a gateway. */
export interface Cloud {
  /** Makes the provider, when the first search needs it. */
  readonly open: () => Promise<SearchProvider>
  /** The state of the Search API; undefined where none is configured. */
  health(): SearchApiHealth | undefined
  close(): void
}

const NOT_CONFIGURED = 'no Search API is configured: set searchApi.url in tooldex.json, or choose another strategy'

/** Loads and asks nothing before a search needs it. Without a configured service `open` rejects with a sentence for people. */
export function openCloud(options: SearchApiOptions | undefined, whileAsking: () => void): Cloud {
  if (options === undefined) {
    return { open: () => Promise.reject(new Error(NOT_CONFIGURED)), health: () => undefined, close: () => {} }
  }
  let link: SearchApiLink | undefined
  return {
    open: async () => {
      const [{ CloudProvider }, { SearchApiLink: Link }] = await Promise.all([
        import('./cloud-provider.ts'),
        import('./search-api-link.ts'),
      ])
      link ??= new Link(options)
      return new CloudProvider(link, whileAsking)
    },
    health: () => link?.health() ?? { host: new URL(options.url).host, state: 'unused' },
    close: () => link?.close(),
  }
}
