// Several clients of one program: each has a process of its own where the program asks its clients back.

import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema, ListRootsRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterEach, describe, expect, it } from 'vitest'
import { askableClient, formOf } from '../kit/askable-client.ts'
import { askingServer } from '../kit/asking-server.ts'
import { type Json, textOf } from '../kit/clients.ts'
import { npmServer, type ServerEntry } from '../kit/fixture-server.ts'
import { gatewayWith, type RunOptions, type TestGateway, until } from '../kit/gateway.ts'

const SLOW = { timeout: 60_000 }
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close().catch(() => undefined)
})

async function gatewayTo(entry: ServerEntry, options?: RunOptions): Promise<TestGateway> {
  const setup = { servers: { s: entry }, endpoints: { default: { exposure: 'full' } }, tokens: { other: {} } }
  const gateway = await gatewayWith(setup, options)
  open.push({ close: () => gateway.stop() })
  return gateway
}

interface Person {
  call(tool: string, args?: Json, options?: { signal?: AbortSignal }): Promise<Json>
  /** Ends the session. */
  leave(): Promise<void>
}

interface Manner {
  readonly roots?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

/** A client of SDK v1 with a session, whose person answers forms with their name. */
async function person(gateway: TestGateway, name: string, { roots, headers }: Manner = {}): Promise<Person> {
  const capabilities = { elicitation: {}, ...(roots && { roots: { listChanged: true } }) }
  const client = new Client({ name, version: '1' }, { capabilities })
  client.setRequestHandler(ElicitRequestSchema, () => formOf(name))
  if (roots) {
    client.setRequestHandler(ListRootsRequestSchema, () => ({
      roots: roots.map((path) => ({ uri: pathToFileURL(path).href })),
    }))
  }
  const requestInit = { headers: { Authorization: `Bearer ${gateway.secret()}`, ...headers } }
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), { requestInit })
  await client.connect(transport as Parameters<Client['connect']>[0])
  open.push(client)
  return {
    call: (tool, args = {}, options) => client.callTool({ name: `s__${tool}`, arguments: args }, undefined, options),
    leave: () => transport.terminateSession(),
  }
}

const told = async (calling: Promise<Json>): Promise<Json> => JSON.parse(textOf(await calling))
const instancesOf = (gateway: TestGateway) => gateway.inside.pool.get('s')?.status().instances

describe('Clients that cancel or never answer', SLOW, () => {
  it('[U10] take the questions of the reference server from no other client (cancelled calls)', async () => {
    const gateway = await gatewayTo(npmServer('everything', ['stdio']))
    await until(() => instancesOf(gateway)?.perClient === true)
    for (const name of ['Ada', 'Eve']) {
      const each = await person(gateway, name)
      const cancel = new AbortController()
      const calling = each.call('trigger-long-running-operation', { duration: 5, steps: 5 }, { signal: cancel.signal })
      calling.catch(() => undefined)
      await until(() => (instancesOf(gateway)?.running ?? 0) > 0)
      cancel.abort()
      await expect(calling).rejects.toThrow('abort')
      await each.leave()
    }
    const ivy = await person(gateway, 'Ivy')
    const result = await ivy.call('trigger-elicitation-request')
    expect(JSON.stringify(result)).toContain('Name: Ivy')
  })

  it.each(['auto', 'per-client'])(
    '[U10] take no questions from other tokens by parked calls (%s)',
    async (instances) => {
      const gateway = await gatewayTo(askingServer('legacy', { instances }))
      await using first = await askableClient(gateway)
      // With auto, the first question shows that the server asks.
      expect(await told(first.call('s__ask'))).toMatchObject(formOf('Ada'))
      expect(await first.once('s__ask')).toMatchObject({ resultType: 'input_required' })
      await using eve = await askableClient(gateway, { name: 'Eve', token: 'other' })
      expect(await told(eve.call('s__ask'))).toMatchObject(formOf('Eve'))
      expect(await told(eve.call('s__ask'))).toMatchObject(formOf('Eve'))
      const ivy = await person(gateway, 'Ivy')
      expect(await told(ivy.call('ask'))).toMatchObject(formOf('Ivy'))
    },
  )
})

