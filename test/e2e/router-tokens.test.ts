// Tokens: who may use the gateway, how it knows callers, and the audit of their requests.

import { describe, expect, it } from 'vitest'
import { connect, failureOf, type Json, raw } from '../kit/clients.ts'
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
      const call = visitor.call('tool_discovery', { query: ['safe'] }, { _meta: { ..._meta, projectId } })
      expect(await failureOf(call)).toMatchObject({ data: { code: 'PROJECT_NOT_FOUND' } })
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

  it('[R42] audits searches and calls, refused ones too, without arguments and queries', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await gateway.client('modern', 'p', 'visitor')
    const common = { tokenId: 'visitor', projectId: 'p', endpointId: 'p', requestId: expect.any(String) }
    const last = () => gateway.audited().at(-1)
    await client.call('tool_discovery', { query: ['open the hidden door'] })
    expect(last()).toMatchObject({ ...common, kind: 'search', outcome: 'ok', queryCount: 1, answeredBy: 'hybrid' })
    expect(last()).toMatchObject({ resultKeys: ['a:open_door'], durationMs: expect.any(Number) })
    const execute = (toolKey: string, args: Json) => client.call('tool_execute', { toolKey, arguments: args })
    await execute('a:open_door', { code: 'sesame' })
    const door = { ...common, kind: 'call', serverId: 'a', toolKey: 'a:open_door', durationMs: expect.any(Number) }
    expect(last()).toMatchObject({ ...door, outcome: 'ok', requestBytes: '{"code":"sesame"}'.length })
    await execute('a:open_door', { code: 7, sesame: 1 })
    expect(last()).toMatchObject({ ...door, outcome: 'INVALID_ARGUMENTS' })
    await execute('b:open_safe', {})
    expect(last()).toMatchObject({ ...common, kind: 'call', outcome: 'TOOL_NOT_FOUND', serverId: '', toolKey: '' })
    await failureOf(client.call('a__open_door', { code: 'sesame' }))
    expect(last()).toMatchObject({ ...common, kind: 'call', outcome: 'TOOL_NOT_FOUND' })
    await client.call('tool_discovery', {})
    expect(last()).toMatchObject({ ...common, kind: 'search', outcome: 'INVALID_ARGUMENTS' })
    expect(gateway.audited()).toHaveLength(6)
    expect(new Set(gateway.audited().map(({ requestId }) => requestId)).size).toBe(6)
    expect(JSON.stringify(gateway.audited())).not.toMatch(/sesame|hidden|tdx_/)
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
