// Tokens: who may use the gateway, how it knows callers, and the audit of their requests.

import { describe, expect, it } from 'vitest'
import { type ClientKind, connect, failureOf, type Json, raw, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, until } from '../kit/gateway.ts'

const SETUP: GatewaySetup = {
  servers: {
    a: fixtureServer({ tools: [textTool('open_door', 'Open the door.', ['code'])] }),
    b: fixtureServer({ tools: [textTool('open_safe', 'Open the safe.')] }),
  },
  projects: { p: { servers: ['a'], exposure: 'meta-tools' }, q: { servers: ['b'], exposure: 'meta-tools' } },
  endpoints: { p: { project: 'p' }, q: { project: 'q' }, open: { project: 'p', auth: 'none' } },
  tokens: { visitor: { projects: ['p'] } },
}

const SESSIONS = ['legacy', 'v1', 'sse'] as const satisfies readonly ClientKind[]
const KINDS = ['modern', ...SESSIONS] as const

const CALLS: readonly Json[] = ['tool_discovery', 'tool_execute', 'a__open_door'].map((name, id) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: { query: ['door'], toolKey: 'a:open_door', code: '1' } },
}))

describe('access', () => {
  it('[R40] refuses search and execution without a token', async () => {
    await using gateway = await gatewayWith(SETUP)
    const wrong = [
      {},
      { authorization: 'Bearer tdx_wrong' },
      { authorization: gateway.secret() },
      { 'x-api-key': gateway.secret() },
      { cookie: `token=${gateway.secret()}` },
    ]
    for (const headers of wrong) {
      for (const call of CALLS) {
        const answer = await raw(`${gateway.url}/p/mcp`, call, headers as Record<string, string>)
        expect(answer.status).toBe(401)
        expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
        expect(answer.text).not.toMatch(/safe|tdx_/)
      }
    }
    const asked = await raw(`${gateway.url}/p/mcp?token=${gateway.secret()}`, CALLS[0])
    expect(asked.status).toBeGreaterThanOrEqual(400)
    expect((await gateway.seenBy('a')).filter(({ method }) => method === 'tools/call')).toEqual([])
  })

  it('[R40] serves callers without a token at a loopback endpoint that allows it, and nowhere else', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await connect('modern', gateway.url, undefined, 'open')
    const result = await client.call('tool_execute', { toolKey: 'a:open_door', arguments: { code: '1' } })
    expect(result['isError']).toBeFalsy()
    await client.close()
    await expect(connect('modern', gateway.url, undefined, 'q')).rejects.toThrow(/401|authorized|TOKEN_INVALID/i)
    const everywhere = gatewayWith({ ...SETUP, listen: { host: '0.0.0.0' } })
    await expect(everywhere).rejects.toMatchObject({ code: 'CONFIG_INVALID' })
  })

  it('[R41] knows callers by their header alone: their metadata narrows at most and is not forwarded', async () => {
    await using gateway = await gatewayWith(SETUP)
    const [visitor, owner] = [await gateway.client('modern', 'p', 'visitor'), gateway.secret()]
    const _meta = { token: owner, projectId: 'p', traceparent: TRACE, 'example.org/kept': 1 }
    for (const projectId of ['q', '*', 'nowhere']) {
      const found = await visitor.call('tool_discovery', { query: ['safe'] }, { _meta: { ..._meta, projectId } })
      expect(JSON.parse(textOf(found))).toMatchObject({
        results: [],
        notice: expect.stringContaining(`There is no project "${projectId}" that you may use`),
      })
    }
    const args = { toolKey: 'a:open_door', arguments: { code: '1' } }
    await visitor.call('tool_execute', args, { _meta })
    const [forwarded] = (await gateway.seenBy('a')).filter(({ method }) => method === 'tools/call')
    expect(forwarded?.['params']).toEqual({
      name: 'open_door',
      arguments: { code: '1' },
      _meta: { traceparent: TRACE, 'example.org/kept': 1 },
    })
    const everything = JSON.stringify(await gateway.seenBy('a'))
    for (const secret of [owner, gateway.secret('visitor'), 'projectId']) expect(everything).not.toContain(secret)
    expect(gateway.audited().at(-1)).toMatchObject({ tokenId: 'visitor', projectId: 'p' })
  })

  describe('_meta.projectId', () => {
    const TEAM: GatewaySetup = {
      servers: {
        ...SETUP.servers,
        free: fixtureServer({ tools: [textTool('open_gate', 'Open the gate.')] }),
      },
      projects: { p: { servers: ['a'] }, q: { servers: ['b'], exposure: 'meta-tools' }, both: { servers: ['a', 'b'] } },
      endpoints: { both: { project: 'both' } },
      tokens: { some: { projects: ['default', 'p', 'both'] } },
    }
    const listed = (client: TestClient, projectId?: unknown) =>
      client.request('tools/list', {}, projectId === undefined ? {} : { _meta: { projectId } })
    const names = async (client: TestClient, projectId?: unknown): Promise<string[]> =>
      (await listed(client, projectId))['tools'].map(({ name }: Json) => name)
    const found = async (client: TestClient, projectId: unknown, query = 'open') =>
      JSON.parse(textOf(await client.call('tool_discovery', { query }, { _meta: { projectId } })))

    it.each(KINDS)(
      '[R21] selects a project on the default endpoint, with its settings, for %s clients',
      async (kind) => {
        await using gateway = await gatewayWith(TEAM)
        const client = await gateway.client(kind)
        expect(await names(client)).toEqual(['free__open_gate'])
        expect(await names(client, 'p')).toEqual(['a__open_door'])
        expect(await names(client, 'q')).toEqual(['tool_discovery', 'tool_execute'])
        expect((await found(client, 'q')).results).toMatchObject([{ toolKey: 'b:open_safe' }])
        const called = await client.call('a__open_door', { code: '1' }, { _meta: { projectId: 'p' } })
        expect(called['isError']).not.toBe(true)
        const forwarded = (await gateway.seenBy('a')).find(({ method }) => method === 'tools/call')
        expect(JSON.stringify(forwarded)).not.toContain('projectId')
        expect(await names(client, '__unassigned__')).toEqual(['free__open_gate'])
      },
    )

    it.each(KINDS)(
      '[R21] is answered with a notice where nothing is left, and widens nothing, for %s clients',
      async (kind) => {
        await using gateway = await gatewayWith(TEAM)
        const client = await gateway.client(kind, undefined, 'some')
        const atBoth = await gateway.client(kind, 'both', 'some')
        expect(await names(atBoth, 'p')).toEqual(['a__open_door'])
        for (const [who, projectId, reason] of [
          [client, 'q', 'There is no project "q" that you may use'],
          [client, 'nowhere', 'There is no project "nowhere" that you may use'],
          [atBoth, 'q', 'There is no project "q" that you may use'],
          [atBoth, 'default', 'No server here is in the project "default"'],
          [atBoth, '', 'Every server here belongs to a project'],
        ] as const) {
          expect(await found(who, projectId)).toMatchObject({ results: [], notice: expect.stringContaining(reason) })
          const list = await listed(who, projectId)
          expect(list['_meta']).toMatchObject({ 'io.tooldex/notice': reason })
          expect(list['tools'].map(({ name }: Json) => name)).toEqual(['tool_discovery', 'tool_execute'])
          const call = who.call('b__open_safe', {}, { _meta: { projectId } })
          expect(await failureOf(call)).toMatchObject({ data: { code: 'PROJECT_NOT_FOUND' } })
        }
        expect((await gateway.seenBy('b')).filter(({ method }) => method === 'tools/call')).toEqual([])
      },
    )

    it.each(SESSIONS)('[R21] [U11] decides which changes a %s client hears of', async (kind) => {
      await using gateway = await gatewayWith(TEAM)
      const [atP, atDefault] = [await gateway.newClient(kind), await gateway.newClient(kind)]
      await names(atP, 'p')
      await names(atDefault)
      await gateway.changeTools('a', [textTool('open_window', 'Open the window.')])
      await until(() => atP.heard.length > 0)
      expect(atDefault.heard).toEqual([])
    })
  })

  it('[R42] audits searches and calls with client and transport, refused ones with the tool, without arguments', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await gateway.client('modern', 'p', 'visitor')
    const common = {
      ...{ tokenId: 'visitor', projectId: 'p', endpointId: 'p', requestId: expect.any(String) },
      ...{ transport: 'stateless-http', clientName: expect.any(String), clientVersion: expect.any(String) },
    }
    const last = () => gateway.audited().at(-1)
    await client.call('tool_discovery', { query: ['open the hidden door'] })
    expect(last()).toMatchObject({ ...common, kind: 'search', outcome: 'ok', queryCount: 1, answeredBy: 'hybrid' })
    expect(last()).toMatchObject({ resultKeys: ['a:open_door'], durationMs: expect.any(Number) })
    expect(last()).toMatchObject({ queries: ['open the hidden door'] })
    const execute = (toolKey: string, args: Json) => client.call('tool_execute', { toolKey, arguments: args })
    await execute('a:open_door', { code: 'sesame' })
    const door = { ...common, kind: 'call', serverId: 'a', toolKey: 'a:open_door', durationMs: expect.any(Number) }
    expect(last()).toMatchObject({ ...door, outcome: 'ok', requestBytes: '{"code":"sesame"}'.length })
    await execute('a:open_door', { code: 7, sesame: 1 })
    expect(last()).toMatchObject({ ...door, outcome: 'INVALID_ARGUMENTS' })
    await execute('b:open_safe', {})
    const unknown = { ...common, kind: 'call', outcome: 'TOOL_NOT_FOUND', serverId: '' }
    expect(last()).toMatchObject({ ...unknown, toolKey: 'b:open_safe' })
    await execute(`no\u001b[31m ${'x'.repeat(900)}`, {})
    expect(last()).toMatchObject({ ...unknown, toolKey: expect.stringMatching(/^no x{150,200}…$/) })
    await client.call('tool_execute', { toolKey: 'a:open_door', arguments: 7 })
    expect(last()).toMatchObject({ ...door, outcome: 'INVALID_ARGUMENTS' })
    await failureOf(client.call('a__open_door', { code: 'sesame' }))
    expect(last()).toMatchObject({ ...door, outcome: 'TOOL_NOT_FOUND' })
    await client.call('tool_discovery', {})
    expect(last()).toMatchObject({ ...common, kind: 'search', outcome: 'INVALID_ARGUMENTS' })
    expect(gateway.audited()).toHaveLength(8)
    expect(new Set(gateway.audited().map(({ requestId }) => requestId)).size).toBe(8)
    expect(JSON.stringify(gateway.audited())).not.toMatch(/sesame|tdx_/)
  })

  it('[R42] names the tool of a call that the project or the server forbids, also by a name of another dialect', async () => {
    const projects = { p: { servers: ['a'], tools: { 'a:open_door': { allowed: false } } } }
    await using gateway = await gatewayWith({ ...SETUP, projects: { ...SETUP.projects, ...projects } })
    const client = await gateway.client('modern', 'p', 'visitor')
    for (const toolKey of ['a:open_door', 'a__open_door', 'A:open_door']) {
      await client.call('tool_execute', { toolKey, arguments: {} })
      const refused = { outcome: 'TOOL_DISABLED', serverId: 'a', toolKey: 'a:open_door' }
      expect(gateway.audited().at(-1)).toMatchObject(refused)
    }
  })

  it.each([
    ['modern', 'stateless-http'],
    ['legacy', 'streamable-http'],
    ['v1', 'streamable-http'],
    ['sse', 'sse'],
  ] as const)('[R42] audits the name, the version and the transport of %s clients', async (kind, transport) => {
    await using gateway = await gatewayWith(SETUP)
    const client = await gateway.client(kind, 'p', 'visitor')
    await client.call('tool_discovery', { query: ['door'] })
    const named = { clientName: expect.stringMatching(/\w/), clientVersion: expect.stringMatching(/\d/) }
    expect(gateway.audited().at(-1)).toMatchObject({ kind: 'search', transport, ...named })
  })

  it('[R42] keeps no query text if the configuration says so', async () => {
    await using gateway = await gatewayWith({ ...SETUP, audit: { queries: false } })
    await (await gateway.client('modern', 'p')).call('tool_discovery', { query: ['open the hidden door'] })
    expect(gateway.audited()).toMatchObject([{ kind: 'search', queryCount: 1 }])
    expect(JSON.stringify(gateway.audited())).not.toContain('hidden')
  })

  it('[R42] counts refused tokens by address in one entry', async () => {
    const gateway = await gatewayWith(SETUP)
    const probe = (authorization?: string) =>
      fetch(`${gateway.url}/p/mcp`, { method: 'POST', headers: authorization === undefined ? {} : { authorization } })
    for (let time = 0; time < 30; time++) expect([401, 429]).toContain((await probe('Bearer tdx_wrong')).status)
    expect((await probe()).status).toBe(401)
    await gateway.stop()
    expect(gateway.audited()).toMatchObject([
      { kind: 'refusal', outcome: 'TOKEN_INVALID', address: expect.stringContaining('127.0.0.1'), count: 20 },
      { kind: 'refusal', outcome: 'TOO_MANY_ATTEMPTS', count: 10 },
      { kind: 'refusal', outcome: 'TOKEN_MISSING', count: 1 },
    ])
    expect(JSON.stringify(gateway.audited())).not.toContain('tdx_')
  })

  it('[R44] knows tokens by their hash, refuses an expired one, and a revoked one with the very next request', async () => {
    const tokens = { old: { expires: '2020-01-01' }, gone: {} }
    await using gateway = await gatewayWith({ ...SETUP, tokens })
    for (const token of ['test', 'gone']) expect(gateway.secret(token)).toMatch(/^tdx_[\w-]{43}$/)
    const model = gateway.inside.models.current()
    expect(JSON.stringify([...model.tokens])).not.toContain('tdx_')
    for (const hash of model.tokens.keys()) expect(hash).toMatch(/^[0-9a-f]{64}$/)
    await expect(gateway.newClient('modern', 'p', 'old')).rejects.toThrow(/401|authorized|TOKEN_INVALID/i)

    const clients = await Promise.all(
      (['modern', 'legacy', 'v1', 'sse'] as const).map((kind) => gateway.newClient(kind, 'p', 'gone')),
    )
    for (const client of clients) expect(await client.listTools()).toHaveLength(2)
    const stream = await fetch(`${gateway.url}/p/sse`, {
      headers: { authorization: `Bearer ${gateway.secret('gone')}` },
    })
    const streamEnd = stream.text().then(
      () => 'ended',
      () => 'ended',
    )
    gateway.configure({ ...SETUP, tokens: {} })
    for (const client of clients) await expect(client.listTools()).rejects.toThrow(/401|authorized|TOKEN_INVALID/i)
    await expect(gateway.newClient('modern', 'p', 'gone')).rejects.toThrow(/401|authorized|TOKEN_INVALID/i)
    let isOpen = true
    void streamEnd.then(() => (isOpen = false))
    await until(() => !isOpen, 1_000)
    expect(await (await gateway.client('modern', 'p')).listTools()).toHaveLength(2)
  })
})

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
