import { describe, expect, it } from 'vitest'
import type { Json, TestClient } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type GatewaySetup, type TestGateway } from '../kit/gateway.ts'

const TRACKER = fixtureServer({
  tools: [
    textTool('report_error', 'Reports an error of the tracker itself to users'),
    textTool('list_users', 'Lists users and when they last saw a page'),
    textTool('create_issue', 'Opens an issue in a repository that users see'),
    textTool('close_issue', 'Closes an issue'),
  ],
})
const META_TOOLS = { exposure: 'meta-tools', dialect: 'router' }
/** Of which no tool has more than a few words. */
const VAGUE = 'users of the tracker see a crash on the login page of acme'
const LIKE = 'the login page crashes for users of the tracker'
const TEAM = ['ann', 'ben', 'cas', 'dee']

const SETUP: GatewaySetup = {
  servers: { tracker: TRACKER },
  projects: {
    team: { servers: ['tracker'] },
    other: { servers: ['tracker'] },
    quiet: { servers: ['tracker'], learning: false },
  },
  endpoints: {
    team: { project: 'team', ...META_TOOLS },
    other: { project: 'other', ...META_TOOLS },
    quiet: { project: 'quiet', ...META_TOOLS },
  },
  tokens: Object.fromEntries([...TEAM, 'reader'].map((name) => [name, {}])),
}

const find = async (client: TestClient, query: string, more: Json = {}): Promise<Json[]> => {
  const { structuredContent } = await client.call('tool_discovery', { query: [query], ...more })
  return structuredContent.results as Json[]
}
const keys = (results: readonly Json[]) => results.map(({ toolKey }) => String(toolKey))

/** Everybody of the team searches and calls the tool, however far down it is. */
async function teach(gateway: TestGateway, endpoint: string, toolKey: string, callers = TEAM): Promise<void> {
  for (const token of callers) {
    const client = await gateway.client('modern', endpoint, token)
    expect(keys(await find(client, VAGUE))).toContain(toolKey)
    await client.call('tool_execute', { toolKey })
  }
}

describe('learning from use', () => {
  it('[U13] ranks a tool higher that was called after like queries, in that project, and says why', async () => {
    await using gateway = await gatewayWith(SETUP)
    const [team, other] = [await gateway.client('modern', 'team'), await gateway.client('modern', 'other')]
    const before = await find(team, LIKE)
    expect(keys(before)[0]).not.toBe('tracker:create_issue')
    await teach(gateway, 'team', 'tracker:create_issue')
    const after = await find(team, LIKE, { explain: true })
    expect(keys(after)[0]).toBe('tracker:create_issue')
    expect(await find(other, LIKE)).toEqual(before)
    expect(keys(await find(team, 'close_issue'))[0]).toBe('tracker:close_issue')
  })

  it('[U13] tells a caller only those words of past queries that it typed itself', async () => {
    await using gateway = await gatewayWith(SETUP)
    await teach(gateway, 'team', 'tracker:create_issue')
    const client = await gateway.client('modern', 'team', 'reader')
    const [first] = await find(client, LIKE, { explain: true })
    expect(first?.['explanation']).toMatch(/^used for "users of the tracker … the login page of …"/)
    expect(JSON.stringify(await find(client, LIKE, { explain: true }))).not.toMatch(/acme|crash on/)
  })

  it('[R24] [U13] answers callers of a project with the same tools alike, regardless of who taught it', async () => {
    const tokens = { narrow: { servers: ['tracker'] }, ...SETUP.tokens }
    await using gateway = await gatewayWith({ ...SETUP, tokens })
    await teach(gateway, 'team', 'tracker:create_issue')
    const answers = await Promise.all(
      ['ann', 'reader', 'narrow'].map(async (token) => {
        const client = await gateway.client('modern', 'team', token)
        return client.call('tool_discovery', { query: [LIKE, VAGUE], explain: true })
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  })

  it('[R24] answers as if nothing had been learnt where the tool is out of reach', async () => {
    const more = fixtureServer({ tools: [textTool('crash_report', 'Files what users of the login page saw')] })
    const setup = {
      ...SETUP,
      servers: { tracker: TRACKER, more },
      tokens: { ...SETUP.tokens, few: { servers: ['tracker'] } },
    }
    const projects = { team: { servers: ['tracker', 'more'] } }
    await using gateway = await gatewayWith({
      ...setup,
      projects,
      endpoints: { team: { project: 'team', ...META_TOOLS } },
    })
    const few = await gateway.client('modern', 'team', 'few')
    const ask = () => few.call('tool_discovery', { query: [LIKE], explain: true })
    const before = await ask()
    await teach(gateway, 'team', 'more:crash_report')
    expect(await ask()).toEqual(before)
  })

  it('[R24] [U13] changes no byte where it is off', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await gateway.client('modern', 'quiet')
    const ask = () => Promise.all([LIKE, VAGUE].map((query) => client.call('tool_discovery', { query, explain: true })))
    const before = await ask()
    await teach(gateway, 'quiet', 'tracker:create_issue')
    expect(await ask()).toEqual(before)
  })

  it.each([{ learning: false }, { audit: { queries: false } }])('[U13] is off everywhere with %j', async (off) => {
    await using gateway = await gatewayWith({ ...SETUP, ...off })
    const client = await gateway.client('modern', 'team')
    const before = await find(client, LIKE, { explain: true })
    await teach(gateway, 'team', 'tracker:create_issue')
    expect(await find(client, LIKE, { explain: true })).toEqual(before)
  })

  it('[U13] lets one caller outvote no team, however often it teaches', async () => {
    await using gateway = await gatewayWith(SETUP)
    await teach(gateway, 'team', 'tracker:create_issue')
    for (let times = 0; times < 15; times++) await teach(gateway, 'team', 'tracker:list_users', ['reader'])
    const client = await gateway.client('modern', 'team')
    expect(keys(await find(client, LIKE))[0]).toBe('tracker:create_issue')
  })

  it('[U13] leaves nothing of a removed project to one with the same id', async () => {
    await using gateway = await gatewayWith(SETUP)
    const client = await gateway.client('modern', 'team')
    const before = await find(client, LIKE)
    await teach(gateway, 'team', 'tracker:create_issue')
    const { team: _gone, ...projects } = SETUP.projects ?? {}
    const { team: _closed, ...endpoints } = SETUP.endpoints ?? {}
    gateway.configure({ ...SETUP, projects, endpoints })
    gateway.configure(SETUP)
    expect(await find(await gateway.newClient('modern', 'team'), LIKE)).toEqual(before)
  })
})
