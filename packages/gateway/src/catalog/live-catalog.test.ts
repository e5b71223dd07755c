import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ServerReplyError } from '../errors.ts'
import type { CatalogChange, CatalogSnapshot } from './catalog.ts'
import { definitionOf, FakePool } from './fake-pool.case.ts'
import type { LastGoodLists, LastGoodStore } from '../model/last-good.ts'
import { type CatalogProblem, LiveCatalog } from './live-catalog.ts'

class MemoryStore implements LastGoodStore {
  readonly kept = new Map<string, LastGoodLists>()
  async load(serverId: string): Promise<LastGoodLists | undefined> {
    return this.kept.get(serverId)
  }
  async save(serverId: string, lists: LastGoodLists): Promise<void> {
    this.kept.set(serverId, structuredClone(lists))
  }
}

const tool = (name: string, description = `does ${name}`) => ({ name, description, inputSchema: { type: 'object' } })
const keysOf = (snapshot: CatalogSnapshot): string[] => [...snapshot.tools.keys()]

function catalogOf(pool: FakePool, store: LastGoodStore = new MemoryStore()) {
  const problems: CatalogProblem[] = []
  const changes: CatalogChange[] = []
  const catalog = new LiveCatalog({
    pool,
    lastGood: store,
    now: () => Date.now(),
    onProblem: (problem) => problems.push(problem),
  })
  catalog.onChange((change) => changes.push(change))
  return { catalog, problems, changes }
}

