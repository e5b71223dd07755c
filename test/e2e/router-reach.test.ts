// The tools that searches, lists and calls cover: available, permitted, and of the caller's project alone.

import { describe, expect, it } from 'vitest'
import { echoOf, failureOf, type Json, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, until } from '../kit/gateway.ts'
import { httpServers } from '../kit/http-servers.ts'

const PAINT = textTool('paint_wall', 'Paint a wall.', ['colour'])
const SCRUB = textTool('scrub_wall', 'Scrub a wall clean.')
const BURN = textTool('burn_wall', 'Burn the wall down.')
const META_TOOLS = { exposure: 'meta-tools' }

async function answer(client: TestClient, query = 'wall', _meta?: Json): Promise<Json> {
  const args = { query: [query], maxResults: 100 }
  return (await client.call('tool_discovery', args, _meta && { _meta }))['structuredContent']
}

async function found(client: TestClient, query?: string, _meta?: Json): Promise<string[]> {
  return (await answer(client, query, _meta))['results'].map(({ toolKey }: Json) => toolKey).toSorted()
}

describe('tool search', () => {
  it('[R16] finds the tools that a server offers now, and no removed ones', async () => {
    await using gateway = await gatewayWith({
      servers: { a: fixtureServer({ tools: [PAINT, SCRUB] }) },
      endpoints: { default: META_TOOLS },
    })
    const client = await gateway.client('modern')
    expect(await found(client)).toEqual(['a:paint_wall', 'a:scrub_wall'])
    await gateway.changeTools('a', [SCRUB, BURN])
    expect(await found(client)).toEqual(['a:burn_wall', 'a:scrub_wall'])
    const result = await client.call('tool_execute', { toolKey: 'a:paint_wall', arguments: { colour: 'red' } })
    expect(result['_meta']['io.tooldex/error'].code).toBe('TOOL_NOT_FOUND')
  })

  it('[R16] [P18] waits for no server that hangs or dies, at start or later', async () => {
    await using gateway = await gatewayWith(
      {
        servers: {
          mute: fixtureServer({ tools: [], trouble: 'never-initialize' }),
          silent: fixtureServer({ tools: [], trouble: 'never-list' }),
          dead: fixtureServer({ tools: [], trouble: 'crash-at-start' }),
          missing: { command: 'no-such-program-anywhere' },
          a: fixtureServer({ tools: [PAINT] }),
        },
        endpoints: { default: META_TOOLS },
      },
      { waitForServers: false },
    )
    const client = await gateway.client('modern')
    await until(async () => (await found(client)).length > 0)
    expect(await found(client)).toEqual(['a:paint_wall'])
    const { content } = await client.call('tool_execute', {
      toolKey: 'a:paint_wall',
      arguments: { colour: 'red' },
    })
    expect(content).toHaveLength(1)
  })

  it('[R17] [R18] [R20] leaves out tools that token, project, permission or status forbid, on every path', async () => {
    await using gateway = await gatewayWith({
      servers: {
        a: fixtureServer(
          { tools: [PAINT, { ...SCRUB, annotations: { readOnlyHint: true } }, BURN] },
          { toolPermissions: { burn_wall: false, scrub_wall: true } },
        ),
        b: fixtureServer({ tools: [PAINT, SCRUB] }),
        c: fixtureServer({ tools: [PAINT] }),
        off: fixtureServer({ tools: [PAINT] }, { disabled: true }),
      },
      projects: {
        p: { servers: ['a', 'b', 'off'], ...META_TOOLS, tools: { 'b:scrub_wall': { allowed: false } } },
        q: { servers: ['c'], ...META_TOOLS },
      },
      endpoints: {
        p: { project: 'p' },
        q: { project: 'q' },
        whole: { project: 'p', exposure: 'full' },
      },
      tokens: { 'only-b': { servers: ['b'] }, reader: { readOnly: true }, visitor: { projects: ['q'] } },
    })
    const expected = {
      test: ['a:paint_wall', 'a:scrub_wall', 'b:paint_wall'],
      'only-b': ['b:paint_wall'],
      reader: ['a:scrub_wall'],
    }
    for (const [token, keys] of Object.entries(expected)) {
      expect(await found(await gateway.client('modern', 'p', token))).toEqual(keys)
      const whole = await gateway.client('modern', 'whole', token)
      const names = keys.map((key) => key.replace(':', '__'))
      expect((await whole.listTools()).map(({ name }) => name).toSorted()).toEqual(names)
      for (const name of [
        'a__paint_wall',
        'a__scrub_wall',
        'a__burn_wall',
        'b__paint_wall',
        'b__scrub_wall',
        'c__paint_wall',
        'off__paint_wall',
      ]) {
        const call = whole.call(name, { colour: 'red' })
        if (names.includes(name)) expect(echoOf(await call).tool).toBe(name.slice(3))
        else await failureOf(call)
      }
    }
    expect(await found(await gateway.client('modern', 'q', 'visitor'))).toEqual(['c:paint_wall'])
    await expect(gateway.client('modern', 'p', 'visitor')).rejects.toThrow(/404|No such endpoint/)
  })

  it('[R19] finds an idle server by its last known tools, starts it when called, and leaves out one that is stopped', async () => {
    const servers = {
      lazy: fixtureServer({ tools: [PAINT] }, { start: 'on-demand' }),
      other: fixtureServer({ tools: [SCRUB] }),
    }
    const setup = { servers, endpoints: { default: META_TOOLS } }
    await using first = await gatewayWith(setup)
    await until(() => first.inside.catalog.snapshot().tools.size === 2)
    await first.inside.stop()
    await using second = await gatewayWith(setup, { dataDir: first.dataDir })
    const client = await second.client('modern')
    expect(second.inside.pool.get('lazy')?.status().state).toBe('idle')
    expect(await found(client)).toEqual(['lazy:paint_wall', 'other:scrub_wall'])
    expect(second.inside.pool.get('lazy')?.status().state).toBe('idle')
    const result = await client.call('tool_execute', { toolKey: 'lazy:paint_wall', arguments: { colour: 'red' } })
    expect(echoOf(result).arguments).toEqual({ colour: 'red' })
    expect(second.inside.pool.get('lazy')?.status().state).toBe('running')
    await second.inside.pool.get('other')?.stop()
    await until(async () => (await found(client)).length === 1)
    expect(await found(client)).toEqual(['lazy:paint_wall'])
  })

  it('[R21] selects with an empty or unassigned project only servers that are in none, and never more', async () => {
    await using gateway = await gatewayWith({
      servers: {
        a: fixtureServer({ tools: [PAINT] }),
        b: fixtureServer({ tools: [SCRUB] }),
        c: fixtureServer({ tools: [BURN] }),
      },
      projects: { p: { servers: ['a'], ...META_TOOLS }, pb: { servers: ['a', 'b'], ...META_TOOLS } },
      endpoints: { default: META_TOOLS, p: { project: 'p' }, pb: { project: 'pb' } },
      tokens: { limited: { projects: ['pb'] } },
    })
    const unassigned = await gateway.client('modern')
    expect(await found(unassigned)).toEqual(['c:burn_wall'])
    const client = await gateway.client('modern', 'pb')
    expect(await found(client)).toEqual(['a:paint_wall', 'b:scrub_wall'])
    for (const projectId of ['', '__unassigned__', ' ']) {
      expect(await found(unassigned, 'wall', { projectId })).toEqual(['c:burn_wall'])
      expect(await answer(client, 'wall', { projectId })).toMatchObject({
        results: [],
        notice: expect.stringContaining('Every server here belongs to a project'),
      })
    }
    expect(await found(client, 'wall', { projectId: 'p' })).toEqual(['a:paint_wall'])
    expect(await found(await gateway.client('modern', 'p'), 'wall', { projectId: 'pb' })).toEqual(['a:paint_wall'])
    const limited = await gateway.client('modern', 'pb', 'limited')
    const [forbidden, unknown] = [
      await answer(limited, 'wall', { projectId: 'p' }),
      await answer(limited, 'wall', { projectId: 'x' }),
    ]
    expect(forbidden).toMatchObject({
      results: [],
      notice: expect.stringContaining('There is no project "p" that you may use'),
    })
    expect(JSON.stringify(forbidden).replaceAll('\\"p\\"', '\\"x\\"')).toBe(JSON.stringify(unknown))
  })

  it('[R22] skips a server whose list fails, reports it, and answers with the others', async () => {
    const servers = {
      lost: fixtureServer({ tools: [BURN], trouble: 'refuse-list' }),
      a: fixtureServer({ tools: [PAINT] }),
    }
    await using gateway = await gatewayWith({ servers, endpoints: { default: META_TOOLS } }, { logLevel: 'warn' })
    expect(await found(await gateway.client('modern'))).toEqual(['a:paint_wall'])
    expect(gateway.lines).toContainEqual(
      expect.objectContaining({ serverId: 'lost', doing: 'list', list: 'tools', error: 'the list is lost' }),
    )
    const lost = gateway.inside.catalog.snapshot().servers.find(({ id }) => id === 'lost')
    expect(lost?.problem).toBe('the list is lost')
  })

  it('[R23] reads all pages, detects a cycle of them, and gives up on one server alone', async () => {
    const tools = Array.from({ length: 7 }, (_, at) => textTool(`wall_${at}`, 'A wall.'))
    await using gateway = await gatewayWith({
      servers: {
        paged: fixtureServer({ tools, pageSize: 3 }),
        endless: fixtureServer({ tools: [BURN], trouble: 'endless-pages' }),
        silent: fixtureServer({ tools: [SCRUB], trouble: 'never-list' }, { limits: { listTimeoutMs: 300 } }),
        a: fixtureServer({ tools: [PAINT] }),
      },
      endpoints: { default: META_TOOLS },
    })
    const keys = await found(await gateway.client('modern'))
    expect(keys.filter((key) => key.startsWith('paged:'))).toHaveLength(7)
    expect(keys).toContain('a:paint_wall')
    const { servers } = gateway.inside.catalog.snapshot()
    expect(servers.find(({ id }) => id === 'silent')?.problem).toContain('silent')
    expect(servers.filter(({ problem }) => problem === undefined).map(({ id }) => id)).toEqual(
      expect.arrayContaining(['paged', 'a']),
    )
  })

  it('[R24] answers a token as a gateway would that has only its tools, to the last byte', async () => {
    const servers = {
      a: fixtureServer({ tools: [PAINT, SCRUB, textTool('wall_height', 'Measure how high a wall is.')] }),
      b: fixtureServer({ tools: [BURN, textTool('wall_wall_wall', 'Wall wall wall, paint paint.')] }),
      c: fixtureServer({ tools: [textTool('paint_brush', 'Choose a brush to paint with.')] }),
    }
    const endpoints = { default: META_TOOLS, direct: { ...META_TOOLS, directCalls: true } }
    await using all = await gatewayWith({
      servers: { ...servers, a: { ...servers.a, toolPermissions: { scrub_wall: false } } },
      endpoints,
      tokens: { some: { servers: ['a'] } },
    })
    const tools = [PAINT, textTool('wall_height', 'Measure how high a wall is.')]
    await using alone = await gatewayWith({ servers: { a: fixtureServer({ tools }) }, endpoints })
    const [one, other] = [await all.client('modern', undefined, 'some'), await alone.client('modern')]
    const queries = ['wall', 'paint a wall', 'paint', 'name:wall', 'brush', 'a:paint_wall', 'how high', '"a wall"']
    for (const query of queries) {
      for (const detail of ['minimal', 'summary', 'full']) {
        const args = { query: [query, 'scrub'], detail }
        expect(await one.call('tool_discovery', args)).toEqual(await other.call('tool_discovery', args))
      }
    }
    for (const toolKey of ['b:burn_wall', 'paint_wal', 'a:wall_heigth', 'c__paint_brush']) {
      const [ours, theirs] = [
        await one.call('tool_execute', { toolKey }),
        await other.call('tool_execute', { toolKey }),
      ]
      expect(textOf(ours)).toBe(textOf(theirs))
    }
  })

  it('[R43] lists, finds and calls among 200 servers while one hangs, and asks none but the called one', async () => {
    const all = Array.from({ length: 200 }, (_, at) => {
      const tools = [textTool(`paint_${at}`, `Paint wall ${at}.`)]
      return [`s${at}`, at === 7 ? 'hang' : tools] as const
    })
    await using http = await httpServers(Object.fromEntries(all))
    const endpoints = { default: META_TOOLS, whole: { exposure: 'full' } }
    const setup = { servers: http.entries({ era: '2026-07-28' }), endpoints }
    await using gateway = await gatewayWith(setup, { waitForServers: false })
    await until(() => gateway.inside.catalog.snapshot().tools.size === 199)
    const hung = http.requests.find(({ serverId }) => serverId === 's7')
    const asked = () => http.requests.filter(({ method }) => method === 'tools/list' || method === 'tools/call')
    const [client, whole] = [await gateway.client('modern'), await gateway.client('modern', 'whole')]
    const before = asked().length
    expect(before).toBeGreaterThanOrEqual(199)
    expect(await whole.listTools()).toHaveLength(199)
    for (let at = 20; at < 40; at++) expect(await found(client, `paint_${at}`)).toContain(`s${at}:paint_${at}`)
    // Lists and searches are answered from memory, however many servers there are.
    expect(asked()).toHaveLength(before)
    const result = await client.call('tool_execute', { toolKey: 's3:paint_3' })
    expect(echoOf(result).tool).toBe('paint_3')
    expect(asked().slice(before)).toMatchObject([{ serverId: 's3', method: 'tools/call' }])
    // Every answer came while the hung server still owed its first one.
    expect(hung?.isOpen()).toBe(true)
  })
})
