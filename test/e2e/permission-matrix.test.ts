// Every entry to a tool, in every situation, under every name: 8 × 7 × 6 generated cells, and every notification on every
// transport. None may leak anything.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ClientKind, Json, TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { type GatewaySetup, gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const SERVERS = { hall: 'Hall', attic: 'Attic', tower: 'Tower', crypt: 'Crypt' } as const
type Side = keyof typeof SERVERS

/** A tool of a server in a situation; all but the first must be unusable. */
interface Situation {
  readonly server: Side
  readonly tool: string
  /** Whether the caller may learn that it is there: project and token reach it, but it is switched off. */
  readonly isWithinReach: boolean
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'is allowed': { server: 'hall', tool: 'lift_amber', isWithinReach: true },
  'is denied by the permissions of its server': { server: 'hall', tool: 'lift_basalt', isWithinReach: true },
  'is denied by the project': { server: 'hall', tool: 'lift_cobalt', isWithinReach: true },
  'is of a server that is disabled': { server: 'attic', tool: 'lift_diamond', isWithinReach: true },
  'is of another project': { server: 'tower', tool: 'lift_emerald', isWithinReach: false },
  'was removed by its server': { server: 'hall', tool: 'lift_feldspar', isWithinReach: false },
  'was renamed by its server': { server: 'hall', tool: 'lift_garnet', isWithinReach: false },
}
const ALLOWED = 'is allowed'
/** Tools of others that cannot be used either: the caller must not learn the reason. */
const FURTHER: Readonly<Record<string, Situation>> = {
  'is disabled in another project': { server: 'tower', tool: 'lift_halite', isWithinReach: false },
  'is of a server that is stopped in another project': { server: 'crypt', tool: 'lift_iolite', isWithinReach: false },
}

/** How a caller may write a tool. Ids are `<side>-1`, names differ from them in more than case. */
const VARIANTS: Readonly<Record<string, (server: Side, tool: string) => string>> = {
  'its key': (server, tool) => `${server}-1:${tool}`,
  'server name and tool': (server, tool) => `${SERVERS[server]}:${tool}`,
  'its exposed name': (server, tool) => `${SERVERS[server]}__${tool}`,
  'the name of another dialect': (server, tool) => `${SERVERS[server]}___${tool}`,
  'the server in upper case': (server, tool) => `${SERVERS[server].toUpperCase()}:${tool}`,
  'its bare name': (_, tool) => tool,
}

const stones = (...names: string[]) => names.map((name) => textTool(name, `Lift the ${name.slice(5)} stone.`))
const BEFORE = stones('lift_amber', 'lift_basalt', 'lift_cobalt', 'lift_feldspar', 'lift_garnet')
const AFTER = stones('lift_amber', 'lift_basalt', 'lift_cobalt', 'lift_granite')
const hall = (tools: readonly object[]) =>
  fixtureServer({ tools }, { name: SERVERS.hall, toolPermissions: { lift_basalt: false } })
const attic = (enabled: boolean) => fixtureServer({ tools: stones('lift_diamond') }, { name: SERVERS.attic, enabled })
const tower = fixtureServer(
  { tools: stones('lift_emerald', 'lift_halite') },
  { name: SERVERS.tower, toolPermissions: { lift_halite: false } },
)
const crypt = fixtureServer({ tools: stones('lift_iolite') }, { name: SERVERS.crypt, enabled: false })

/** The caller's project and its endpoints. */
const OWN = {
  projects: {
    p: {
      servers: ['hall-1', 'attic-1'],
      tools: { 'hall-1:lift_cobalt': { allowed: false } },
      // The calls of this matrix would teach one of the two gateways.
      learning: false,
    },
  },
  endpoints: {
    whole: { project: 'p', exposure: 'full' },
    meta: { project: 'p', exposure: 'meta-tools' },
    hidden: { project: 'p', exposure: 'search-only' },
  },
  tokens: { caller: { projects: ['p'] } },
}
const setup = (isAtticOn: boolean): GatewaySetup => ({
  servers: { 'hall-1': hall(BEFORE), 'attic-1': attic(isAtticOn), 'tower-1': tower, 'crypt-1': crypt },
  projects: { ...OWN.projects, q: { servers: ['tower-1', 'crypt-1'] } },
  endpoints: { ...OWN.endpoints, q: { project: 'q', exposure: 'full' } },
  tokens: OWN.tokens,
})

let gateway: TestGateway
/** A gateway without anything that the caller of the other must not know of. */
let innocent: TestGateway

beforeAll(async () => {
  innocent = await gatewayWith({ ...OWN, servers: { 'hall-1': hall(AFTER), 'attic-1': attic(false) } })
  gateway = await gatewayWith(setup(true))
  await until(() => gateway.inside.catalog.snapshot().tools.size === 8)
  await gateway.changeTools('hall-1', AFTER)
  gateway.configure(setup(false))
  await until(() => gateway.inside.pool.get('attic-1')?.status().state === 'stopped')
})

