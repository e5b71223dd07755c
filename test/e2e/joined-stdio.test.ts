import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { describe, expect, it } from 'vitest'
import { evilServer } from '../faults/evil-server.ts'
import { Home } from '../faults/program.ts'
import { askingServer } from '../kit/asking-server.ts'
import { type ClientKind, connectStdio, type Json, type TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { until } from '../kit/gateway.ts'
import { endProcess, type ServeProcess, startServe } from '../kit/serve.ts'

const MAIN = fileURLToPath(new URL('../../packages/gateway/src/main.ts', import.meta.url))
const NODE_OPTIONS = ['--conditions=tooldex-source']
const SECRET = 'a-secret-of-sixteen-letters'
const KINDS = ['modern', 'legacy', 'v1'] as const

class Place extends Home {
  readonly starts = join(this.folder, 'starts')

  constructor() {
    super()
    const tools = ['echo', 'progress', 'hang'].map((name) => textTool(name, name))
    const header = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
    const fixture = fixtureServer({
      tools: [...tools, { name: 'routed', inputSchema: header }],
      otherTools: [textTool('changed', 'changed')],
      answers: [
        ['progress', 'progress'],
        ['hang', 'hang'],
      ],
    })
    this.write(
      JSON.stringify({
        mcpServers: { f: fixture, asks: askingServer('legacy'), e: evilServer({ startsFile: this.starts }) },
        projects: { default: { exposure: 'full' } },
        endpoints: { default: {} },
        tokens: [{ name: 'agent', value: SECRET, servers: ['f'] }],
      }),
    )
  }

  serve(): Promise<ServeProcess> {
    const { configFile, dataDir } = this
    return startServe({ main: MAIN, configFile, dataDir, nodeOptions: NODE_OPTIONS })
  }

  program(token?: string, ...more: string[]) {
    const args = [...NODE_OPTIONS, MAIN, 'stdio', '--config', this.configFile, '--data', this.dataDir, ...more]
    const env = { PATH: process.env['PATH'] ?? '', ...(token !== undefined && { TOOLDEX_TOKEN: token }) }
    return { command: process.execPath, args, env, stderr: 'ignore' as const }
  }

  client(kind: Exclude<ClientKind, 'sse'>, token?: string): Promise<TestClient> {
    return connectStdio(kind, this.program(token))
  }

  /** How often the programs of the servers were started. */
  get startCount(): number {
    return existsSync(this.starts) ? readFileSync(this.starts, 'utf8').trim().split('\n').length : 0
  }
}

const names = async (client: TestClient): Promise<string[]> =>
  (await client.listTools()).map(({ name }) => String(name))
const textOf = (result: Json): string => result['content'][0]['text']

describe('tooldex stdio beside a gateway on the same data folder', { timeout: 60_000 }, () => {
  it('[U6] joins it in every era: lists, calls, progress, cancellation; no server is started again', async () => {
    using place = new Place()
    const gateway = await place.serve()
    try {
      for (const kind of KINDS) {
        const client = await place.client(kind)
        await until(async () => (await names(client)).includes('asks__ask'))
        expect(textOf(await client.call('f__echo', { a: 1 }))).toContain('"a":1')
        expect(textOf(await client.call('f__routed', { region: 'eu' }))).toContain('eu')
        const seen: number[] = []
        await client.call('f__progress', {}, { onprogress: ({ progress }) => seen.push(progress) })
        expect(seen).toEqual([1, 2, 3])
        await expect(client.call('f__hang', {}, { signal: AbortSignal.timeout(100) })).rejects.toThrow(
          /abort|timeout|timed out/i,
        )
        expect(textOf(await client.call('f__echo', { b: 2 }))).toContain('"b":2')
        await client.close()
      }
      expect(place.startCount).toBe(1)
    } finally {
      await endProcess(gateway.child)
    }
  })

  it.each(['modern', 'legacy'] as const)('[U6] passes notifications and questions on to %s clients', async (era) => {
    using place = new Place()
    const gateway = await place.serve()
    const negotiation = era === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}
    const client = new Client({ name: 'asked', version: '1' }, { capabilities: { elicitation: {} }, ...negotiation })
    try {
      client.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { name: 'Ada' } }))
      const changed = new Promise<void>((resolve) => {
        client.setNotificationHandler('notifications/tools/list_changed', () => resolve())
      })
      await client.connect(new StdioClientTransport(place.program()))
      expect(client.getProtocolEra()).toBe(era)
      expect(JSON.stringify(await client.callTool({ name: 'asks__ask' }))).toContain('Ada')
      if (era === 'modern') await client.listen({ toolsListChanged: true })
      const { servers } = JSON.parse(readFileSync(join(place.dataDir, 'servers.json'), 'utf8')) as Json
      process.kill(servers.find(({ id }: Json) => id === 'f').pid, 'SIGUSR2')
      await changed
      await until(async () => (await client.listTools()).tools.some(({ name }) => name === 'f__changed'))
      expect(place.startCount).toBe(1)
    } finally {
      await client.close()
      await endProcess(gateway.child)
    }
  })

  it('[U6] has the rights of its token, and refuses a wrong token and a wrong endpoint', async () => {
    using place = new Place()
    const gateway = await place.serve()
    try {
      const client = await place.client('v1', SECRET)
      expect((await names(client)).every((name) => name.startsWith('f__'))).toBe(true)
      await client.close()
      await expect(place.client('v1', 'a-wrong-secret-of-many-letters')).rejects.toThrow('closed')
      await expect(connectStdio('v1', place.program(undefined, '--endpoint', 'nowhere'))).rejects.toThrow('closed')
    } finally {
      await endProcess(gateway.child)
    }
  })

  it.each(KINDS)('[R41] [U6] is narrowed by _meta.token of %s clients, and never widened', async (kind) => {
    using place = new Place()
    const gateway = await place.serve()
    try {
      const owner = await place.client(kind)
      const listed = async (client: TestClient, token: unknown) =>
        (await client.request('tools/list', {}, { _meta: { token } }))['tools'].map(({ name }: Json) => name)
      expect((await listed(owner, SECRET)).every((name: string) => name.startsWith('f__'))).toBe(true)
      await until(async () => (await names(owner)).includes('asks__ask'))
      await expect(owner.call('asks__told', {}, { _meta: { token: SECRET } })).rejects.toThrow('Unknown tool')
      await expect(listed(owner, 'a-wrong-secret-of-many-letters')).rejects.toThrow(/token is not valid/i)
      await expect(listed(owner, 7)).rejects.toThrow('_meta.token must be a string')
      await owner.close()
      const agent = await place.client(kind, SECRET)
      await expect(listed(agent, SECRET)).rejects.toThrow('TOOLDEX_TOKEN')
      await agent.close()
    } finally {
      await endProcess(gateway.child)
    }
  })

  it.each(KINDS)(
    '[U6] says that the gateway has stopped, and goes on with the next one, for %s clients',
    async (kind) => {
      using place = new Place()
      const first = await place.serve()
      const client = await place.client(kind)
      await until(async () => (await names(client)).includes('f__echo'))
      const hanging = client.call('f__hang', {})
      hanging.catch(() => undefined)
      await endProcess(first.child, 'SIGKILL')
      await expect(hanging).rejects.toThrow(/The gateway that this client had joined has stopped/)
      await expect(client.call('f__echo', {})).rejects.toThrow(/tooldex serve/)
      const second = await place.serve()
      try {
        expect(textOf(await client.call('f__echo', { c: 3 }))).toContain('"c":3')
      } finally {
        await client.close()
        await endProcess(second.child)
      }
    },
  )
})

describe('a second tooldex serve on the same data folder', { timeout: 60_000 }, () => {
  it('[U6] says who is there and ends with code 5, and the first keeps its record', async () => {
    using place = new Place()
    const first = await place.serve()
    try {
      const record = readFileSync(join(place.dataDir, 'gateway.json'), 'utf8')
      await expect(place.serve()).rejects.toThrow(
        new RegExp(`exit code 5, .*already: process ${first.child.pid} serves it at ${first.url}`),
      )
      expect(readFileSync(join(place.dataDir, 'gateway.json'), 'utf8')).toBe(record)
    } finally {
      await endProcess(first.child)
    }
    expect(existsSync(join(place.dataDir, 'gateway.json'))).toBe(false)
  })

  it('[U6] starts after a gateway that was killed', async () => {
    using place = new Place()
    const first = await place.serve()
    await endProcess(first.child, 'SIGKILL')
    const second = await place.serve()
    expect(second.url).toMatch(/^http/)
    await endProcess(second.child)
  })
})
