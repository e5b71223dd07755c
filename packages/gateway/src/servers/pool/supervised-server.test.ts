import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { call, type Failure, failure, makePool, misbehaving, textOf, until } from '../fixtures/pool.case.ts'
import type { Server } from '../server.ts'
import type { SupervisedPool } from './server-pool.ts'

const pools: SupervisedPool[] = []
function made() {
  const all = makePool()
  pools.push(all.pool)
  return all
}
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()))
})

const starts = (file: string) => readFileSync(file, 'utf8').trim().split('\n').length
const scratch = () => join(mkdtempSync(join(tmpdir(), 'servers-')), 'starts')

describe('A supervised stdio server', () => {
  it('is idle until it is called, then runs with a pid', async () => {
    const server = await made().add(misbehaving())
    expect(server.status()).toMatchObject({ state: 'idle', restarts: 0 })
    expect(textOf(await server.request(call('echo', { a: 1 })))).toBe('{"a":1}')
    expect(server.status()).toMatchObject({ state: 'running', era: 'legacy', pid: expect.any(Number) })
    expect(server.instructions()).toBe('Ask nicely.')
    expect(server.capabilities()).toHaveProperty('resources.subscribe', true)
  })

  it('starts one process for concurrent first calls', async () => {
    const file = scratch()
    const server = await made().add(misbehaving({}, `count=${file}`))
    const all = Array.from({ length: 40 }, (_, n) => server.request(call('echo', { n })))
    const answers = (await Promise.all(all)).map(textOf)
    expect(answers).toEqual(answers.map((_, n) => `{"n":${n}}`))
    expect(starts(file)).toBe(1)
  })

  it('passes results on with every field, and mints its own progress tokens', async () => {
    const server = await made().add(misbehaving())
    const params = { name: 'meta', _meta: { progressToken: 'theirs', traceparent: '00-1' } }
    const result = await server.request({ method: 'tools/call', params })
    expect(result).toEqual({ content: [{ type: 'text', text: '{"traceparent":"00-1"}' }], 'x-unknown': { kept: [1] } })
  })

  it('delivers all progress before the reply, even when they come in one write', async () => {
    const server = await made().add(misbehaving())
    const seen: unknown[] = []
    await server.request(call('progress'), { onProgress: (progress) => seen.push(progress['progress']) })
    expect(seen).toEqual([1, 2, 3])
  })

  it('gives the log messages of the only open request to it, and the rest to the pool', async () => {
    const { add, events } = made()
    const server = await add(misbehaving())
    const own: unknown[] = []
    await server.request(call('log'), { onNotification: (notification) => own.push(notification) })
    expect(own).toEqual([{ method: 'notifications/message', params: { level: 'info', data: 'working' } }])
    const open = server.request(call('hang'), { timeoutMs: 300 }).catch(() => {})
    await server.request(call('log'), { onNotification: () => expect.unreachable() })
    expect(events).toContainEqual({ kind: 'log', serverId: 's1', params: { level: 'info', data: 'working' } })
    await open
  })

  it("passes a server's own error on with code, message and data", async () => {
    const server = await made().add(misbehaving())
    const error = await failure(server.request(call('refuse')))
    expect(error).toMatchObject({ rpcCode: -32042, message: 'no such cheese', data: { cheese: 'brie' } })
  })

  it('ends a hung call at its time limit, cancels it at the server, and continues', async () => {
    const server = await made().add(misbehaving({ limits: { callTimeoutMs: 150 } }))
    await server.start()
    const error = await failure(server.request(call('hang')))
    expect(error).toMatchObject({ code: 'SERVER_TIMEOUT', details: { server: 'cheese', limitMs: 150 } })
    expect(error.message).toContain('"cheese" did not answer tools/call within 150 ms')
    expect(textOf(await server.request(call('cancelled')))).toContain('SERVER_TIMEOUT')
    expect(server.status()).toMatchObject({ state: 'running', restarts: 0 })
  })

  it("carries a caller's cancellation to the server", async () => {
    const server = await made().add(misbehaving())
    await server.start()
    const cancel = new AbortController()
    const open = failure(server.request(call('hang'), { signal: cancel.signal }))
    await server.request(call('echo'))
    cancel.abort()
    expect(await open).toMatchObject({ code: 'CALL_CANCELLED' })
    expect(textOf(await server.request(call('cancelled')))).toContain('CALL_CANCELLED')
  })

  it('fails only the callers of a server that crashes, at once and by name; the next call works', async () => {
    const { pool } = made()
    const other = { ...misbehaving(), id: 's2', name: 'bread' }
    await pool.reconcile([misbehaving(), other])
    const [server, second] = [pool.get('s1'), pool.get('s2')] as [Server, Server]
    await Promise.all([server.start(), second.start()])
    const open = [failure(server.request(call('hang'))), failure(server.request(call('crash')))]
    const calm = second.request(call('tick', { times: 4 }), { onProgress: () => {} })
    const [error] = (await Promise.all(open)) as [Failure, Failure]
    expect(error).toMatchObject({ code: 'SERVER_CRASHED', details: { server: 'cheese' } })
    expect(error.message).toContain('"cheese" exited with code 7: out of cheese')
    expect(textOf(await server.request(call('echo')))).toBe('{}')
    expect(server.status()).toMatchObject({ state: 'running', restarts: 1, lastError: { code: 'SERVER_CRASHED' } })
    expect(textOf(await calm)).toBe('ticked')
  })

  it('restarts an eager server automatically', async () => {
    const { add, events } = made()
    const server = await add(misbehaving({ start: 'eager' }))
    await until(() => server.status().state === 'running')
    await server.request({ method: 'tools/list' })
    await failure(server.request(call('crash')))
    await until(() => server.status().state === 'running')
    const states = events.flatMap((event) => (event.kind === 'state' ? [event.status.state] : []))
    expect(states).toEqual(['idle', 'starting', 'running', 'starting', 'running'])
  })

  it('reports why a server did not start, with its last line', async () => {
    const server = await made().add(misbehaving({}, 'crash-at-start'))
    const error = await failure(server.request(call('echo')))
    expect(error).toMatchObject({ code: 'SERVER_START_FAILED', details: { server: 'cheese' } })
    expect(error.message).toContain('"cheese" exited with code 3: no configuration found')
    expect(server.status()).toMatchObject({ state: 'failed', lastError: { code: 'SERVER_START_FAILED' } })
    expect(server.logs().map(({ line }) => line)).toContain('no configuration found')
  })

  it('names a command that does not exist', async () => {
    const definition = misbehaving()
    const missing = { ...definition, transport: { ...definition.transport, command: '/no/such/program' } }
    const error = await failure((await made().add(missing as typeof definition)).start())
    expect(error.code).toBe('SERVER_START_FAILED')
    expect(error.message).toContain('/no/such/program')
  })

  it('abandons a server that is not ready in time, and leaves no process', async () => {
    const file = scratch()
    const server = await made().add(
      misbehaving({ limits: { startTimeoutMs: 700 } }, 'never-initialize', `count=${file}`),
    )
    const error = await failure(server.request(call('echo')))
    expect(error).toMatchObject({ code: 'SERVER_START_FAILED' })
    expect(error.message).toContain('was not ready within 700 ms')
    expect(server.status().pid).toBeUndefined()
  })

  it('lets a caller leave while the server is still starting, and goes on starting', async () => {
    const server = await made().add(misbehaving({}, 'slow-start=300'))
    const patient = server.request(call('echo'))
    expect(await failure(server.request(call('echo'), { signal: AbortSignal.timeout(30) }))).toMatchObject({
      code: 'CALL_CANCELLED',
    })
    expect(textOf(await patient)).toBe('{}')
  })

  it('lets calls wait for a turn until their deadline, and still lists', async () => {
    const server = await made().add(misbehaving({ limits: { maxConcurrentCalls: 1, callTimeoutMs: 300 } }))
    await server.start()
    const hanging = server.request(call('hang'), { timeoutMs: 900 }).catch(() => {})
    const waiting = Array.from({ length: 200 }, () => failure(server.request(call('echo'))))
    expect((await server.request({ method: 'tools/list' }))['tools']).toHaveLength(5)
    await hanging
    for (const error of await Promise.all(waiting)) {
      expect(error).toMatchObject({ code: 'SERVER_BUSY', details: { server: 'cheese', retryAfter: 1 } })
    }
    expect(textOf(await server.request(call('echo')))).toBe('{}')
  })

  it('fails a reply over the limit, or one that is no result, and keeps the connection', async () => {
    const server = await made().add(misbehaving({ limits: { maxReplyBytes: 10_000 } }))
    const error = await failure(server.request(call('huge', { bytes: 50_000 })))
    expect(error.code).toBe('REPLY_TOO_LARGE')
    expect(error.message).toContain('"cheese"')
    expect(await failure(server.request(call('not-an-object')))).toMatchObject({ code: 'REPLY_INVALID' })
    expect(textOf(await server.request(call('echo')))).toBe('{}')
    expect(server.status().restarts).toBe(0)
  })

  it('passes a storm of 5,000 list changes on at most ten times a second', async () => {
    const { add, pool } = made()
    const server = await add(misbehaving())
    await server.start()
    const times: number[] = []
    pool.onEvent(({ kind }) => void (kind === 'list-changed' && times.push(performance.now())))
    for (let storm = 0; storm < 3; storm++) await server.request(call('storm'))
    await until(() => times.length > 0)
    const pauses = times.slice(1).map((time, index) => time - (times[index] ?? 0))
    // However long the storms take on a machine that is busy; a timer may be a millisecond early.
    for (const pause of pauses) expect(pause).toBeGreaterThan(98)
  })

  it('subscribes once for several sessions, again after a crash, and releases with the last', async () => {
    const { add, events } = made()
    const server = await add(misbehaving())
    const subscribe = { method: 'resources/subscribe', params: { uri: 'x://1' } }
    const client = (sessionId: string) => ({ client: { sessionId, capabilities: {} } })
    await server.request(subscribe, client('a'))
    await server.request(subscribe, client('b'))
    await failure(server.request(call('crash')))
    await server.request(call('updated', { uri: 'x://1' }))
    expect(events).toContainEqual({ kind: 'resource-updated', serverId: 's1', uri: 'x://1' })
    await server.closeSession('a')
    await server.request({ method: 'resources/unsubscribe', params: { uri: 'x://1' } }, client('b'))
    const { contents } = await server.request({ method: 'resources/read', params: { uri: 'log' } })
    expect(contents).toEqual(['+x://1', '-x://1'])
  })

  it('passes the requests of a shared program to its only caller, and to none while others call', async () => {
    const server = await made().add(misbehaving())
    const asked: string[] = []
    const client = (sessionId: string) => ({
      sessionId,
      capabilities: { elicitation: {} },
      answer: async () => {
        asked.push(sessionId)
        return { action: 'accept' }
      },
    })
    expect(textOf(await server.request(call('ask'), { client: client('a') }))).toContain('accept')
    expect(textOf(await server.request(call('ask')))).toContain('No call is open')
    const leave = new AbortController()
    const open = failure(server.request(call('hang'), { client: client('b'), signal: leave.signal }))
    expect(textOf(await server.request(call('ask'), { client: client('a') }))).toContain(
      'cannot be assigned to a client',
    )
    leave.abort()
    await open
    expect(textOf(await server.request(call('ask'), { client: client('a') }))).toContain(
      'cannot be assigned to a client',
    )
    expect(textOf(await server.request(call('ask'), { client: client('b') }))).toContain('accept')
    expect(asked).toEqual(['a', 'b'])
  })

  it('refuses calls while stopped or disabled, and ends open ones', async () => {
    const { add } = made()
    const server = await add(misbehaving())
    await server.start()
    const open = failure(server.request(call('hang')))
    await server.stop()
    expect(await open).toMatchObject({ code: 'SERVER_STOPPED' })
    expect(server.status()).toMatchObject({ state: 'stopped' })
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_STOPPED' })
    await server.restart()
    expect(server.status()).toMatchObject({ state: 'running', restarts: 1 })
    const disabled = await add(misbehaving({ enabled: false }))
    expect(disabled.status().state).toBe('stopped')
    expect((await failure(disabled.start())).message).toContain('"cheese" is disabled')
  })

  it('stops while it is starting', async () => {
    const server = await made().add(misbehaving({}, 'slow-start=5000'))
    const open = failure(server.request(call('echo')))
    await until(() => server.status().state === 'starting')
    await server.stop()
    expect(await open).toMatchObject({ code: 'SERVER_STOPPED' })
  })
})
