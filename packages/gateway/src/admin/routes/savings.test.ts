import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MODERN_VERSION } from '../../clients/mcp/protocol-versions.ts'
import type { Caller } from '../../clients/mcp/requests/request-handler.ts'
import { ContextCosts } from '../../exposure/context-costs.ts'
import { NO_COST } from '../../model/context-cost.ts'
import { type AdminKit, adminKit } from '../admin-kit.case.ts'
import { CostLedger } from './cost-ledger.ts'
import { breakEvenOf } from './savings.ts'

let kit: AdminKit
beforeEach(async () => {
  kit = await adminKit({ file: { mcpServers: { notes: { command: 'notes' } } } })
})
afterEach(() => kit.stop())

const many = (count: number, words: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `t${index}`, description: 'words '.repeat(words) }))

/** A client of an endpoint. */
function caller(tokenId: string, over: Partial<Caller> = {}, endpointId = 'default'): Caller {
  const endpoint = kit.models.current().endpoints.get(endpointId)
  if (endpoint === undefined) throw new Error(`no endpoint ${endpointId}`)
  return {
    principal: { tokenId, name: tokenId, readOnly: false },
    endpoint,
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    requestId: 'r',
    clientCapabilities: {},
    clientInfo: { name: 'tester' },
    from: {},
    signal: new AbortController().signal,
    notify: () => {},
    ...over,
  }
}
const list = (who: Caller) => kit.requests.handle({ method: 'tools/list' }, who)
const search = (who: Caller) =>
  kit.requests.handle(
    { method: 'tools/call', params: { name: 'tool_discovery', arguments: { query: ['words'] } } },
    who,
  )
const savings = () => kit.ask('getSavings')

