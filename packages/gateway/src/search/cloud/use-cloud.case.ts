// A provider and its service for each test, on a stopped clock.
import { Bm25Provider, FallbackProvider, type SearchProvider } from '@tooldex/search'
import { afterEach, beforeEach } from 'vitest'
import { changeOf, TOOLS } from '../../../../search/src/providers/provider-contract-inputs.case.ts'
import { CloudProvider, type ProjectSearchRequest } from './cloud-provider.ts'
import { type ScriptedService, startScriptedService } from './scripted-service.case.ts'
import { SearchApiLink, type SearchApiOptions } from './search-api-link.ts'
import { StoppedClock } from './stopped-clock.case.ts'

/** No answer, health or log may contain it. */
export const TOKEN = 'tds_very-secret-token'

/** A search for issues. */
export const ask = (more: Partial<ProjectSearchRequest> = {}): ProjectSearchRequest => ({
  queries: ['issue'],
  maxResults: 3,
  ...more,
})

/** Starts a service before each test; makes providers that ask it. */
export function useCloud() {
  let service: ScriptedService
  let clock: StoppedClock
  let link: SearchApiLink | undefined
  beforeEach(async () => {
    service = await startScriptedService()
    clock = new StoppedClock()
  })
  afterEach(async () => {
    link?.close()
    await service.close()
  })

  function cloud(options: Partial<SearchApiOptions> = {}): CloudProvider {
    link = new SearchApiLink({ url: service.url, token: TOKEN, timeoutMs: 2_000, ...options }, clock.parts)
    const provider = new CloudProvider(link)
    provider.apply(changeOf({ added: TOOLS }))
    return provider
  }

  /** With a fallback, as in the gateway. */
  function withSubstitute(options: Partial<SearchApiOptions> = {}): SearchProvider {
    const bm25 = new Bm25Provider()
    bm25.apply(changeOf({ added: TOOLS }))
    return new FallbackProvider([cloud(options), bm25])
  }

  return { service: () => service, clock: () => clock, health: () => link?.health(), cloud, withSubstitute }
}
