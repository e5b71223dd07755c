import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { ConnectRequest } from '../protocol/connect.ts'
import { call, failure, misbehaving } from '../fixtures/pool.case.ts'
import type { McpConnection } from '../protocol/mcp-connection.ts'
import type { ServerEvent } from '../server.ts'
import { SupervisedServer } from './supervised-server.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A connection that answers everything until the test ends it. */
class Puppet {
  readonly era = 'legacy'
  readonly capabilities = {}
  readonly instructions = undefined
  readonly pid = undefined
  answered = 0
  isUsable = true
  isClosed = false
  readonly #request: ConnectRequest

  constructor(request: ConnectRequest) {
    this.#request = request
  }

  async request() {
    this.answered++
    return {}
  }

  async close() {
    this.isClosed = true
    this.isUsable = false
  }

  fall() {
    this.isUsable = false
    this.#request.events.lost(new GatewayError('SERVER_CRASHED', { reason: 'it fell' }))
  }
}

function supervised(options: Parameters<typeof misbehaving>[0] = {}) {
  const lives: Puppet[] = []
  const events: ServerEvent[] = []
  const startTimes: number[] = []
  let fails = 0
  const begun = Date.now()
  const server = new SupervisedServer(misbehaving(options), {
    connect: async (request) => {
      startTimes.push(Date.now() - begun)
      if (fails > 0) {
        fails--
        throw new GatewayError('SERVER_START_FAILED', { reason: 'no' })
      }
      const life = new Puppet(request)
      lives.push(life)
      return life as unknown as McpConnection
    },
    emit: (event) => events.push(event),
    now: Date.now,
    random: () => 1,
  })
  const states = () => events.flatMap((event) => (event.kind === 'state' ? [event.status.state] : []))
  return { server, lives, states, startTimes, failNext: (times: number) => (fails = times) }
}

const past = (ms: number) => vi.advanceTimersByTimeAsync(ms)

describe('Idle stop', () => {
  it('stops an on-demand server after its idle time, and starts it again on demand', async () => {
    const { server, lives, states } = supervised({ limits: { idleStopMs: 60_000 } })
    await server.request(call('echo'))
    await past(40_000)
    await server.request(call('echo'))
    await past(59_000)
    expect(server.status().state).toBe('running')
    await past(2_000)
    expect(server.status().state).toBe('idle')
    expect(lives[0]?.isClosed).toBe(true)
    await server.request(call('echo'))
    expect(states()).toEqual(['starting', 'running', 'idle', 'starting', 'running'])
  })

  it.each([
    ['an eager server', { start: 'eager', limits: { idleStopMs: 1_000 } }],
    ['one that may idle for ever', { limits: { idleStopMs: 0 } }],
  ] as const)('leaves %s running', async (_, options) => {
    const { server } = supervised(options)
    await server.start()
    await past(3_600_000)
    expect(server.status().state).toBe('running')
  })

  it('leaves a server running while a resource of it is watched', async () => {
    const { server } = supervised({ limits: { idleStopMs: 1_000 } })
    const client = { sessionId: 'a', capabilities: {} }
    await server.request({ method: 'resources/subscribe', params: { uri: 'x://1' } }, { client })
    await past(10_000)
    expect(server.status().state).toBe('running')
    await server.closeSession('a')
    await past(10_000)
    expect(server.status().state).toBe('idle')
  })
})

describe('After a crash', () => {
  it('an on-demand server waits for the next call, which restarts it at once', async () => {
    const { server, lives, startTimes } = supervised()
    await server.request(call('echo'))
    await past(5_000)
    lives[0]?.fall()
    expect(server.status()).toMatchObject({ state: 'idle', lastError: { code: 'SERVER_CRASHED' } })
    await past(60_000)
    expect(lives).toHaveLength(1)
    await server.request(call('echo'))
    expect(startTimes).toEqual([0, 65_000])
    expect(server.status()).toMatchObject({ state: 'running', restarts: 1 })
  })

  it('a call waits a moment when the last start was just now', async () => {
    const { server, lives, startTimes } = supervised()
    await server.request(call('echo'))
    await past(100)
    lives[0]?.fall()
    const open = server.request(call('echo'))
    await past(1_000)
    await open
    expect(startTimes).toEqual([0, 250])
  })

  it.each([-3_600_000, 3_600_000])(
    'a crash is followed by a start when the clock of the system moved by %i ms',
    async (ms) => {
      const { server, lives } = supervised({ start: 'eager' })
      await server.start()
      await server.request(call('echo'))
      vi.setSystemTime(Date.now() + ms)
      lives[0]?.fall()
      await past(1_000)
      expect(server.status().state).toBe('running')
      await server.request(call('echo'))
    },
  )

  it('an eager server comes back at once, and slower with every further crash', async () => {
    const { server, lives, startTimes } = supervised({ start: 'eager' })
    await server.start()
    await past(1_000)
    for (let n = 0; n < 4; n++) {
      await server.request(call('echo'))
      lives.at(-1)?.fall()
      expect(server.status().state).toBe('starting')
      await past(10_000)
    }
    expect(startTimes).toEqual([0, 1_000, 12_000, 23_000, 35_000])
  })
})

describe('Failed starts', () => {
  it('keep the state at failed until a start succeeds, and are retried slower and slower', async () => {
    const { server, states, startTimes, failNext } = supervised({ start: 'eager' })
    failNext(6)
    await failure(server.start())
    await past(120_000)
    expect(states()).toEqual(['starting', 'failed', 'running'])
    expect(startTimes).toEqual([0, 500, 1_500, 3_500, 7_500, 15_500, 31_500])
  })

  it('open the circuit after five in a row: calls fail at once and name the time of the next attempt', async () => {
    const { server, startTimes, failNext } = supervised()
    failNext(100)
    for (let n = 0; n < 5; n++) {
      const open = failure(server.request(call('echo')))
      await past(n === 0 ? 0 : 500)
      expect(await open).toMatchObject({ code: 'SERVER_START_FAILED' })
    }
    const tries = startTimes.length
    const error = await failure(server.request(call('echo')))
    expect(error).toMatchObject({ code: 'SERVER_FAILED', details: { server: 'cheese' } })
    expect(error.message).toMatch(/The next try is in \d+ s/)
    expect(startTimes).toHaveLength(tries)
    failNext(0)
    await past(60_000)
    expect(server.status().state).toBe('running')
  })

  it('are forgotten when an operator starts the server', async () => {
    const { server, failNext } = supervised()
    failNext(5)
    await failure(server.start())
    await past(16_000)
    failNext(0)
    await server.start()
    expect(server.status().state).toBe('running')
  })

  it('include a connection that ended without an answer', async () => {
    const { server, lives } = supervised({ start: 'eager' })
    await server.start()
    for (let n = 0; n < 5; n++) {
      lives.at(-1)?.fall()
      if (n < 4) await past(10_000)
    }
    expect(server.status().state).toBe('failed')
    expect(await failure(server.request(call('echo')))).toMatchObject({ code: 'SERVER_FAILED' })
  })
})

describe('Stop', () => {
  it('ends retries and idle timers', async () => {
    const { server, startTimes, failNext } = supervised({ start: 'eager' })
    failNext(100)
    await failure(server.start())
    await server.stop()
    await past(600_000)
    expect(startTimes).toEqual([0])
    expect(vi.getTimerCount()).toBe(0)
  })
})
