import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connect, type Json, raw } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'

const SERVER = fixtureServer({ tools: [textTool('one', 'The first'), textTool('two', 'The second')] })

const TRACKER = fixtureServer({
  tools: [
    textTool('list_users', 'Lists users and when they last saw a page'),
    textTool('create_issue', 'Opens an issue in a repository that users see'),
  ],
})

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('two gateways on one PostgreSQL database', () => {
  let machine: Machine
  let drop = async (): Promise<void> => {}
  let first: RunningProgram
  let second: RunningProgram
  let adminToken = ''

  const api = async (gateway: RunningProgram, method: string, path: string, body?: object): Promise<Json> => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    expect([method, path, response.ok]).toEqual([method, path, true])
    return (await response.json()) as Json
  }

  beforeAll(async () => {
    const database = await testDatabase()
    drop = database.drop
    machine = new Machine({ TOOLDEX_DATABASE_URL: database.url, TOOLDEX_SECRET_KEY: 'a key that both gateways have' })
    first = await machine.serve()
    // One gateway runs on a data folder.
    second = await machine.serve('--data', join(machine.folder, 'second'))
    adminToken = /tdxa_[\w-]+/.exec(first.out)?.[0] ?? ''
  }, 120_000)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await drop()
  })

  it('share the sessions of the console: both have the secret key', async () => {
    const signedIn = await fetch(`${first.url}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: first.url },
      body: JSON.stringify({ token: adminToken }),
    })
    const cookie = (signedIn.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
    const { pageSecret } = (await signedIn.json()) as { pageSecret: string }
    for (const { url } of [first, second]) {
      const session = await fetch(`${url}/api/v1/session`, { headers: { cookie, 'x-tooldex-console': pageSecret } })
      expect(session.status).toBe(200)
    }
  })

  it('make one first admin token, which works at both', async () => {
    expect(adminToken).not.toBe('')
    expect(second.out).not.toContain('tdxa_')
    expect((await api(second, 'GET', '/overview'))['tokens']).toMatchObject({ admin: 1 })
  })

  it('[R44] share changes: each serves the additions of the other, and both refuse a token within a second after one revoked it', async () => {
    await api(first, 'POST', '/servers', { id: 's', ...SERVER })
    await api(first, 'POST', '/projects', { id: 'p', servers: ['s'], exposure: 'full' })
    await api(first, 'POST', '/endpoints', { id: 'p', project: 'p' })
    const { secret, token } = await api(first, 'POST', '/tokens', { name: 't', projects: ['p'] })
    const statusAt = async (gateway: RunningProgram): Promise<number> =>
      (await raw(`${gateway.url}/p/mcp`, INITIALIZE, { authorization: `Bearer ${secret}` })).status
    // Not by asking with the token: too many wrong ones are refused for a minute.
    await until(
      async () => (await api(second, 'GET', '/tokens'))['items'].some(({ id }: Json) => id === token.id),
      15_000,
    )
    expect(await statusAt(second)).toBe(200)
    const client = await connect('modern', second.url, String(secret), 'p')
    const names = async () => (await client.listTools()).map(({ name }) => String(name)).toSorted()
    await until(async () => (await names()).length === 2, 15_000)
    await api(first, 'PATCH', '/projects/p/tools/s:two', { allowed: false })
    await until(async () => (await names()).join() === 's__one', 15_000)
    expect(await statusAt(first)).toBe(200)
    await api(second, 'DELETE', `/tokens/${token.id}`)
    expect(await statusAt(second)).toBe(401)
    await until(async () => (await statusAt(first)) === 401, 1_000)
    await expect(client.listTools()).rejects.toThrow(/401|authorized|TOKEN_INVALID/i)
    await client.close()
  }, 60_000)

  it('lose no change when both write at once, and let one win where only one can', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `p${at}`)
    await Promise.all(
      names.map((id, at) => api(at % 2 === 0 ? first : second, 'POST', '/projects', { id, servers: [] })),
    )
    const ids = async (gateway: RunningProgram) =>
      (await api(gateway, 'GET', '/projects'))['items'].map(({ id }: Json) => String(id))
    for (const gateway of [first, second]) {
      await until(async () => {
        const known = await ids(gateway)
        return names.every((id) => known.includes(id))
      }, 15_000)
    }
    const attempts = await Promise.all(
      [first, second].map((gateway) =>
        fetch(`${gateway.url}/api/v1/projects`, {
          method: 'POST',
          headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
          body: JSON.stringify({ id: 'same', servers: [] }),
        }),
      ),
    )
    expect(attempts.map(({ status }) => status).toSorted()).toEqual([201, 409])
  }, 60_000)

  it('[U13] learn from each other, and forget together', async () => {
    await api(first, 'POST', '/servers', { id: 'tracker', ...TRACKER })
    await api(first, 'POST', '/projects', { id: 'learning', servers: ['tracker'], exposure: 'meta-tools' })
    await api(first, 'POST', '/endpoints', { id: 'learning', project: 'learning' })
    const { secret } = await api(first, 'POST', '/tokens', { name: 'learner', projects: ['learning'] })
    const asked = 'users see a crash on the login page'
    const at = async (gateway: RunningProgram) => connect('modern', gateway.url, String(secret), 'learning')
    const client = await at(first)
    await until(async () => {
      const { structuredContent } = await client.call('tool_discovery', { query: asked })
      return structuredContent.results.some(({ toolKey }: Json) => toolKey === 'tracker:create_issue')
    }, 15_000)
    await client.call('tool_execute', { toolKey: 'tracker:create_issue' })
    const learntAt = async (gateway: RunningProgram) =>
      (await api(gateway, 'GET', '/projects/learning/learned'))['items']
    await until(async () => (await learntAt(first)).length === 1, 15_000)
    expect(await learntAt(second)).toMatchObject([
      { query: asked, toolKey: 'tracker:create_issue', tokenName: 'learner' },
    ])
    const other = await at(second)
    const told = async () => JSON.stringify(await other.call('tool_discovery', { query: asked, explain: true }))
    await until(async () => (await told()).includes('used for'), 15_000)
    expect(await api(first, 'DELETE', '/projects/learning/learned')).toEqual({ forgotten: 1 })
    await until(async () => !(await told()).includes('used for'), 15_000)
    await Promise.all([client.close(), other.close()])
  }, 60_000)

  it('continue when one is killed', async () => {
    await first.kill()
    expect((await api(second, 'GET', '/health'))['store']).toMatchObject({ ok: true })
  })
})
