import { describe, expect, it } from 'vitest'
import { definitionOf } from './fake-pool.case.ts'
import { storedCatalog } from './stored-catalog.ts'
import type { ReviewDefinitions } from './reviewed-lists.ts'
import { originOf } from '../model/last-good.ts'

const serveAll: ReviewDefinitions = async (_serverId, _kind, served) => ({
  served,
  withheld: new Map(),
  isUnstored: false,
})

describe('storedCatalog', () => {
  it('has the last lists of the servers, but none of another program with the same id', async () => {
    const [own, other, off] = [definitionOf('own'), definitionOf('other'), { ...definitionOf('off'), enabled: false }]
    const tools = [{ name: 't', inputSchema: { type: 'object' } }]
    const lists = { tools, prompts: [{ name: 'p' }], resources: [], resourceTemplates: [] }
    const load = async (id: string) => (id === 'off' ? undefined : { origin: originOf(own), lists })
    const elsewhere = { ...other, transport: { kind: 'http', url: 'http://x', headers: {} } as const }
    const catalog = await storedCatalog([own, elsewhere, off], { load }, serveAll)
    expect([...catalog.tools.keys()]).toEqual(['own:t'])
    expect(catalog.servers.map(({ id, state, prompts }) => [id, state, prompts.length])).toEqual([
      ['own', 'idle', 1],
      ['other', 'idle', 0],
      ['off', 'stopped', 0],
    ])
  })
})
