import { createHash } from 'node:crypto'
import type { SearchProvider } from '@tooldex/search'
import { type ListeningSearchApi, listenSearchApi } from '@tooldex/search-api'
import { afterAll, beforeAll, describe } from 'vitest'
import { describeSearchProvider } from '../../../../search/src/providers/provider-contract.case.ts'
import { CloudProvider } from './cloud-provider.ts'
import { SearchApiLink } from './search-api-link.ts'

const TOKEN = 'tds_very-secret-token'

describe('with the service that we ship', () => {
  let api: ListeningSearchApi
  beforeAll(async () => {
    const sha256 = createHash('sha256').update(TOKEN).digest('hex')
    api = await listenSearchApi({ port: 0, tokens: [{ sha256, project: '*' }] })
  })
  afterAll(() => api.close())

  const make = (): SearchProvider =>
    new CloudProvider(new SearchApiLink({ url: api.url, token: TOKEN, timeoutMs: 60_000 }))
  describeSearchProvider('[R31] [R32] CloudProvider', make, {
    'words-decide': 'the service ranks by meaning, too',
    'exact-first': 'a service may rank as it likes',
    explanation: 'what comes over the wire is a line of text',
  })
})
