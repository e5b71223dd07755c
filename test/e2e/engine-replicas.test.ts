// Two gateways on one database whose search index is in one folder of LanceDB.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedIds } from '../../packages/engine-lance/src/stored-table.case.ts'
import { connect, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { ReplicaSet, TOKEN } from '../kit/replicas.ts'
import { type TestDatabase, testDatabase } from '../kit/test-database.ts'

const TIME_LIMIT_MS = 120_000
const TAKEN_OVER_MS = 30_000
const NAMES = Array.from({ length: 700 }, (_, nth) => `archive_invoice_${nth}`)
const tools = NAMES.map((name) => ({ name, inputSchema: { type: 'object' } }))
const servers = ['one', 'two', 'three']

describe('two replicas with their search index in one place', { timeout: TIME_LIMIT_MS }, () => {
  const at = mkdtempSync(join(tmpdir(), 'tooldex-shared-engine-'))
  let database: TestDatabase
  let set: ReplicaSet
  beforeAll(async () => {
    database = await testDatabase()
    const config = {
      mcpServers: Object.fromEntries(servers.map((id) => [id, fixtureServer({ tools })])),
      endpoints: { all: { exposure: 'meta-tools' } },
      search: { engine: 'lance', at },
    }
    set = await ReplicaSet.start({ databaseUrl: database.url, count: 2, config })
  }, TIME_LIMIT_MS)
  afterAll(async () => {
    await set?.[Symbol.asyncDispose]()
    await database?.drop()
    rmSync(at, { recursive: true, force: true })
  })

  /** A first search makes a gateway open its index. */
  const find = async (replica: number, query: string): Promise<string[]> => {
    const client = await connect('modern', set.urlOf(replica), TOKEN, 'all')
    const { structuredContent } = await client.call('tool_discovery', { query: [query] })
    await client.close()
    return structuredContent['results'].map(({ toolKey }: Json) => toolKey)
  }
  const stored = (): Promise<string[]> => storedIds(at)

  it('[U21] have one that writes, and the other one takes over when it is killed: nothing is lost or there twice', async () => {
    const expected = servers.flatMap((id) => NAMES.map((name) => `${id}:${name}`))
    for (const replica of [0, 1]) await find(replica, 'archive_invoice_7')
    await until(async () => (await stored().catch(() => [])).length >= expected.length, TAKEN_OVER_MS)
    expect((await stored()).toSorted()).toEqual(expected.toSorted())
    // The first one that starts writes.
    await set.kill(0)
    const late = fixtureServer({ tools: [textTool('brew_coffee', 'Brews a cup of coffee')] })
    const response = await fetch(`${set.urlOf(1)}/api/v1/servers`, {
      method: 'POST',
      headers: { authorization: `Bearer ${set.ownerToken(1)}`, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'late', ...late }),
    })
    expect(response.status).toBe(201)
    await until(async () => (await stored()).includes('late:brew_coffee'), TAKEN_OVER_MS)
    expect((await stored()).toSorted()).toEqual([...expected, 'late:brew_coffee'].toSorted())
    expect((await find(1, 'brew a cup of coffee'))[0]).toBe('late:brew_coffee')
  })
})
