import { HybridProvider, type IndexedTool, ToolScope } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { NarrowScopes } from './narrow-scopes.ts'

const TOOLS_EACH = 9
const SERVERS = ['alpha', 'beta', 'gamma']
const TOOLS = new Map(
  SERVERS.flatMap((server) =>
    Array.from({ length: TOOLS_EACH }, (_, nth): [string, IndexedTool] => {
      const id = `${server}:send_mail_${nth}`
      return [id, { id, name: `send_mail_${nth}`, namespace: server, description: `Send mail number ${nth}.` }]
    }),
  ),
)
/** What an index of one server's tools counts as: 12 KB for each tool, and for itself. */
const SCOPE_BYTES = (TOOLS_EACH + 1) * 12 * 1024

function scopesWithin(mostBytes: number) {
  const made: HybridProvider[] = []
  const make = async (): Promise<HybridProvider> => {
    const provider = new HybridProvider([])
    made.push(provider)
    return provider
  }
  const narrow = new NarrowScopes({ tools: TOOLS, make, mostTools: TOOLS_EACH, mostBytes })
  const scopeOf = (server: string): ToolScope =>
    new ToolScope([...TOOLS.keys()].filter((id) => id.startsWith(`${server}:`)))
  const scopes = new Map(SERVERS.map((server) => [server, scopeOf(server)]))
  const search = async (server: string): Promise<readonly string[]> => {
    const provider = await narrow.providerFor(scopes.get(server) as ToolScope, 'bm25', 1)
    const { hits } = (await provider?.search({ queries: ['send mail'], maxResults: 20 })) ?? { hits: [] }
    return hits.map(({ id }) => id)
  }
  return { made, narrow, search }
}

describe('indexes of narrow scopes', () => {
  it('[U21] are kept by use within the budget, and built again beyond it', async () => {
    const { made, search } = scopesWithin(2 * SCOPE_BYTES)
    for (const server of ['alpha', 'beta', 'alpha', 'gamma']) await search(server)
    expect(made).toHaveLength(3)
    // There is room for two: beta was used least recently.
    await search('alpha')
    await search('gamma')
    expect(made).toHaveLength(3)
    await search('beta')
    expect(made).toHaveLength(4)
    expect(new Set(await search('beta'))).toEqual(new Set([...TOOLS.keys()].filter((id) => id.startsWith('beta:'))))
  })

  it('answer where a single one exceeds the budget', async () => {
    const { made, search } = scopesWithin(SCOPE_BYTES - 1)
    expect(await search('alpha')).toHaveLength(TOOLS_EACH)
    expect(await search('alpha')).toHaveLength(TOOLS_EACH)
    expect(made).toHaveLength(2)
  })

  it('are built by the next search where building failed', async () => {
    const made = ['out of memory', undefined]
    const make = async (): Promise<HybridProvider> => {
      const failure = made.shift()
      if (failure !== undefined) throw new Error(failure)
      return new HybridProvider([])
    }
    const narrow = new NarrowScopes({ tools: TOOLS, make })
    const scope = new ToolScope(TOOLS.keys())
    await expect(narrow.providerFor(scope, 'bm25', 1)).rejects.toThrow('out of memory')
    expect(await narrow.providerFor(scope, 'bm25', 1)).toBeDefined()
  })

  it('are not built for a scope of more tools than are narrow', async () => {
    const { made, narrow } = scopesWithin(10 * SCOPE_BYTES)
    expect(await narrow.providerFor(new ToolScope(TOOLS.keys()), 'bm25', 1)).toBeUndefined()
    expect(made).toHaveLength(0)
  })
})
