import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, raw, type TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const tools = (...names: string[]) => names.map((name) => textTool(name, `Does ${name.replaceAll('_', ' ')}.`))
const prompt = (name: string) => ({ name, description: `Asks for ${name}` })

const SETUP: GatewaySetup = {
  servers: {
    alpha: fixtureServer({ tools: tools('begin', 'close'), prompts: [prompt('p')], resources: [], label: 'a' }),
    beta: fixtureServer({ tools: tools('lift', 'drop') }),
  },
  projects: { a: { servers: ['alpha'] }, b: { servers: ['beta'] } },
  endpoints: {
    a: { project: 'a', exposure: 'full' },
    b: { project: 'b', exposure: 'full' },
    'a-meta': { project: 'a', exposure: 'meta-tools' },
    'a-search': { project: 'a', exposure: 'search-only' },
    'a-limited': { project: 'a', exposure: 'limited', dialect: 'mcproxy', maxTools: 1 },
    'a-deferred': { project: 'a', exposure: 'deferred' },
  },
  tokens: { 'all-a': { projects: ['a'] }, 'all-b': { projects: ['b'] } },
}

/** The lists that a client was told of, in order. */
const told = ({ heard }: Pick<TestClient, 'heard'>): string[] =>
  heard.filter(({ method }) => method.endsWith('list_changed')).map(({ method }) => method.split('/')[1] ?? '')

/** The same setup after an administrator's change. */
const denying = (key: string): GatewaySetup => ({
  ...SETUP,
  projects: { ...SETUP.projects, a: { servers: ['alpha'], tools: { [key]: { allowed: false } } } },
})

const IN_ORDER = { concurrent: false }

// Each kind of client has a gateway of its own, and most of the time is spent waiting for notifications.
describe.concurrent.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  let gateway: TestGateway
  beforeAll(async () => void (gateway = await gatewayWith(SETUP)))
  afterAll(() => gateway.stop())

  const listening = async (endpoint: string, token = 'test') => {
    const client = await gateway.newClient(kind, endpoint, token)
    await client.listen()
    return client
  }

  it('[U11] hears of a change to its own list, once, and of no change to the lists of others', IN_ORDER, async () => {
    const [one, other] = [await listening('a', 'all-a'), await listening('b', 'all-b')]
    gateway.configure({ ...SETUP, tokens: { ...SETUP.tokens, another: { projects: ['a'] } } })
    gateway.configure({ ...SETUP, projects: { ...SETUP.projects, c: { servers: ['alpha', 'beta'] } } })
    gateway.configure(denying('alpha:close'))
    await until(() => told(one).length > 0)
    await gateway.changeTools('beta', tools('lift', 'drop', `carry_${kind}`))
    await until(() => told(other).length > 0)
    expect(told(one)).toEqual(['tools'])
    expect(told(other)).toEqual(['tools'])
    gateway.configure(SETUP)
  })

  it(
    '[U11] [P7] hears nothing while its list stays the same: own tools, a search tool, tools beyond the limit',
    IN_ORDER,
    async () => {
      const silent = await Promise.all(['a-meta', 'a-search', 'a-limited'].map((endpoint) => listening(endpoint)))
      const witnesses = await Promise.all(['a', 'a-deferred'].map((endpoint) => listening(endpoint)))
      // Of two tools the limited list shows the first, and says that there is one more.
      await gateway.changeTools('alpha', tools('begin', `shut_${kind}`))
      await until(() => witnesses.every((client) => told(client).length > 0))
      expect(silent.map(told)).toEqual([[], [], []])
      const [, , limited] = silent
      await gateway.changeTools('alpha', tools('begin', `shut_${kind}`, 'lock'))
      await until(() => limited !== undefined && told(limited).length > 0)
      expect(silent.map(told)).toEqual([[], [], ['tools']])
    },
  )

  it(
    '[U11] hears of the tools on the allow-list of its token alone, and of a change of that list',
    IN_ORDER,
    async () => {
      const allowing = (...keys: string[]): GatewaySetup => ({
        ...SETUP,
        tokens: { ...SETUP.tokens, picky: { projects: ['a'], tools: keys } },
      })
      await gateway.changeTools('alpha', tools('begin', 'close'))
      gateway.configure(allowing('alpha:begin'))
      const [picky, free] = [await listening('a', 'picky'), await listening('a', 'all-a')]
      await gateway.changeTools('alpha', tools('begin', 'close', `sort_${kind}`))
      await until(() => told(free).length > 0)
      expect(told(picky)).toEqual([])
      gateway.configure(allowing('alpha:begin', 'alpha:close'))
      await until(() => told(picky).length > 0)
      expect(told(free)).toEqual(['tools'])
      gateway.configure(SETUP)
    },
  )

  it('[U11] hears nothing of a tool that its token may not use', IN_ORDER, async () => {
    const tokens = { ...SETUP.tokens, reader: { projects: ['a'], readOnly: true } }
    gateway.configure({ ...SETUP, tokens })
    const [reader, writer] = [await listening('a', 'reader'), await listening('a', 'all-a')]
    await gateway.changeTools('alpha', tools('begin', `write_${kind}`))
    await until(() => told(writer).length > 0)
    expect(told(reader)).toEqual([])
    gateway.configure(SETUP)
  })

  it('[U11] hears of prompts where its prompts changed', IN_ORDER, async () => {
    const client = await listening('a', 'all-a')
    gateway.configure({ ...SETUP, projects: { ...SETUP.projects, a: { servers: ['alpha', 'beta'] } } })
    await until(() => told(client).length > 0)
    expect(told(client)).toEqual(['tools'])
    gateway.configure({ ...SETUP, projects: { ...SETUP.projects, a: { servers: ['beta'] } } })
    await until(() => told(client).includes('prompts'))
    expect(told(client)).not.toContain('resources')
    gateway.configure(SETUP)
  })
})

