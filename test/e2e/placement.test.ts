// A program that keeps state runs in one of three gateways, and all clients use that one.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askedClient } from '../kit/asked-clients.ts'
import { askingServer } from '../kit/asking-server.ts'
import { connect, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { ReplicaSet, TOKEN } from '../kit/replicas.ts'
import { type TestDatabase, testDatabase } from '../kit/test-database.ts'

const TIME_LIMIT_MS = 120_000
const ONE = { placement: 'one' }
const COUNTING = fixtureServer(
  {
    tools: [textTool('count', 'Counts'), textTool('slow', 'Tells how far it is')],
    otherTools: [textTool('count', 'Counts'), textTool('more', 'Another one')],
    answers: [
      ['count', 'count'],
      ['slow', 'progress'],
    ],
  },
  ONE,
)
const CONFIG = {
  mcpServers: { counting: COUNTING, asking: { ...askingServer('legacy'), ...ONE } },
  endpoints: { all: { exposure: 'full' } },
  trust: 'off',
}

describe('a program that runs in one of three gateways', { timeout: TIME_LIMIT_MS }, () => {
  let database: TestDatabase
  let set: ReplicaSet
  beforeAll(async () => {
    database = await testDatabase()
    set = await ReplicaSet.start({ databaseUrl: database.url, count: 3, config: CONFIG })
  }, TIME_LIMIT_MS)
  afterAll(async () => {
    await set?.[Symbol.asyncDispose]()
    await database?.drop()
  })

  const counted = async (client: TestClient): Promise<{ pid: number; count: number }> =>
    JSON.parse(textOf(await client.call('counting__count', {}, { signal: AbortSignal.timeout(30_000) })))
  const statusOf = async (replica: number): Promise<{ state: string; pid?: number }> => {
    const answer = await fetch(`${set.urlOf(replica)}/api/v1/servers/counting`, {
      headers: { authorization: `Bearer ${set.ownerToken(replica)}` },
    })
    return ((await answer.json()) as { status: { state: string; pid?: number } }).status
  }
  /** The replicas in which a process of the program runs. */
  const owners = async (among = [0, 1, 2]): Promise<number[]> => {
    const found = await Promise.all(among.map(async (each) => ({ each, ...(await statusOf(each)) })))
    return found.flatMap(({ each, pid }) => (pid === undefined ? [] : [each]))
  }

  it('[U20] has one state for the clients of all', async () => {
    const clients = await Promise.all([0, 1, 2].map((each) => connect('modern', set.urlOf(each), TOKEN, 'all')))
    const answers = []
    for (let n = 0; n < 9; n++) answers.push(await counted(clients[n % 3] as TestClient))
    expect(answers.map(({ count }) => count)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9])
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
    expect(await owners()).toHaveLength(1)
    await Promise.all(clients.map((client) => client.close()))
  })

  it('[U20] asks the clients of all back, and reports progress to them', async () => {
    for (const each of [0, 1, 2]) {
      const where = { url: set.urlOf(each), endpoint: 'all', token: TOKEN }
      const asked = await askedClient('legacy', { ...where, name: `user of ${each}` })
      expect(JSON.parse(textOf(await asked.call('asking__ask'))).content.name).toBe(`user of ${each}`)
      await asked.close()
      const client = await connect('legacy', set.urlOf(each), TOKEN, 'all')
      const heard: number[] = []
      await client.call('counting__slow', {}, { onprogress: ({ progress }) => heard.push(progress) })
      expect(heard).toEqual([1, 2, 3])
      await client.close()
    }
  })

  it('[U20] tells the clients of all of a changed list', async () => {
    const clients = await Promise.all([0, 1, 2].map((each) => connect('legacy', set.urlOf(each), TOKEN, 'all')))
    await Promise.all(clients.map((client) => client.listen()))
    const [owner = 0] = await owners()
    process.kill((await statusOf(owner)).pid ?? 0, 'SIGUSR2')
    const names = async (client: TestClient) => (await client.listTools()).map(({ name }) => name)
    const haveAll = async () => (await Promise.all(clients.map(names))).every((each) => each.includes('counting__more'))
    await expect.poll(haveAll, { timeout: 20_000 }).toBe(true)
    await Promise.all(clients.map((client) => client.close()))
  })

  it('[U20] goes on in another gateway when its own is stopped, without a failed call', async () => {
    const [owner = 0] = await owners()
    const others = [0, 1, 2].filter((each) => each !== owner)
    const failed: unknown[] = []
    let isOver = false
    const working = others.map(async (each) => {
      const client = await connect('modern', set.urlOf(each), TOKEN, 'all')
      while (!isOver) {
        await counted(client).catch((error: unknown) => failed.push(error))
        await delay(20)
      }
      const last = await counted(client)
      await client.close()
      return last
    })
    await set.stop(owner)
    isOver = true
    const answers = await Promise.all(working)
    expect(failed).toEqual([])
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
    expect(await owners(others)).toHaveLength(1)
    await set.restart(owner)
  })

  it('[U20] goes on in another gateway when its own is killed, once', async () => {
    const [owner = 0] = await owners()
    const others = [0, 1, 2].filter((each) => each !== owner)
    const clients = await Promise.all(others.map((each) => connect('modern', set.urlOf(each), TOKEN, 'all')))
    const before = await counted(clients[0] as TestClient)
    await set.kill(owner)
    const answers = await Promise.all(clients.map(counted))
    expect(new Set(answers.map(({ pid }) => pid)).size).toBe(1)
    expect(answers[0]?.pid).not.toBe(before.pid)
    expect(await owners(others)).toHaveLength(1)
    await Promise.all(clients.map((client) => client.close()))
    await set.restart(owner)
  })

  it('is served to no one but gateways with the same key', async () => {
    const [owner = 0] = await owners()
    for (const authorization of [undefined, `Bearer ${TOKEN}`, `Bearer ${set.ownerToken(owner)}`]) {
      const answer = await fetch(`${set.urlOf(owner)}/replica-programs/counting`, {
        method: 'POST',
        headers: { ...(authorization !== undefined && { authorization }), 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'count' } }),
      })
      expect(answer.status).toBe(403)
    }
  })
})