afterAll(() => Promise.all([gateway.stop(), innocent.stop()]))

/** The outcome of a request: whether the tool was found, and the whole answer. */
interface Answer {
  readonly isMet: boolean
  readonly text: string
}

type Entry = (gateway: TestGateway, name: string, situation: Situation) => Promise<Answer>

const local = { principal: { tokenId: 'caller', name: 'caller', readOnly: false, projects: new Set(['p']) } }

/** Calls answer with the tool's echo, or with a failure that is an answer, too. */
async function called(call: Promise<Json>, { tool }: Situation): Promise<Answer> {
  const text = await call.then(
    (result) => JSON.stringify({ ...result, _meta: result['_meta']?.['io.tooldex/error'] }),
    (error: { message: string; data?: unknown }) =>
      JSON.stringify({ message: error.message.replace(/^MCP error -?\d+: /, ''), data: error.data }),
  )
  return { isMet: text.includes(`{\\"tool\\":\\"${tool}\\"`), text }
}

const direct =
  (kind: ClientKind, endpoint: string): Entry =>
  async (gateway, name, situation) =>
    called((await gateway.client(kind, endpoint, 'caller')).call(name), situation)

const met = (keys: readonly string[], { server, tool }: Situation): Answer => ({
  isMet: keys.includes(`${server}-1:${tool}`),
  text: JSON.stringify(keys),
})

const ENTRIES: Readonly<Record<string, Entry>> = {
  'tools/list': async (gateway, _, situation) => {
    const tools = await (await gateway.client('modern', 'whole', 'caller')).listTools()
    return met(
      tools.map(({ name }) => String(name).replace('Hall__', 'hall-1:')),
      situation,
    )
  },
  tool_discovery: async (gateway, name, situation) => {
    const client = await gateway.client('modern', 'meta', 'caller')
    const { structuredContent } = await client.call('tool_discovery', { query: [name], maxResults: 100 })
    return met(
      structuredContent.results.map(({ toolKey }: Json) => toolKey),
      situation,
    )
  },
  tool_execute: async (gateway, name, situation) => {
    const client = await gateway.client('modern', 'meta', 'caller')
    return called(client.call('tool_execute', { toolKey: name }), situation)
  },
  'a call': direct('modern', 'whole'),
  'a call in a session': direct('v1', 'hidden'),
  'a call over HTTP+SSE': direct('sse', 'whole'),
  'a call of a command': (gateway, name, situation) =>
    called(gateway.inside.call(name, {}, { ...local, endpointId: 'meta' }), situation),
  'a search of a command': async (gateway, name, situation) => {
    const { hits } = await gateway.inside.find([name], { ...local, endpointId: 'meta', maxResults: 100 })
    return met(
      hits.map(({ toolKey }) => toolKey),
      situation,
    )
  },
}
const CALLS = new Set(Object.keys(ENTRIES).filter((entry) => entry.includes('call') || entry === 'tool_execute'))

let cells = 0

describe.each(Object.entries(ENTRIES))('%s', (entry, ask) => {
  it.each(Object.entries(SITUATIONS))('[R18] [R36] treats a tool correctly that %s', async (name, situation) => {
    const others = Object.values(SITUATIONS).filter(({ tool }) => tool !== situation.tool && tool !== 'lift_amber')
    for (const [variant, write] of Object.entries(VARIANTS)) {
      const { isMet, text } = await ask(gateway, write(situation.server, situation.tool), situation)
      expect(isMet, `${entry}, ${name}, ${variant}: ${text}`).toBe(name === ALLOWED)
      for (const { tool } of others) expect(text).not.toContain(tool)
      cells++
    }
  })
})

describe.each(Object.entries(ENTRIES))('%s', (_, ask) => {
  it.each(Object.entries({ ...SITUATIONS, ...FURTHER }).filter(([, { isWithinReach }]) => !isWithinReach))(
    '[R24] [R37] answers about a tool that %s as if it had never been',
    async (_name, situation) => {
      for (const [variant, write] of Object.entries(VARIANTS)) {
        const name = write(situation.server, situation.tool)
        const [ours, theirs] = await Promise.all([gateway, innocent].map((each) => ask(each, name, situation)))
        expect(ours, variant).toEqual(theirs)
      }
    },
  )
})

describe('the matrix', () => {
  it('has 8 × 7 × 6 cells, and no server saw a call in any but those of the allowed tool', async () => {
    expect(cells).toBe(336)
    const called = await Promise.all(['hall-1', 'tower-1'].map((id) => gateway.seenBy(id)))
    const tools = called.flat().filter(({ method }) => method === 'tools/call')
    expect(new Set(tools.map(({ params }) => params.name))).toEqual(new Set(['lift_amber']))
    expect(tools).toHaveLength(CALLS.size * Object.keys(VARIANTS).length)
  })
})

