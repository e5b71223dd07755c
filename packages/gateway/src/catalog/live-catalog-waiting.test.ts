import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { definitionOf, FakePool } from './fake-pool.case.ts'
import { LiveCatalog } from './live-catalog.ts'

function catalogOf(pool: FakePool, startedAt?: number): LiveCatalog {
  const lastGood = { load: async () => undefined, save: async () => {} }
  return new LiveCatalog({ pool, lastGood, now: () => Date.now(), startedAt })
}

/** Runs due timers and their promises. */
const settle = (ms = 1): Promise<unknown> => vi.advanceTimersByTimeAsync(ms)

describe('waiting for a LiveCatalog', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is ready when every eager server has answered or failed', async () => {
    const pool = new FakePool()
    const slow = pool.add(definitionOf('slow'), 'starting')
    const broken = pool.add(definitionOf('broken'), 'starting')
    pool.add(definitionOf('off', { enabled: false }), 'stopped')
    pool.add(definitionOf('later', { start: 'on-demand' }), 'idle').hanging.add('tools/list')
    const catalog = catalogOf(pool)
    await catalog.start()
    let isReady = false
    void catalog.ready(60_000).then(() => (isReady = true))
    await settle()
    expect(isReady).toBe(false)
    broken.become('failed')
    await settle()
    expect(isReady).toBe(false)
    slow.become('running')
    await settle()
    expect(isReady).toBe(true)
  })

  it('knows the servers when each has listed its tools, an empty list included, or failed', async () => {
    const pool = new FakePool()
    const onDemand = { start: 'on-demand' } as const
    pool.add(definitionOf('with', onDemand), 'idle').tools = [{ name: 't', inputSchema: { type: 'object' } }]
    pool.add(definitionOf('without', onDemand), 'idle')
    pool.add(definitionOf('off', { enabled: false }), 'stopped')
    pool.add(definitionOf('broken', onDemand), 'idle').failing.set('tools/list', new Error('cannot be started'))
    const slow = pool.add(definitionOf('slow'), 'starting')
    const catalog = catalogOf(pool)
    await catalog.start()
    let isMet = false
    void catalog.met(60_000).then(() => (isMet = true))
    await settle(1_000)
    expect(isMet).toBe(false)
    slow.become('running')
    await settle(1_000)
    expect(isMet).toBe(true)
    expect([...catalog.snapshot().tools.keys()]).toEqual(['with:t'])
  })

  it('[R19] waits for the given servers only, and ends with the timeout or the signal', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('slow'), 'starting')
    const quick = pool.add(definitionOf('quick'), 'starting')
    const catalog = catalogOf(pool)
    await catalog.start()
    const ended: string[] = []
    const abort = new AbortController()
    const wait = (name: string, ...how: Parameters<typeof catalog.met>) =>
      void catalog.met(...how).then(() => ended.push(name))
    wait('quick', 60_000, { serverIds: new Set(['quick']) })
    wait('aborted', 60_000, { signal: abort.signal })
    wait('short', 3_000)
    await settle()
    expect(ended).toEqual([])
    quick.become('running')
    await settle()
    expect(ended).toEqual(['quick'])
    abort.abort()
    await settle()
    expect(ended).toEqual(['quick', 'aborted'])
    await settle(3_000)
    expect(ended).toEqual(['quick', 'aborted', 'short'])
  })

  it('goes on for a server that is restarted while it lists its tools for the first time', async () => {
    const pool = new FakePool()
    const server = pool.add(definitionOf('restarted'), 'starting')
    server.tools = [{ name: 't', inputSchema: { type: 'object' } }]
    const ended = Promise.withResolvers<never>()
    vi.spyOn(server, 'request').mockReturnValueOnce(ended.promise)
    const catalog = catalogOf(pool)
    await catalog.start()
    server.become('running')
    await settle()
    server.become('stopped')
    server.become('starting')
    ended.reject(new Error('the server is stopped'))
    await settle()
    let isMet = false
    void catalog.met(60_000).then(() => (isMet = true))
    await settle()
    expect(isMet).toBe(false)
    server.become('running')
    await settle(1_000)
    expect(isMet).toBe(true)
    expect([...catalog.snapshot().tools.keys()]).toEqual(['restarted:t'])
  })

  it('begins with the program for the servers of its start, and with its addition for a later one', async () => {
    const pool = new FakePool()
    const startedAt = Date.now()
    const later = catalogOf(pool, startedAt)
    await settle(5_000)
    await later.start()
    pool.add(definitionOf('added'), 'starting')
    await later.serversChanged()
    expect(later.snapshot().servers).toMatchObject([{ id: 'added', awaitedSince: startedAt + 5_000 }])
    const first = catalogOf(pool, startedAt)
    await first.start()
    expect(first.snapshot().servers).toMatchObject([{ id: 'added', awaitedSince: startedAt }])
  })

  it('is ready after the timeout', async () => {
    const pool = new FakePool()
    pool.add(definitionOf('slow'), 'starting')
    const catalog = catalogOf(pool)
    await catalog.start()
    let isReady = false
    void catalog.ready(5_000).then(() => (isReady = true))
    await settle(4_999)
    expect(isReady).toBe(false)
    await settle(1)
    expect(isReady).toBe(true)
  })
})
