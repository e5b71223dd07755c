// Three gateways on one database, behind a balancer that sends each request to the next one.

import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askedClient } from '../kit/asked-clients.ts'
import { askingServer } from '../kit/asking-server.ts'
import { type ClientKind, connect, echoOf, type TestClient, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { ReplicaSet, TOKEN } from '../kit/replicas.ts'
import { roundRobin } from '../kit/round-robin.ts'
import { type TestDatabase, testDatabase } from '../kit/test-database.ts'

const TIME_LIMIT_MS = 120_000
const CONFIG = {
  mcpServers: {
    s: fixtureServer({ tools: [textTool('echo', 'Says it again', ['text'])] }),
    asking: askingServer('legacy'),
  },
  endpoints: { all: { exposure: 'full' } },
}
const KINDS: readonly ClientKind[] = ['modern', 'legacy', 'v1', 'sse']

describe('three replicas behind a round-robin balancer', { timeout: TIME_LIMIT_MS }, () => {
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

  /** Adds a server, which changes the list of every client. */
  const addTool = async (id: string): Promise<void> => {
    const response = await fetch(`${set.urlOf(0)}/api/v1/servers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${set.ownerToken(0)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id, ...fixtureServer({ tools: [textTool('one', 'The first')] }) }),
    })
    expect(response.status).toBe(201)
  }
  const client = (kind: ClientKind): Promise<TestClient> => connect(kind, set.url, TOKEN, 'all')
  const said = async (from: TestClient, text: string): Promise<string> =>
    echoOf(await from.call('s__echo', { text })).arguments['text']

  it.each(KINDS)('[U20] serve a client of the kind %s', async (kind) => {
    const connected = await client(kind)
    const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`)
    const answers = []
    for (const text of texts) answers.push(await said(connected, text))
    expect(answers).toEqual(texts)
    await connected.close()
  })

  it.each(KINDS)(
    '[U20] take the answers to a question to the replica that asked, from a client of the kind %s',
    async (kind) => {
      const asked = await askedClient(kind, { url: set.url, endpoint: 'all', token: TOKEN, name: `user of ${kind}` })
      const answers = []
      for (let n = 0; n < 6; n++) answers.push(JSON.parse(textOf(await asked.call('asking__ask'))).content.name)
      expect(answers).toEqual(Array(6).fill(`user of ${kind}`))
      await asked.close()
    },
  )

  it('[U20] notify a client of changes on its stream, whichever replica it goes through', async () => {
    const clients = await Promise.all((['legacy', 'v1', 'sse'] as const).map(client))
    const modern = await client('modern')
    await modern.listen()
    await addTool('later')
    const all = [...clients, modern]
    const hasHeard = ({ heard }: TestClient) =>
      heard.some(({ method }) => method === 'notifications/tools/list_changed')
    await expect.poll(() => all.every(hasHeard), { timeout: 20_000 }).toBe(true)
    await Promise.all(all.map((each) => each.close()))
  })

  it.each(['modern', 'legacy', 'v1'] as const)(
    '[U20] answer the calls of a %s client behind a balancer that buffers streams, or cuts them',
    async (kind) => {
      for (const badness of [{ buffers: true }, { cutsAfterMs: 50 }]) {
        await using balancer = await roundRobin(set.urls, badness)
        const connected = await connect(kind, balancer.url, TOKEN, 'all')
        const texts = Array.from({ length: 12 }, (_, n) => `text ${n}`)
        const answers = []
        for (const text of texts) answers.push(await said(connected, text))
        expect(answers).toEqual(texts)
        await connected.close()
      }
    },
  )

  it('[U20] notify a client of changes though a balancer cuts its stream again and again', async () => {
    await using balancer = await roundRobin(set.urls, { cutsAfterMs: 300 })
    const connected = await connect('legacy', balancer.url, TOKEN, 'all')
    await connected.listTools()
    await addTool('behind-a-cutting-balancer')
    const isTold = () => connected.heard.some(({ method }) => method === 'notifications/tools/list_changed')
    await expect.poll(isTold, { timeout: 20_000 }).toBe(true)
    await connected.close()
  })

  const call = (each: TestClient) => each.call('s__echo', { text: 'x' }, { signal: AbortSignal.timeout(20_000) })
  const succeeds = (each: TestClient): Promise<boolean> =>
    call(each).then(
      () => true,
      () => false,
    )
  const isSse = ({ kind }: TestClient): boolean => kind === 'sse'
  const connectAll = (): Promise<TestClient[]> =>
    Promise.all(Array.from({ length: 12 }, (_, n) => connect(KINDS[n % 4] ?? 'v1', set.url, TOKEN, 'all')))

  it('[U20] lose the requests in flight when one of them is killed, and nothing after them', async () => {
    const clients = await connectAll()
    for (const each of clients) await call(each)
    await set.kill(1)
    // A stream of HTTP+SSE is a request in flight: its client opens another one first.
    const others = clients.filter((each) => !isSse(each))
    expect((await Promise.allSettled(others.map(call))).filter(({ status }) => status === 'rejected')).toEqual([])
    for (const each of clients.filter(isSse)) await until(() => succeeds(each), 10_000)
    for (const each of clients) await call(each)
    await Promise.all(clients.map((each) => each.close()))
    await set.restart(1)
  })

  it('[U20] lose no call when one of them is stopped and started again', async () => {
    const clients = await connectAll()
    // A message of HTTP+SSE that its client sends while it opens another stream is lost.
    const [streaming, others] = [clients.filter(isSse), clients.filter((each) => !isSse(each))]
    const failed: unknown[] = []
    let calls = 0
    let isOver = false
    const working = others.map(async (each) => {
      while (!isOver) {
        await call(each).catch((error: unknown) => failed.push([each.kind, error]))
        calls += 1
        await delay(20)
      }
    })
    await set.stop(0)
    await set.restart(0)
    isOver = true
    await Promise.all(working)
    expect(failed).toEqual([])
    expect(calls).toBeGreaterThan(others.length)
    for (const each of streaming) await until(() => succeeds(each), 10_000)
    await Promise.all(clients.map((each) => each.close()))
  })
})