/** Servers with resources: two in the project, one in another. */
const NOTES = { alpha: 'note://alpha', gamma: 'note://gamma', omega: 'note://omega' } as const
type Notes = keyof typeof NOTES
const notes = (id: Notes) =>
  fixtureServer({
    tools: stones(`lift_${id}`),
    prompts: [{ name: `prompt_${id}` }],
    resources: [{ uri: NOTES[id], name: id }],
    label: id,
  })
const NOTE_SETUP: GatewaySetup = {
  servers: { alpha: notes('alpha'), gamma: notes('gamma'), omega: notes('omega') },
  projects: { p: { servers: ['alpha', 'gamma'], exposure: 'full' }, q: { servers: ['omega'], exposure: 'full' } },
  endpoints: { p: { project: 'p' }, q: { project: 'q' } },
  tokens: {
    limited: { projects: ['p'], servers: ['alpha'] },
    whole: { projects: ['p'] },
    other: { projects: ['q'] },
  },
}

describe.each(['modern', 'legacy', 'v1', 'sse'] as const)('notifications to a %s client', (kind) => {
  /** A client of the limited token, and one that may read everything of the project. */
  const listeners = async (notified: TestGateway) => {
    const [limited, whole] = [
      await notified.newClient(kind, 'p', 'limited'),
      await notified.newClient(kind, 'p', 'whole'),
    ]
    await whole.listen(NOTES.alpha, NOTES.gamma)
    await limited.listen(NOTES.alpha)
    // Asked of its own server, or refused: in both cases nothing of others may come of it.
    for (const forbidden of [NOTES.gamma, NOTES.omega]) await limited.listen(forbidden).catch(() => undefined)
    return { limited, whole }
  }
  const updates = (client: TestClient) =>
    client.heard.filter(({ method }) => method.endsWith('/updated')).map(({ params }) => params?.['uri'])
  const changes = (client: TestClient) => client.heard.filter(({ method }) => method.endsWith('list_changed')).length

  it('[R17] [R24] tell of resources that its token may read, and of no others', async () => {
    await using notified = await gatewayWith(NOTE_SETUP)
    const { limited, whole } = await listeners(notified)
    const other = await notified.newClient(kind, 'q', 'other')
    await other.listen(NOTES.omega)
    await notified.updateResource('gamma', NOTES.gamma)
    await notified.updateResource('omega', NOTES.omega)
    // In order: what came before would have arrived before.
    await notified.updateResource('alpha', NOTES.alpha)
    await until(() => [limited, whole, other].every((client) => updates(client).length > 0))
    await until(() => updates(whole).length === 2)
    expect(updates(limited)).toEqual([NOTES.alpha])
    expect(updates(whole)).toEqual([NOTES.gamma, NOTES.alpha])
    expect(updates(other)).toEqual([NOTES.omega])
  })

  it('[R17] [R24] tell of changed lists within its reach, and of no others', async () => {
    await using notified = await gatewayWith(NOTE_SETUP)
    const { limited, whole } = await listeners(notified)
    await notified.changeTools('gamma', stones('lift_other'))
    await notified.changeTools('omega', stones('lift_other'))
    await until(() => changes(whole) > 0)
    const { projects } = NOTE_SETUP
    const denied = { ...projects?.['p'], tools: { 'gamma:lift_other': { allowed: false } } }
    notified.configure({
      ...NOTE_SETUP,
      projects: { ...projects, p: denied },
      tokens: { ...NOTE_SETUP.tokens, another: { projects: ['p'] } },
    })
    await notified.updateResource('alpha', NOTES.alpha)
    await until(() => updates(limited).length > 0)
    expect(changes(limited)).toBe(0)
    await notified.changeTools('alpha', stones('lift_other'))
    await until(() => changes(limited) > 0)
  })

  it('[R17] [R44] stop when the token loses the server, or is revoked', async () => {
    await using notified = await gatewayWith(NOTE_SETUP)
    const client = await notified.newClient(kind, 'p', 'whole')
    await client.listen(NOTES.gamma)
    const witness = await notified.newClient(kind, 'p', 'limited')
    await witness.listen(NOTES.alpha)
    const { whole: _, ...tokens } = NOTE_SETUP.tokens ?? {}
    for (const narrowed of [{ ...tokens, whole: { projects: ['p'], servers: ['alpha'] } }, tokens]) {
      notified.configure({ ...NOTE_SETUP, tokens: narrowed })
      await notified.updateResource('gamma', NOTES.gamma)
    }
    await notified.updateResource('alpha', NOTES.alpha)
    await until(() => updates(witness).length > 0)
    expect(updates(client)).toEqual([])
  })
})