describe('A program with `instances: "auto"`', SLOW, () => {
  it('refuses its first question if it may be of several clients, says so, and then has a process for each', async () => {
    const gateway = await gatewayTo(askingServer('legacy'))
    const [ada, eve] = [await person(gateway, 'Ada'), await person(gateway, 'Eve')]
    const waiting = eve.call('wait')
    await eve.call('told')
    expect(instancesOf(gateway)).toEqual({ perClient: false, running: 0 })
    expect(await told(ada.call('ask'))).toMatchObject({
      refused: -32600,
      message: expect.stringContaining('make the call again'),
    })
    expect(await told(ada.call('ask'))).toMatchObject(formOf('Ada'))
    expect(await told(eve.call('ask'))).toMatchObject(formOf('Eve'))
    expect(instancesOf(gateway)).toEqual({ perClient: true, running: 2 })
    await gateway.inside.pool.get('s')?.request({ method: 'tools/call', params: { name: 'release' } })
    await waiting
  })

  it('is known to ask its clients in the next run', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'tooldex-instances-'))
    const before = await gatewayTo(askingServer('legacy', { start: 'on-demand' }), { dataDir })
    await before.inside.catalog.met(20_000)
    const ada = await person(before, 'Ada')
    await told(ada.call('ask'))
    expect(instancesOf(before)?.perClient).toBe(true)
    await before.stop()
    const after = await gatewayTo(askingServer('legacy', { start: 'on-demand' }), { dataDir })
    expect(instancesOf(after)).toEqual({ perClient: true, running: 0 })
    const eve = await person(after, 'Eve')
    // Lists are known, and only the process of the client runs.
    expect(await told(eve.call('ask'))).toMatchObject(formOf('Eve'))
    expect(after.inside.pool.get('s')?.status()).toMatchObject({ state: 'idle', instances: { running: 1 } })
    await after.stop()
    await rm(dataDir, { recursive: true })
  })

  it('stops the process of a client when its session ends', async () => {
    const gateway = await gatewayTo(askingServer('legacy', { instances: 'per-client' }))
    const [ada, eve] = [await person(gateway, 'Ada'), await person(gateway, 'Eve')]
    await Promise.all([ada.call('told'), eve.call('told')])
    expect(instancesOf(gateway)?.running).toBe(2)
    await ada.leave()
    await until(() => instancesOf(gateway)?.running === 1)
    expect(await told(eve.call('ask'))).toMatchObject(formOf('Eve'))
  })
})

describe('The filesystem server', SLOW, () => {
  it('may touch the roots of each client on this machine, and the folders of its arguments for all others', async () => {
    const root = await realpath(await mkdtemp(join(tmpdir(), 'tooldex-roots-')))
    const [shared, ofAda, ofEve] = ['shared', 'ada', 'eve'].map((name) => join(root, name)) as [string, string, string]
    for (const folder of [shared, ofAda, ofEve]) {
      await mkdir(folder)
      await writeFile(join(folder, 'note.txt'), `in ${folder}`)
    }
    const gateway = await gatewayTo(npmServer('filesystem', [shared]))
    const ada = await person(gateway, 'Ada', { roots: [ofAda] })
    const eve = await person(gateway, 'Eve', { roots: [ofEve] })
    const mute = await person(gateway, 'Mute')
    const remote = await person(gateway, 'Far', { roots: [root], headers: { 'X-Forwarded-For': '203.0.113.9' } })
    const allowed = async (each: Person): Promise<string> => textOf(await each.call('list_allowed_directories'))
    await until(async () => (await allowed(ada)).includes(ofAda) && (await allowed(eve)).includes(ofEve))
    expect(await allowed(ada)).not.toContain(shared)
    expect(await allowed(eve)).not.toContain(ofAda)
    for (const each of [mute, remote]) {
      const text = await allowed(each)
      expect([text.includes(shared), text.includes(ofAda), text.includes(ofEve)]).toEqual([true, false, false])
    }
    const read = (each: Person, folder: string) => each.call('read_text_file', { path: join(folder, 'note.txt') })
    expect(textOf(await read(ada, ofAda))).toBe(`in ${ofAda}`)
    expect(await read(remote, ofAda)).toMatchObject({ isError: true })
    expect(await read(eve, ofAda)).toMatchObject({ isError: true })
    await rm(root, { recursive: true })
  })
})
