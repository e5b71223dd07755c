import { setImmediate } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { call, define, failure, makePool, misbehaving, npmServer, until } from '../fixtures/pool.case.ts'
import type { SupervisedPool } from './server-pool.ts'

const pools: SupervisedPool[] = []
function made(parts: Parameters<typeof makePool>[0] = {}) {
  const all = makePool(parts)
  pools.push(all.pool)
  return all
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

const server = (id: string, options: Parameters<typeof misbehaving>[0] = {}, ...flags: string[]) =>
  misbehaving({ id, name: id, ...options }, ...flags)

describe('The pool', () => {
  it('restarts only what changed, by content and not by identity', async () => {
    const { pool } = made()
    await pool.reconcile([server('a'), server('b'), server('c')])
    await Promise.all(pool.all().map((each) => each.start()))
    const pids = () => pool.all().map((each) => each.status().pid)
    const [a, b] = pids()
    await pool.reconcile([structuredClone(server('a')), server('b', { limits: { maxTools: 7 } }), server('d')])
    expect(pool.all().map(({ definition }) => definition.id)).toEqual(['a', 'b', 'd'])
    expect(pids()).toEqual([a, undefined, undefined])
    await pool.get('b')?.start()
    expect(pool.get('b')?.status().pid).not.toBe(b)
  })

  it('is not delayed by a server that never answers', async () => {
    const { pool } = made()
    await pool.reconcile([server('stuck', { start: 'eager' }, 'never-initialize'), server('good', { start: 'eager' })])
    await pool.get('good')?.request(call('echo'))
    expect(pool.get('stuck')?.status().state).toBe('starting')
  })

  it('notifies every listener until it is removed, even if another one throws', async () => {
    const { pool } = made()
    const seen: string[] = []
    pool.onEvent(() => {
      throw new Error('mine')
    })
    const leave = pool.onEvent((event) => seen.push(event.kind))
    await pool.reconcile([server('a')])
    await pool.get('a')?.start()
    expect(seen).toEqual(['state', 'state', 'state'])
    leave()
    leave()
    await pool.get('a')?.stop()
    expect(seen).toHaveLength(3)
  })

  it('delays automatic starts as long as required, and no start on demand', async () => {
    const { promise: mayStart, resolve: letStart } = Promise.withResolvers<void>()
    const { pool } = made({ mayStart })
    await pool.reconcile([server('a', { start: 'eager' }), server('b', { start: 'eager' })])
    await pool.get('b')?.request(call('echo'))
    expect(pool.all().map((each) => each.status().state)).toEqual(['idle', 'running'])
    letStart()
    await until(() => pool.get('a')?.status().state === 'running')
  })

  it('starts no more than one server in a turn of the event loop', async () => {
    const { pool } = made()
    await pool.reconcile(['a', 'b', 'c', 'd'].map((id) => server(id, { start: 'eager' })))
    const begun: number[] = []
    while ((begun.at(-1) ?? 0) < 4) {
      await setImmediate()
      begun.push(pool.all().filter((each) => each.status().state !== 'idle').length)
    }
    expect(begun.every((count, turn) => count - (begun[turn - 1] ?? 0) <= 1)).toBe(true)
  })

  it('stops all, and starts nothing afterwards', async () => {
    const { pool } = made()
    const definitions = ['a', 'b', 'c', 'd'].map((id) => server(id, { start: 'eager' }))
    await pool.reconcile(definitions)
    await until(() => pool.all().every((each) => each.status().state === 'running'))
    await pool.stop()
    expect(pool.all().map((each) => each.status().pid)).toEqual(definitions.map(() => undefined))
    await pool.reconcile(definitions)
    expect(await failure(pool.get('a')?.request(call('echo')) ?? Promise.resolve())).toMatchObject({
      code: 'SERVER_STOPPED',
    })
  })
})

describe('a server that is tried out', () => {
  it('is no server of the pool, is ended, and its failure is part of the answer', async () => {
    const { pool, events } = made()
    const { signal } = new AbortController()
    const fine = await pool.tryOut(npmServer('memory', []), signal)
    expect(fine).toMatchObject({ serverInfo: { name: 'memory-server' }, tools: 9 })
    const missing = define({ kind: 'stdio', command: 'no-such-program', args: [], env: {} })
    expect(await pool.tryOut(missing, signal)).toMatchObject({ failure: { code: 'SERVER_START_FAILED' } })
    expect([pool.all(), events]).toEqual([[], []])
  })

  it('ends when the caller goes and when the pool stops; more than four are refused', async () => {
    const { pool } = made()
    const silent = misbehaving({}, 'never-initialize')
    const gone = new AbortController()
    const first = pool.tryOut(silent, gone.signal)
    const others = [1, 2, 3].map(() => pool.tryOut(silent, new AbortController().signal))
    await expect(pool.tryOut(silent, gone.signal)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
    gone.abort()
    expect(await first).toMatchObject({ failure: { code: 'CALL_CANCELLED' } })
    await pool.stop()
    for (const trial of await Promise.all(others)) expect(trial).toHaveProperty('failure')
    await expect(pool.tryOut(silent, gone.signal)).rejects.toMatchObject({ code: 'SERVER_BUSY' })
  })
})