describe('a client that lists while servers start', () => {
  it.each<ClientKind>(['legacy', 'v1'])(
    '[U11] hears of nothing that its first list had, as a %s client',
    async (kind) => {
      const slow = fixtureServer({ tools: tools('open'), startDelayMs: 500 })
      const later = fixtureServer({ tools: tools('lift') })
      const setup = { servers: { slow, later }, endpoints: { all: { project: 'default', exposure: 'full' } } }
      await using gateway = await gatewayWith(setup, { waitForServers: false })
      const client = await gateway.newClient(kind, 'all')
      expect((await client.listTools()).map(({ name }) => name)).toEqual(['slow__open', 'later__lift'])
      await gateway.changeTools('later', tools('lift', 'drop'))
      await until(() => told(client).includes('tools'))
      expect(told(client).filter((each) => each === 'tools')).toHaveLength(1)
    },
  )
})

/** A session with its stream, without an SDK: a thousand of them are cheap. */
async function sessionAt(url: string, secret: string): Promise<{ readonly heard: string[]; end(): void }> {
  const authorization = `Bearer ${secret}`
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'one of many', version: '1' } }
  const begun = await raw(url, { jsonrpc: '2.0', id: 0, method: 'initialize', params: hello }, { authorization })
  const controller = new AbortController()
  const headers = {
    authorization,
    accept: 'text/event-stream',
    'mcp-protocol-version': '2025-11-25',
    'mcp-session-id': begun.headers.get('mcp-session-id') ?? '',
  }
  const stream = await fetch(url, { headers, signal: controller.signal })
  const heard: string[] = []
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder()
    for await (const chunk of stream.body ?? []) {
      for (const [, list] of decoder.decode(chunk).matchAll(/notifications\/(\w+)\/list_changed/g))
        heard.push(list ?? '')
    }
  }
  read().catch(() => undefined)
  return { heard, end: () => controller.abort() }
}

describe('a thousand clients', () => {
  const MANY = 1_000

  it('[U11] hear nothing of a new token; a permission is heard by the clients of its project, once', {
    timeout: 120_000,
  }, async () => {
    await using gateway = await gatewayWith(SETUP)
    const clients: Awaited<ReturnType<typeof sessionAt>>[] = []
    const [atA, atB] = [`${gateway.url}/a/mcp`, `${gateway.url}/b/mcp`]
    for (let count = 0; count < MANY; count += 50) {
      const some = Array.from({ length: 50 }, (_, index) =>
        index % 10 === 0 ? sessionAt(atA, gateway.secret('all-a')) : sessionAt(atB, gateway.secret('all-b')),
      )
      clients.push(...(await Promise.all(some)))
    }
    const heard = (): number => clients.reduce((sum, client) => sum + client.heard.length, 0)
    const tokens = { ...SETUP.tokens, another: { projects: ['a', 'b'] } }
    gateway.configure({ ...SETUP, tokens })
    gateway.configure({ ...denying('alpha:close'), tokens })
    await until(() => heard() >= MANY / 10)
    const atProject = clients.filter(({ heard }) => heard.length > 0)
    expect(atProject).toHaveLength(MANY / 10)
    expect(atProject.every((client) => client.heard.join() === 'tools')).toBe(true)
    // In order: what came before would have arrived before.
    await gateway.changeTools('beta', tools('lift'))
    await until(() => clients.every((client) => client.heard.length > 0))
    expect(heard()).toBe(MANY)
    for (const client of clients) client.end()
  })
})