/** Runs due timers and their promises. */
const settle = (ms = 1): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('LiveCatalog', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('[R23] collects all pages of all lists of all servers, in configured order', async () => {
    const pool = new FakePool()
    const files = pool.add(definitionOf('files'))
    files.tools = ['read', 'write', 'list', 'move', 'delete'].map((name) => tool(name))
    files.prompts = [{ name: 'p1' }]
    files.resources = [{ uri: 'file:///a' }]
    files.resourceTemplates = [{ uriTemplate: 'file:///{path}' }]
    pool.add(definitionOf('web')).tools = [tool('fetch')]
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    const snapshot = catalog.snapshot()
    expect(keysOf(snapshot)).toEqual([
      'files:read',
      'files:write',
      'files:list',
      'files:move',
      'files:delete',
      'web:fetch',
    ])
    expect(snapshot.servers.map(({ id }) => id)).toEqual(['files', 'web'])
    expect(snapshot.servers[0]).toMatchObject({
      prompts: [{ name: 'p1' }],
      resources: [{ uri: 'file:///a' }],
      resourceTemplates: [{ uriTemplate: 'file:///{path}' }],
      isLastGood: false,
      state: 'running',
    })
  })

  it('[R16][R43] does not let a hung server delay the others', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('hung')).hanging.add('tools/list')
    for (let at = 0; at < 200; at++) pool.add(definitionOf(`s${at}`)).tools = [tool('t')]
    const { catalog, problems } = catalogOf(pool)
    await catalog.start()
    await settle()
    expect(catalog.snapshot().tools.size).toBe(200)
    expect(problems).toEqual([])
    await settle(4_000)
    expect(problems[0]).toMatchObject({ serverId: 'hung', list: 'tools', error: { code: 'SERVER_TIMEOUT' } })
  })

  it('[R22] shows a server whose tools cannot be listed as running with unknown tools, and lists it again', async () => {
    const pool = new FakePool()
    const bad = pool.add(definitionOf('bad'))
    bad.failing.set('tools/list', new ServerReplyError(-32603, 'out of order'))
    pool.add(definitionOf('good')).tools = [tool('t')]
    const { catalog, problems } = catalogOf(pool)
    await catalog.start()
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['good:t'])
    expect(catalog.snapshot().servers[0]).toMatchObject({ state: 'running', toolsUnknown: 'out of order' })
    expect(problems).toMatchObject([{ serverId: 'bad', doing: 'list', list: 'tools' }])
    bad.failing.clear()
    bad.tools = [tool('back')]
    await settle(3_000)
    expect(keysOf(catalog.snapshot())).toEqual(['bad:back', 'good:t'])
    expect(catalog.snapshot().servers[0]).toMatchObject({ state: 'running', isLastGood: false })
    expect(catalog.snapshot().servers[0]).not.toHaveProperty('toolsUnknown')
  })

  it('[U4] shows and stores tools at once, though another list of the server hangs', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'), 'starting')
    server.tools = [tool('t')]
    server.hanging.add('resources/list')
    const store = new MemoryStore()
    const { catalog } = catalogOf(pool, store)
    await catalog.start()
    expect(catalog.snapshot().servers[0]).toHaveProperty('awaitedSince')
    server.become('running')
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
    expect(catalog.snapshot().servers[0]).not.toHaveProperty('awaitedSince')
    expect(store.kept.get('s')?.lists.tools).toMatchObject([{ name: 't' }])
  })

  it('[U4] stops after the lists that arrived are stored', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('s')).tools = [tool('t')]
    const { promise: written, resolve: write } = Promise.withResolvers<void>()
    const lastGood = { load: async () => undefined, save: () => written }
    const catalog = new LiveCatalog({ pool, lastGood, now: () => Date.now() })
    await catalog.start()
    await settle()
    let isStopped = false
    const stopped = catalog.stop().then(() => (isStopped = true))
    await settle()
    expect(isStopped).toBe(false)
    write()
    await stopped
    expect(isStopped).toBe(true)
  })

  it('keeps the other lists when one fails', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('t')]
    server.failing.set('prompts/list', new Error('no'))
    server.failing.set('resources/templates/list', new ServerReplyError(-32601, 'Method not found'))
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    expect(catalog.snapshot().servers[0]).toMatchObject({ state: 'running', isLastGood: false, resourceTemplates: [] })
    expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
  })

  it('turns 5,000 notifications into few listings and never loses the last one', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('t0')]
    const { catalog, changes } = catalogOf(pool)
    await catalog.start()
    await settle()
    changes.length = 0
    const before = server.asked('tools/list')
    for (let at = 1; at <= 5_000; at++) {
      server.tools = [tool(`t${at}`)]
      server.announce('tools')
      if (at % 500 === 0) await settle(100)
    }
    await settle(2_000)
    expect(server.asked('tools/list') - before).toBeLessThanOrEqual(3)
    expect(keysOf(catalog.snapshot())).toEqual(['s:t5000'])
    expect(changes.length).toBeLessThanOrEqual(3)
  })

  it('lists again after a notification during a listing', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle(2_000)
    server.hanging.add('tools/list')
    server.announce('tools')
    await settle()
    server.hanging.clear()
    server.tools = [tool('late')]
    server.announce('tools')
    await settle(10_000)
    expect(keysOf(catalog.snapshot())).toEqual(['s:late'])
  })

  it('changes the version only with a change, and describes the change', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('a'), tool('b')]
    server.prompts = [{ name: 'p' }]
    const { catalog, changes } = catalogOf(pool)
    await catalog.start()
    await settle(2_000)
    const before = catalog.snapshot()
    changes.length = 0
    server.tools = [tool('b'), tool('a')]
    server.prompts = [{ name: 'p' }]
    server.announce('tools')
    server.announce('prompts')
    await settle(2_000)
    expect(catalog.snapshot()).toBe(before)
    expect(changes).toEqual([])
    server.tools = [tool('a'), tool('b', 'other words')]
    server.announce('tools')
    await settle(2_000)
    const after = catalog.snapshot()
    expect(after.version).toBeGreaterThan(before.version)
    expect(changes).toEqual([{ serverId: 's', lists: ['tools'], state: false }])
    expect(after.servers[0]?.tools.get('a')).toBe(before.servers[0]?.tools.get('a'))
    expect(before.servers[0]?.tools.get('b')?.definition.description).toBe('does b')
  })

  it('[R19] keeps the lists of a server that is idle, restarting or failed, with its state', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s', { start: 'on-demand' }))
    server.tools = [tool('t')]
    const { catalog, changes } = catalogOf(pool)
    await catalog.start()
    await settle()
    changes.length = 0
    for (const state of ['starting', 'failed', 'idle'] as const) {
      server.become(state)
      expect(catalog.snapshot().servers[0]).toMatchObject({ state, isLastGood: true })
      expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
    }
    expect(changes.map(({ state }) => state)).toEqual([true, true, true])
    await settle(60_000)
    expect(server.status().state).toBe('idle')
  })

  it('lists a server again after a restart', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('old')]
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    server.become('starting')
    server.tools = [tool('new')]
    server.become('running')
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:new'])
  })

  it('answers from the stored lists before any server does', async () => {
    const store = new MemoryStore()
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('t')]
    server.about = 'About things.'
    const first = catalogOf(pool, store).catalog
    await first.start()
    await settle()
    await first.stop()

    const cold = new FakePool()
    cold.add(definitionOf('s'), 'starting')
    cold.add(definitionOf('other', { transport: { kind: 'http', url: 'http://x', headers: {} } }), 'starting')
    store.kept.set('other', store.kept.get('s') as LastGoodLists)
    const { catalog } = catalogOf(cold, store)
    await catalog.start()
    expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
    expect(catalog.snapshot().servers[0]).toMatchObject({ isLastGood: true, instructions: 'About things.' })
  })

  it('starts an on-demand server once to list it, and not again', async () => {
    const store = new MemoryStore()
    const pool = new FakePool()
    const server = pool.add(definitionOf('s', { start: 'on-demand' }), 'idle')
    server.tools = [tool('t')]
    const { catalog } = catalogOf(pool, store)
    await catalog.start()
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
    expect(server.asked('tools/list')).toBe(1)

    const later = new FakePool()
    const known = later.add(definitionOf('s', { start: 'on-demand' }), 'idle')
    const next = catalogOf(later, store).catalog
    await next.start()
    await settle(10_000)
    expect(known.requests).toEqual([])
    expect(keysOf(next.snapshot())).toEqual(['s:t'])
  })

  it('does not keep starting a server that cannot be reached', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s', { start: 'on-demand' }), 'idle')
    server.failing.set('tools/list', new Error('broken'))
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    server.become('idle')
    const asked = server.requests.length
    await settle(120_000)
    server.become('failed')
    server.become('idle')
    await settle(120_000)
    expect(server.requests.length).toBe(asked)
  })

  it('follows the pool: added, changed, renamed and removed servers', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('a')).tools = [tool('t')]
    const { catalog, changes } = catalogOf(pool)
    await catalog.start()
    await settle()
    pool.add(definitionOf('b')).tools = [tool('u')]
    await catalog.serversChanged()
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['a:t', 'b:u'])
    pool.add(definitionOf('b', { name: 'Bee' })).tools = [tool('u')]
    await catalog.serversChanged()
    await settle()
    expect(catalog.snapshot().tools.get('b:u' as never)?.serverName).toBe('Bee')
    changes.length = 0
    pool.remove('a')
    await catalog.serversChanged()
    expect(keysOf(catalog.snapshot())).toEqual(['b:u'])
    expect(changes).toEqual([{ serverId: 'a', lists: ['tools'], state: true }])
    expect(await catalog.provider('bm25').search({ queries: ['does'], maxResults: 9 })).toMatchObject({
      hits: [{ id: 'b:u' }],
    })
  })

  it('notices a replaced server by its first event', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('s')).tools = [tool('old')]
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    const next = pool.add(definitionOf('s', { name: 'S' }), 'starting')
    next.tools = [tool('new')]
    next.become('running')
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:new'])
    expect(catalog.snapshot().servers[0]?.name).toBe('S')
  })

  it('repairs slightly invalid tools, loses none, and reports the repairs', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('s')).tools = [
      { name: 'no_schema' },
      { name: 'tool_execute', inputSchema: { properties: {} } },
      { name: '__proto__', description: 7 },
      { name: 'later', inputSchema: { type: 'object' }, execution: { taskSupport: 'required' } },
    ]
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:no_schema', 's:tool_execute', 's:__proto__'])
    expect(catalog.snapshot().tools.get('s:no_schema' as never)?.repairs).toHaveLength(1)
    expect(catalog.snapshot().servers[0]?.remarks).toEqual([expect.stringContaining('"later"')])
  })

  it('[R16] refreshes the tools of a server without change notifications in the background', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.declared = { tools: {} }
    server.tools = [tool('a')]
    const { catalog } = catalogOf(pool)
    await catalog.start()
    await settle()
    server.tools = [tool('b')]
    await settle(400_000)
    expect(keysOf(catalog.snapshot())).toEqual(['s:a'])
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:b'])
  })

  it('continues when a listener throws and when lists cannot be stored', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    server.tools = [tool('t')]
    const store: LastGoodStore = {
      load: () => Promise.reject(new Error('unreadable')),
      save: () => Promise.reject(new Error('disk full')),
    }
    const { catalog, problems } = catalogOf(pool, store)
    catalog.onChange(() => {
      throw new Error('listener')
    })
    await catalog.start()
    await settle()
    expect(keysOf(catalog.snapshot())).toEqual(['s:t'])
    expect(problems.map(({ doing }) => doing)).toEqual(['keep', 'tell', 'keep', 'keep'])
  })

  it('does not call a removed listener', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('s'))
    const { catalog } = catalogOf(pool)
    await catalog.start()
    const listener = vi.fn()
    const leave = catalog.onChange(listener)
    leave()
    leave()
    server.become('failed')
    expect(listener).not.toHaveBeenCalled()
  })
})
