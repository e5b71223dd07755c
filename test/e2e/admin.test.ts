import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Json, type TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'

const SERVER = fixtureServer({
  tools: [
    textTool('create_issue', 'Creates an issue in the tracker', ['title']),
    textTool('delete_issue', 'Deletes an issue from the tracker', ['id']),
  ],
})

describe('a gateway that is managed while it runs', () => {
  let machine: Machine
  let gateway: RunningProgram
  let adminToken = ''
  const tokens = new Map<string, string>()

  const api = async (method: string, path: string, body?: object, token = adminToken) => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Json }
  }
  const names = async (client: TestClient): Promise<string[]> =>
    (await client.listTools()).map(({ name }) => String(name)).toSorted()
  const callByKey = (client: TestClient, toolKey: string, args: Json = {}) =>
    client.call('tool_execute', { toolKey, arguments: args })

  beforeAll(async () => {
    machine = new Machine()
    gateway = await machine.serve()
    adminToken = /tdxa_[\w-]+/.exec(gateway.out)?.[0] ?? ''
  }, 60_000)
  afterAll(() => machine[Symbol.asyncDispose]())

  it('[R44] shows the first admin token once, and keeps clients out of the admin API', async () => {
    expect(adminToken).not.toBe('')
    expect((await api('GET', '/overview')).status).toBe(200)
    expect((await api('GET', '/overview', undefined, 'tdxa_wrong')).status).toBe(401)
    const open = await fetch(`${gateway.url}/api/v1/overview`)
    expect([open.status, open.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('Bearer')])
  })

  it('accepts server, project, endpoint and token, and serves them at once', async () => {
    expect(await api('POST', '/servers', { id: 'tracker', ...SERVER })).toMatchObject({ status: 201 })
    expect((await api('POST', '/servers/tracker/restart')).body).toMatchObject({ status: { state: 'running' } })
    // A search waits for a first list, but not for ever.
    await until(async () => (await api('GET', '/servers/tracker')).body['counts'].tools > 0)
    const disclosure = { exposure: 'full' }
    expect((await api('POST', '/projects', { id: 'work', servers: ['tracker'], ...disclosure })).status).toBe(201)
    expect((await api('POST', '/endpoints', { id: 'work', project: 'work' })).status).toBe(201)
    expect((await api('POST', '/endpoints', { id: 'meta', project: 'work', exposure: 'meta-tools' })).status).toBe(201)
    for (const name of ['worker', 'other']) {
      const { status, body } = await api('POST', '/tokens', {
        name,
        projects: [name === 'worker' ? 'work' : 'default'],
      })
      expect(status).toBe(201)
      tokens.set(name, String(body['secret']))
    }
    const worker = await connect('modern', gateway.url, tokens.get('worker'), 'meta')
    const found = await worker.call('tool_discovery', { query: ['make a new issue'] })
    expect(found['structuredContent'].results[0]).toMatchObject({ toolKey: 'tracker:create_issue' })
    expect((await callByKey(worker, 'tracker:create_issue', { title: 'x' }))['isError']).not.toBe(true)
    await worker.close()
  })

  it('refuses admin tokens at endpoints, and tokens outside of their projects', async () => {
    await expect(connect('modern', gateway.url, adminToken, 'work')).rejects.toThrow(/401/)
    await expect(connect('modern', gateway.url, tokens.get('other'), 'work')).rejects.toThrow(/endpoint/i)
    expect((await api('GET', '/tokens', undefined, tokens.get('worker'))).status).toBe(403)
  })

  it('[R42] audits searches and calls, each once, without arguments', async () => {
    await until(async () => (await api('GET', '/audit?kind=call')).body['items'].length > 0)
    const [called, found] = [await api('GET', '/audit?kind=call'), await api('GET', '/audit?kind=search')]
    expect([...called.body['items'], ...found.body['items']]).toMatchObject([
      { kind: 'call', toolKey: 'tracker:create_issue', projectId: 'work', endpointId: 'meta', outcome: 'ok' },
      { kind: 'search', resultKeys: expect.arrayContaining(['tracker:create_issue']), projectId: 'work' },
    ])
    expect(found.body['items']).toMatchObject([{ queries: ['make a new issue'] }])
    expect((await machine.run('tooldex audit --token worker --json')).json()['entries']).toHaveLength(2)
  })

  it('[R42] audits the acts of administrators once each, and refuses to call a changed export whole', async () => {
    const acts = async () => (await api('GET', '/audit?kind=change&limit=500')).body['items'] as Json[]
    await until(async () => (await acts()).some(({ action, target }) => action === 'createToken' && target === 'other'))
    const tokens = (await acts()).filter(({ action }) => action === 'createToken')
    // The first start creates two: for the administrator and for the first client.
    expect(tokens.map(({ target }) => target).toSorted()).toEqual(['', '', 'other', 'worker'])
    expect(JSON.stringify(await acts())).not.toMatch(/tdxa?_/)
    expect(await machine.run('tooldex audit verify')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is whole'),
    })
    expect((await machine.run('tooldex audit export audit.jsonl')).code).toBe(0)
    expect((await machine.run('tooldex audit verify audit.jsonl')).code).toBe(0)
  })

  it.each(['modern', 'legacy'] as const)(
    '[R18] removes a denied tool within a second, without a restart, and notifies %s clients',
    async (kind) => {
      const client = await connect(kind, gateway.url, tokens.get('worker'), 'work')
      await client.listen()
      expect(await names(client)).toEqual(['tracker__create_issue', 'tracker__delete_issue'])
      const deny = (allowed: boolean) => api('PATCH', '/projects/work/tools/tracker:delete_issue', { allowed })
      expect((await deny(false)).status).toBe(200)
      // The change is in force when the answer comes: the next list is without the tool.
      expect(await names(client)).toEqual(['tracker__create_issue'])
      const denied = client.call('tracker__delete_issue', { id: '1' })
      await expect(denied.then((result) => result['isError'] !== true)).rejects.toThrow(/disabled/i)
      await until(() => client.heard.some(({ method }) => method === 'notifications/tools/list_changed'), 3_000)
      expect((await deny(true)).status).toBe(200)
      expect(await names(client)).toHaveLength(2)
      await client.close()
    },
  )

  it('restarts no server but the one that changed, and none for permissions', async () => {
    const pid = async (): Promise<number> => (await api('GET', '/servers/tracker')).body['status'].pid
    const before = await pid()
    expect((await api('POST', '/servers', { id: 'other', ...SERVER, start: 'on-demand' })).status).toBe(201)
    expect((await api('PATCH', '/tools/tracker:delete_issue', { allowed: true })).status).toBe(200)
    expect(await pid()).toBe(before)
    expect((await api('PATCH', '/servers/tracker', { env: { SECRET: 'canary-secret' } })).status).toBe(200)
    await until(async () => (await pid()) > 0 && (await pid()) !== before, 10_000)
    expect(JSON.stringify((await api('GET', '/servers/tracker')).body)).not.toContain('canary-secret')
    expect(gateway.err + gateway.out).not.toContain('canary-secret')
  })

  it('[R29] refuses names that are blank, too long or taken in any case, and unknown references', async () => {
    const name = async (body: object) => (await api('POST', '/projects', { servers: [], ...body })).status
    expect(await name({ id: 'a', name: ' WORK ' })).toBe(409)
    expect(await name({ id: 'work' })).toBe(409)
    expect(await name({ id: 'b', name: '  ' })).toBe(400)
    expect(await name({ id: 'x'.repeat(200) })).toBe(400)
    expect(await name({ id: 'c', servers: ['nowhere'] })).toBe(400)
    const line = await machine.run('tooldex project add Work')
    expect(line).toMatchObject({ code: 2, err: expect.stringContaining('already') })
    expect((await machine.run("tooldex token create --name '  '")).code).toBe(2)
    expect((await machine.run('tooldex server show nowhere')).code).toBe(3)
  })

  it('keeps everything over a kill -9 and a restart, and shows no admin token again', async () => {
    const before = (await api('GET', '/export')).body['config']
    await gateway.kill()
    gateway = await machine.serve()
    expect(gateway.out).not.toContain('tdxa_')
    expect((await api('GET', '/export')).body['config']).toEqual(before)
    const worker = await connect('modern', gateway.url, tokens.get('worker'), 'work')
    await until(async () => (await names(worker)).length === 2)
    await worker.close()
  }, 60_000)

  it('[R44] refuses a revoked token at once, and ends its streams', async () => {
    const client = await connect('legacy', gateway.url, tokens.get('worker'), 'work')
    const { body } = await api('GET', '/tokens')
    const { id } = body['items'].find(({ name }: Json) => name === 'worker')
    expect((await api('DELETE', `/tokens/${id}`)).status).toBe(200)
    await expect(names(client)).rejects.toThrow(/token/i)
    await expect(connect('modern', gateway.url, tokens.get('worker'), 'work')).rejects.toThrow(/401/)
    await client.close()
  })

  it('changes the same without a running gateway, and the next one serves it', async () => {
    await gateway.stop()
    const made = await machine.run('tooldex token create --name later --project work --json')
    expect(made.code).toBe(0)
    expect((await machine.run('tooldex project tool work tracker:delete_issue --deny')).code).toBe(0)
    const acts = await machine.run('tooldex audit --kind change --max 2 --json')
    expect(acts.json()['entries']).toMatchObject([
      { action: 'createToken', target: 'later', tokenId: 'local', transport: 'command-line', clientName: 'tooldex' },
      {
        action: 'changeProjectTool',
        changes: [{ of: 'project', id: 'work', fields: [expect.stringContaining('tools.')] }],
      },
    ])
    expect((await machine.run('tooldex audit verify')).code).toBe(0)
    gateway = await machine.serve()
    const later = await connect('modern', gateway.url, made.json()['secret'], 'work')
    await until(async () => (await names(later)).length > 0)
    expect(await names(later)).toEqual(['tracker__create_issue'])
    await later.close()
  }, 60_000)
})
