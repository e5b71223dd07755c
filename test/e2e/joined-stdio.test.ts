import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
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
import { builtProgram } from '../kit/shared.ts'

const MAIN = await builtProgram()
const NODE_OPTIONS = ['--conditions=tooldex-source']
const SECRET = 'a-secret-of-sixteen-letters'
const READER = 'the-reader-of-many-letters'
const WIDE = 'the-wide-one-of-many-letters'
const ASKER = 'the-asker-of-many-letters'
const TOKENS = [
  { name: 'agent', value: SECRET, servers: ['f'] },
  { name: 'reader', value: READER, readOnly: true },
  { name: 'wide', value: WIDE },
  { name: 'asker', value: ASKER, servers: ['asks'] },
]
const KINDS = ['modern', 'legacy', 'v1'] as const

class Place extends Home {
  readonly starts = join(this.folder, 'starts')

  constructor() {
    super()
    this.declare()
  }

  /** Writes the configuration, without the tokens that are revoked. */
  declare(...revoked: string[]): void {
    const tools = ['echo', 'progress', 'hang'].map((name) => textTool(name, name))
    const header = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
    const fixture = fixtureServer({
      tools: [...tools, { name: 'routed', inputSchema: header, annotations: { readOnlyHint: true } }],
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
        // On a busy machine a server needs longer to start than a first list waits by default.
        startGraceMs: 30_000,
        tokens: TOKENS.filter(({ value }) => !revoked.includes(value)),
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
/** Whether the tools of both servers have been listed: either may be the first. */
const listsBoth = async (client: TestClient): Promise<boolean> => {
  const all = await names(client)
  return all.includes('asks__ask') && all.includes('f__echo')
}
/** The list that a token in the metadata narrows. */
const listed = async (client: TestClient, token: unknown): Promise<string[]> =>
  (await client.request('tools/list', {}, { _meta: { token } }))['tools'].map(({ name }: Json) => String(name))
const textOf = (result: Json): string => result['content'][0]['text']

describe('tooldex stdio beside a gateway on the same data folder', { timeout: 60_000 }, () => {
  it('[U6] joins it in every era: lists, calls, progress, cancellation; no server is started again', async () => {
    using place = new Place()
    const gateway = await place.serve()
    try {
      for (const kind of KINDS) {
        const client = await place.client(kind)
        await until(() => listsBoth(client))
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
      expect((await listed(owner, SECRET)).every((name: string) => name.startsWith('f__'))).toBe(true)
      await until(async () => (await names(owner)).includes('asks__ask'))
      await expect(owner.call('asks__told', {}, { _meta: { token: SECRET } })).rejects.toThrow('Unknown tool')
      await expect(listed(owner, 'a-wrong-secret-of-many-letters')).rejects.toThrow(/token is not valid/i)
      await expect(listed(owner, 7)).rejects.toThrow('_meta.token must be a string')
      await owner.close()
    } finally {
      await endProcess(gateway.child)
    }
  })

  it.each(KINDS)(
    '[R41] [U6] narrows TOOLDEX_TOKEN by _meta.token of %s clients to the rights of both',
    async (kind) => {
      using place = new Place()
      const gateway = await place.serve()
      try {
        const wide = await place.client(kind, WIDE)
        await until(() => listsBoth(wide))
        await wide.close()
        const agent = await place.client(kind, SECRET)
        const own = await names(agent)
        expect(own).toContain('f__echo')
        for (const wider of [SECRET, WIDE]) expect(await listed(agent, wider)).toEqual(own)
        expect(await listed(agent, READER)).toEqual(['f__routed'])
        expect(await listed(agent, ASKER)).toEqual([])
        for (const token of [WIDE, ASKER]) {
          await expect(agent.call('asks__told', {}, { _meta: { token } })).rejects.toThrow('Unknown tool')
        }
        await expect(agent.call('f__echo', {}, { _meta: { token: READER } })).rejects.toThrow('Unknown tool')
        expect(textOf(await agent.call('f__echo', { a: 1 }, { _meta: { token: WIDE } }))).toContain('"a":1')
        for (const wrong of [
          'a-wrong-secret',
          '',
          `${WIDE} ${WIDE}`,
          `${WIDE}\r\nx: y`,
          'ü'.repeat(20),
          'x'.repeat(20_000),
        ]) {
          await expect(listed(agent, wrong)).rejects.toThrow(/token is not valid/i)
        }
        await expect(listed(agent, 7)).rejects.toThrow('_meta.token must be a string')
        // Narrowing is for one request.
        expect(await names(agent)).toEqual(own)
        await agent.close()
      } finally {
        await endProcess(gateway.child)
      }
    },
  )

  it.each(KINDS)(
    '[R41] checks both tokens of %s clients with every request, and cuts calls of a revoked one',
    async (kind) => {
      using place = new Place()
      const gateway = await place.serve()
      try {
        const agent = await place.client(kind, SECRET)
        await until(async () => (await names(agent)).includes('f__echo'))
        const shown = { _meta: { token: WIDE } }
        expect(textOf(await agent.call('f__echo', { a: 1 }, shown))).toContain('"a":1')
        const hanging = agent.call('f__hang', {}, shown).catch((error: unknown) => error)
        place.declare(WIDE)
        expect(String(await hanging)).toMatch(/token|access/i)
        await expect(agent.call('f__echo', {}, shown)).rejects.toThrow(/token is not valid/i)
        expect(textOf(await agent.call('f__echo', { b: 2 }))).toContain('"b":2')
        place.declare(SECRET)
        await until(async () => (await listed(agent, WIDE).catch(() => [])).length === 0)
        await expect(listed(agent, WIDE)).rejects.toThrow(/token is not valid/i)
        await agent.close()
      } finally {
        await endProcess(gateway.child)
      }
    },
  )

  it('[R41] narrows for the bridge alone: other clients cannot send two tokens', async () => {
    using place = new Place()
    const gateway = await place.serve()
    try {
      const { token: owner } = JSON.parse(readFileSync(join(place.dataDir, 'gateway.json'), 'utf8')) as Json
      const status = async (authorization: string) => {
        const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'f__echo' } })
        const headers = { authorization, 'content-type': 'application/json' }
        return (await fetch(`${gateway.url}/mcp`, { method: 'POST', headers, body })).status
      }
      expect(await status(`Tooldex-Narrowed ${owner} ${SECRET} ${WIDE}`)).toBe(200)
      for (const forged of [WIDE, SECRET, 'a-wrong-secret']) {
        expect(await status(`Tooldex-Narrowed ${forged} ${SECRET} ${WIDE}`)).toBe(401)
      }
      for (const broken of [`${owner} ${SECRET}`, `${owner} ${SECRET} wrong`, `${owner} wrong ${WIDE}`, owner]) {
        expect(await status(`Tooldex-Narrowed ${broken}`)).toBe(401)
      }
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
        expect(textOf(await client.call('f__echo', { c: 3 }, { _meta: { token: WIDE } }))).toContain('"c":3')
        expect(textOf(await client.call('f__echo', { d: 4 }))).toContain('"d":4')
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
