import { describe, expect, it } from 'vitest'
import { EXPOSURES, OWN_TOOLS } from '../coldstarts/cold-start.ts'
import type { ClientKind, Json, TestClient } from '../kit/clients.ts'
import { fixtureServer, type ServerEntry, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, until } from '../kit/gateway.ts'

const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1', 'sse']
const NEVER_MS = 600_000
const SHORT = 300
const LONG = 60_000

const server = (tool: string, startDelayMs = 0): ServerEntry =>
  fixtureServer({ tools: [textTool(tool, 'Mends a broken teapot')], startDelayMs })
const names = async (client: TestClient): Promise<string[]> =>
  (await client.listTools()).map(({ name }) => String(name))
const textOf = (result: Json): string => result['content'][0]['text']

const setup = (servers: Readonly<Record<string, ServerEntry>>, startGraceMs: number) => ({
  servers,
  startGraceMs,
  projects: { alone: { servers: ['slow'] }, both: { servers: Object.keys(servers) } },
  endpoints: Object.fromEntries(
    EXPOSURES.flatMap((exposure) =>
      ['alone', 'both'].map((project) => [`${project}-${exposure}`, { project, exposure }] as const),
    ),
  ),
})

describe('the first list after a cold start', () => {
  it.concurrent.each(KINDS)(
    '[U4] is never empty in any exposure while a server starts, for %s clients',
    async (kind) => {
      const servers = { quick: server('read'), slow: server('mend', NEVER_MS) }
      await using gateway = await gatewayWith(setup(servers, SHORT), { waitForServers: false })
      await until(() => gateway.inside.catalog.snapshot().tools.size === 1)
      for (const exposure of EXPOSURES) {
        const alone = await names(await gateway.client(kind, `alone-${exposure}`))
        expect(alone).toEqual(exposure === 'deferred' || exposure === 'search-only' ? ['tool_discovery'] : OWN_TOOLS)
        const both = await names(await gateway.client(kind, `both-${exposure}`))
        const isWhole = exposure === 'full' || exposure === 'limited' || exposure === 'deferred'
        expect(both.includes('quick__read')).toBe(isWhole)
        if (exposure === 'auto') expect(both).toEqual(OWN_TOOLS)
      }
    },
  )

  it('[R19] waits for a server whose list is not known yet', async () => {
    const servers = { quick: server('read'), slow: server('mend', 1_000) }
    await using gateway = await gatewayWith(setup(servers, LONG), { waitForServers: false })
    expect(await names(await gateway.client('legacy', 'both-full'))).toEqual(['quick__read', 'slow__mend'])
  })

  it('[U4] has one kind within a session, though more servers start', async () => {
    const servers = { quick: server('read'), slow: server('mend', 2_000) }
    await using gateway = await gatewayWith(setup(servers, 0), { waitForServers: false })
    const client = await gateway.client('legacy', 'both-auto')
    expect(client.instructions()).toMatch(/^If tool_discovery is listed/)
    expect(await names(client)).toEqual(OWN_TOOLS)
    await until(() => gateway.inside.catalog.snapshot().tools.size === 2)
    expect(await names(client)).toEqual(OWN_TOOLS)
    expect(await names(await gateway.newClient('legacy', 'both-auto'))).toEqual(['quick__read', 'slow__mend'])
  })

  it('keeps own tools callable that were listed in place of an empty full list', async () => {
    await using gateway = await gatewayWith(setup({ slow: server('mend', 1_500) }, 0), { waitForServers: false })
    const client = await gateway.client('v1', 'alone-full')
    expect(await names(client)).toEqual(OWN_TOOLS)
    await until(() => gateway.inside.catalog.snapshot().tools.size === 1)
    const found = await client.call('tool_discovery', { query: ['mend a teapot'] })
    expect(found['structuredContent']['results']).toMatchObject([{ toolKey: 'slow:mend' }])
    expect(await names(client)).toEqual(['slow__mend'])
    await expect(client.call('tool_discovery', { query: ['mend'] })).rejects.toThrow('Unknown tool')
  })
})

describe.concurrent('a tool of a server that is starting', () => {
  it.each(KINDS)('[R37] is called as soon as its server has started, for %s clients', async (kind) => {
    await using gateway = await gatewayWith(setup({ slow: server('mend', 1_000) }, LONG), { waitForServers: false })
    const client = await gateway.client(kind, 'both-full')
    expect(textOf(await client.call('slow__mend', {}))).toContain('mend')
  })

  it.each(KINDS)(
    '[R37] is never called unknown: the answer names the servers that start, for %s clients',
    async (kind) => {
      const servers = { quick: server('read'), slow: server('mend', NEVER_MS), later: server('paint', NEVER_MS) }
      await using gateway = await gatewayWith(setup(servers, SHORT), { waitForServers: false })
      await until(() => gateway.inside.catalog.snapshot().tools.size === 1)
      const client = await gateway.client(kind, 'both-full')
      await expect(client.call('slow__mend', {})).rejects.toMatchObject({
        data: { code: 'SERVER_STARTING', servers: ['slow'] },
      })
      await expect(client.call('mend', {})).rejects.toMatchObject({ data: { servers: ['slow', 'later'] } })
      await expect(client.call('quick__gone', {})).rejects.toMatchObject({ data: { code: 'TOOL_NOT_FOUND' } })
      const meta = await gateway.client(kind, 'both-meta-tools')
      const executed = await meta.call('tool_execute', { toolKey: 'slow:mend', arguments: {} })
      expect(executed).toMatchObject({ isError: true })
      expect(textOf(executed)).toMatch(/SERVER_STARTING: .*"slow" is still starting.*Try again/)
      const searched = await meta.call('tool_discovery', { query: ['mend a teapot'] })
      expect(searched['structuredContent']['notice']).toContain('Still starting')
      expect(searched['structuredContent']['notice']).toContain('slow, later')
    },
  )
})
