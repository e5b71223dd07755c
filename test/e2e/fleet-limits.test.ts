import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { raw } from '../kit/clients.ts'
import { Machine, type RunningProgram } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'

const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1' } },
}

describe('three gateways on one PostgreSQL database', () => {
  let machine: Machine
  let drop = async (): Promise<void> => {}
  let replicas: readonly RunningProgram[]
  let adminToken = ''

  beforeAll(async () => {
    const database = await testDatabase()
    drop = database.drop
    machine = new Machine({ TOOLDEX_DATABASE_URL: database.url, TOOLDEX_SECRET_KEY: 'a key that all gateways have' })
    writeFileSync(join(machine.folder, 'tooldex.json'), JSON.stringify({ rateLimits: { tokenPerMinute: 30 } }))
    const first = await machine.serve()
    adminToken = /tdxa_[\w-]+/.exec(first.out)?.[0] ?? ''
    const others = ['second', 'third'].map((name) => machine.serve('--data', join(machine.folder, name)))
    replicas = [first, ...(await Promise.all(others))]
  }, 120_000)
  afterAll(async () => {
    await machine[Symbol.asyncDispose]()
    await drop()
  })

  /** The statuses of requests in round robin. */
  const statuses = (count: number, authorization: string): Promise<number[]> =>
    Promise.all(
      Array.from({ length: count }, async (_, at) => {
        const { url = '' } = replicas[at % replicas.length] ?? {}
        return (await raw(`${url}/mcp`, INITIALIZE, { authorization })).status
      }),
    )

  it('let 30 to 33 of 100 requests of a token pass, if 30 a minute are allowed', async () => {
    const created = await fetch(`${replicas[0]?.url}/api/v1/tokens`, {
      method: 'POST',
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 't' }),
    })
    const { secret } = (await created.json()) as { secret: string }
    const isKnown = async (): Promise<boolean> => {
      const lists = await Promise.all(
        replicas.map(async ({ url }) => {
          const listed = await fetch(`${url}/api/v1/tokens`, { headers: { authorization: `Bearer ${adminToken}` } })
          return ((await listed.json()) as { items: unknown[] }).items.length
        }),
      )
      return lists.every((count) => count === lists[0])
    }
    await expect.poll(isKnown, { timeout: 15_000 }).toBe(true)
    const since = performance.now()
    const answers = await statuses(100, `Bearer ${secret}`)
    // A busy machine takes longer, and the limit refills meanwhile.
    const refilled = Math.floor((performance.now() - since) / 2_000)
    const passed = answers.filter((status) => status === 200).length
    expect(answers.filter((status) => status === 429)).toHaveLength(100 - passed)
    expect(passed).toBeGreaterThanOrEqual(30)
    expect(passed).toBeLessThanOrEqual(33 + refilled)
  }, 60_000)

  it('count wrong tokens together: 20 are answered 401, the others 429', async () => {
    const since = performance.now()
    const answers = await statuses(60, 'Bearer wrong')
    const refilled = Math.floor((performance.now() - since) / 3_000)
    const refused = answers.filter((status) => status === 401).length
    expect(answers.filter((status) => status === 429)).toHaveLength(60 - refused)
    expect(refused).toBeGreaterThanOrEqual(20)
    expect(refused).toBeLessThanOrEqual(22 + refilled)
  }, 60_000)
})
