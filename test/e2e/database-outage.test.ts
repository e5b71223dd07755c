import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TcpProxy } from '../../packages/gateway/src/store/postgres/tcp-proxy.case.ts'
import { connect, type Json, type TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'

describe('two gateways whose database goes away', () => {
  let machine: Machine
  let road: TcpProxy
  let drop = async (): Promise<void> => {}
  let first: RunningProgram
  let second: RunningProgram
  let adminToken = ''
  let secret = ''

  const asked = async (gateway: RunningProgram, method: string, path: string, body?: object) => {
    const response = await fetch(`${gateway.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, json: (await response.json()) as Json }
  }
  const startSecond = (): Promise<RunningProgram> =>
    machine.serve('--data', join(machine.folder, 'second'), '--config', join(machine.folder, 'other.json'))
  const clientOf = async ({ url }: RunningProgram): Promise<TestClient> => {
    const client = await connect('modern', url, secret, 'p')
    await until(async () => (await client.listTools()).length === 1, 30_000)
    return client
  }

  beforeAll(async () => {
    const database = await testDatabase()
    drop = database.drop
    road = await TcpProxy.to(database.url)
    machine = new Machine({ TOOLDEX_DATABASE_URL: road.url, TOOLDEX_SECRET_KEY: 'a key that both gateways have' })
    writeFileSync(join(machine.folder, 'other.json'), JSON.stringify({ projects: { declared: { servers: [] } } }))
    first = await machine.serve()
    adminToken = /tdxa_[\w-]+/.exec(first.out)?.[0] ?? ''
    second = await startSecond()
    await asked(first, 'POST', '/servers', { id: 's', ...fixtureServer({ tools: [textTool('one', 'The first')] }) })
    await asked(first, 'POST', '/projects', { id: 'p', servers: ['s'], exposure: 'full' })
    await asked(first, 'POST', '/endpoints', { id: 'p', project: 'p' })
    secret = String((await asked(first, 'POST', '/tokens', { name: 't', projects: ['p'] })).json['secret'])
    const tokens = async (): Promise<number> => Number((await asked(second, 'GET', '/overview')).json['tokens'].client)
    await until(async () => (await tokens()) === (await asked(first, 'GET', '/overview')).json['tokens'].client, 15_000)
  }, 120_000)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await road.close()
    await drop()
  })

  it('say in their health that their configuration files differ', async () => {
    const problems = async (): Promise<string[]> => (await asked(first, 'GET', '/health')).json['store'].problems
    await expect
      .poll(problems, { timeout: 15_000 })
      .toEqual(['Replicas on this database have different configuration files. Give all of them the same.'])
  }, 30_000)

  it('answer every call, write every audit entry once, and tell the state within seconds', async () => {
    const clients = [await clientOf(first), await clientOf(second)]
    const call = async (): Promise<void> => {
      for (const client of clients) expect(await client.call('s__one', {})).not.toHaveProperty('isError', true)
    }
    for (let round = 0; round < 5; round++) await call()
    road.block()
    for (let round = 0; round < 5; round++) await call()
    const since = performance.now()
    expect((await asked(first, 'GET', '/health')).json).toMatchObject({ status: 'degraded', store: { ok: false } })
    expect(performance.now() - since).toBeLessThan(8_000)
    road.open()
    for (let round = 0; round < 5; round++) await call()
    const calls = async (): Promise<string[]> => {
      const { json } = await asked(first, 'GET', '/audit?kind=call&limit=100')
      return (json['items'] as { requestId: string }[]).map(({ requestId }) => requestId)
    }
    await expect.poll(async () => (await calls()).length, { timeout: 30_000 }).toBe(30)
    expect(new Set(await calls()).size).toBe(30)
    for (const client of clients) await client.close()
  }, 90_000)

  it('start from the state that they last knew, say so, refuse changes, and catch up', async () => {
    await second.stop()
    road.block()
    second = await startSecond()
    const ready = async (): Promise<Json> => (await (await fetch(`${second.url}/readyz`)).json()) as Json
    expect(await ready()).toMatchObject({ status: 'ready', state: 'last-known' })
    expect(second.err).toContain('the gateway starts from the state that it last knew')
    const client = await clientOf(second)
    expect(await client.call('s__one', {})).not.toHaveProperty('isError', true)
    const refused = await asked(second, 'POST', '/projects', { id: 'q', servers: [] })
    expect([refused.status, refused.json['code']]).toEqual([503, 'STORE_UNAVAILABLE'])
    expect(refused.json['detail']).toContain('has not reached the database yet')
    const metrics = await (await fetch(`${second.url}/metrics`)).text()
    expect(metrics).toContain('\ntooldex_store_last_known_state 1\n')
    road.open()
    await until(async () => (await ready())['state'] === undefined, 30_000)
    expect((await asked(second, 'POST', '/projects', { id: 'q', servers: [] })).status).toBe(201)
    await client.close()
  }, 120_000)
})