describe('savings', () => {
  it('are the cost of listing everything minus lists and searches, by client, project and endpoint', async () => {
    await kit.offer('notes', many(60, 200))
    await kit.ask('createProject', { body: { id: 'work', name: 'My work', servers: ['notes'] } })
    await kit.ask('createEndpoint', { body: { id: 'desk', project: 'work' } })
    const { token } = await kit.ask('createToken', { body: { name: 'Laptop' } })
    const ada = caller(token.id, {}, 'desk')
    const bob = caller('gone', { clientInfo: { name: 'other' } }, 'desk')
    for (const who of [ada, ada, bob]) await list(who)
    const answer = await search(ada)
    const { total, clients, projects, endpoints } = await savings()
    const desk = endpoints.find(({ endpoint }) => endpoint === 'desk')
    const { tokensIfAllWereListed = 0, tokensListed = 0 } = desk ?? {}
    expect(tokensIfAllWereListed).toBeGreaterThan(10 * tokensListed)
    const [{ text }] = answer['content'] as [{ text: string }]
    const tokensOfSearches = Math.ceil(text.length / 4)
    expect(total).toEqual({
      lists: 3,
      searches: 1,
      tokensIfAllWereListed: 3 * tokensIfAllWereListed,
      tokensOfLists: 3 * tokensListed,
      tokensOfSearches,
      tokensOfSchemas: 0,
      tokensSaved: 3 * (tokensIfAllWereListed - tokensListed) - tokensOfSearches,
    })
    expect(clients).toMatchObject([
      {
        client: 'tester',
        tokenName: 'Laptop',
        projectName: 'My work',
        endpoint: 'desk',
        loaded: { lists: 2, searches: 1 },
      },
      { client: 'other', tokenId: 'gone', loaded: { lists: 1, searches: 0, tokensOfSearches: 0 } },
    ])
    expect(clients[1]).not.toHaveProperty('tokenName')
    expect(projects).toEqual([{ project: 'work', projectName: 'My work', loaded: total, breakEven: expect.anything() }])
    expect(desk?.loaded).toEqual(total)
    expect(clients.reduce((sum, { loaded }) => sum + loaded.tokensSaved, 0)).toBe(total.tokensSaved)
  })

  it('are negative if a list costs more than listing everything, without a break-even point', async () => {
    await kit.offer('notes', [{ name: 'only' }])
    await kit.ask('changeProject', { params: { project: 'default' }, body: { exposure: 'meta-tools' } })
    await list(caller('a'))
    const { total, clients, endpoints } = await savings()
    expect(total.tokensSaved).toBeLessThan(0)
    expect(total.tokensSaved).toBe(total.tokensIfAllWereListed - total.tokensOfLists)
    expect(clients[0]).not.toHaveProperty('breakEven')
    expect(endpoints[0]).not.toHaveProperty('breakEven')
  })

  it('are exactly zero if everything is listed', async () => {
    await kit.offer('notes', many(3, 10))
    await kit.ask('changeProjectTool', { params: { project: 'default', tool: 'notes:t1' }, body: { pinned: true } })
    for (const exposure of ['full', 'auto', 'limited']) {
      await kit.ask('changeProject', { params: { project: 'default' }, body: { exposure } })
      await list(caller(exposure))
    }
    const { total, endpoints } = await savings()
    expect(total).toMatchObject({ lists: 3, tokensSaved: 0 })
    expect(endpoints[0]?.tokensIfAllWereListed).toBe(endpoints[0]?.tokensListed)
  })

  it('count tools that join a session later as schemas, and ignore a repeated list', async () => {
    await kit.offer('notes', many(60, 40))
    const body = { exposure: 'limited', dialect: 'router', maxTools: 5 }
    await kit.ask('changeProject', { params: { project: 'default' }, body })
    const session = caller('a', { era: 'legacy', protocolVersion: '2025-11-25', sessionId: 's' })
    await list(session)
    const first = (await savings()).total
    await list(session)
    expect((await savings()).total).toEqual(first)
    await search(session)
    await list(session)
    const { total } = await savings()
    expect(total).toMatchObject({ lists: 1, searches: 1, tokensIfAllWereListed: first.tokensIfAllWereListed })
    expect(total.tokensOfSchemas).toBeGreaterThan(0)
    expect(total.tokensOfLists).toBe(first.tokensOfLists)
  })

  it('count names first and definitions on use for a client with its own tool search', async () => {
    await kit.offer('notes', many(60, 40))
    await kit.ask('changeProject', { params: { project: 'default' }, body: { exposure: 'deferred' } })
    kit.pool.get('notes')?.answers.set('tools/call', { content: [] })
    const native = caller('a', { clientInfo: { name: 'claude-code', version: '2.1.400' } })
    const other = caller('b')
    for (const who of [native, other]) {
      await list(who)
      for (const name of ['notes__t1', 'notes__t1', 'notes__t2'])
        await kit.requests.handle({ method: 'tools/call', params: { name, arguments: {} } }, who)
    }
    const [best, worst] = (await savings()).clients
    expect(best).toMatchObject({ client: 'claude-code' })
    expect(best?.loaded.tokensSaved).toBeGreaterThan(0)
    const each = (best?.loaded.tokensIfAllWereListed ?? 0) / 60
    expect(best?.loaded.tokensOfSchemas).toBeCloseTo(2 * each, -1)
    // It may ignore the hints, so all definitions count.
    expect(worst?.loaded).toMatchObject({ tokensOfSchemas: 0 })
    expect(worst?.loaded.tokensSaved).toBeLessThan(0)
  })

  it('show the current lists of endpoints', async () => {
    const listed = async () => (await savings()).endpoints.map(({ exposure, tokensListed }) => [exposure, tokensListed])
    await kit.offer('notes', many(3, 10))
    const [[, before] = []] = await listed()
    expect(await listed()).toEqual([['full', before]])
    await kit.offer('notes', many(4, 10))
    const [[, after] = []] = await listed()
    expect(after).toBeGreaterThan(Number(before))
    await kit.ask('changeProject', { params: { project: 'default' }, body: { exposure: 'meta-tools' } })
    expect(await listed()).toMatchObject([['meta-tools', expect.any(Number)]])
  })

  it('survive a restart', async () => {
    await kit.offer('notes', many(60, 200))
    await list(caller('a'))
    const before = await savings()
    const counted = new ContextCosts()
    const { store, clock } = kit
    clock.now += 86_400_000
    const later = new CostLedger({ counted, repository: store.costs, now: () => clock.now, keepMs: () => 1e12 })
    const { since, costs } = await later.totals()
    await later.stop()
    expect([since, before.since]).toEqual([clock.now - 86_400_000, clock.now - 86_400_000])
    expect(costs).toMatchObject([{ client: { tokenId: 'a' }, cost: { lists: 1, ofLists: before.total.tokensOfLists } }])
  })

  it('count clients only, not previews', async () => {
    await kit.offer('notes', many(60, 200))
    await kit.ask('endpointSnippets', { params: { endpoint: 'default' }, query: {} })
    await kit.ask('searchTools', { body: { query: 'words' } })
    const { total, clients, endpoints } = await savings()
    expect([total.lists, total.searches, clients]).toEqual([0, 0, []])
    expect(endpoints).toMatchObject([{ endpoint: 'default', breakEven: { isMeasured: false, tokensPerSearch: 600 } }])
  })
})

describe('breakEvenOf', () => {
  it('counts the searches that the saving of a list pays for, with an assumed cost until one is measured', () => {
    const cost = { ...NO_COST, lists: 2, ifAllWereListed: 40_000, ofLists: 1_000 }
    expect(breakEvenOf(cost)).toEqual({ searches: 32, tokensPerSearch: 600, isMeasured: false })
    expect(breakEvenOf({ ...cost, searches: 2, ofSearches: 700, ofSchemas: 300 })).toEqual({
      searches: 39,
      tokensPerSearch: 500,
      isMeasured: true,
    })
  })

  it('is undefined if the list alone saves nothing, or no client loaded one', () => {
    expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, ofLists: 640 })).toBeUndefined()
    expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, ofLists: 300 })).toBeUndefined()
    expect(breakEvenOf({ ...NO_COST, searches: 3, ofSearches: 900 })).toBeUndefined()
  })

  it('handles searches without results', () => {
    expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, searches: 1 })).toMatchObject({ searches: 300 })
  })
})
