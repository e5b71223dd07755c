import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { ServerDefinition } from '../../model/server.ts'
import { call, define, failure, misbehaving } from '../fixtures/pool.case.ts'
import type { ConnectRequest } from '../protocol/connect.ts'
import type { McpConnection } from '../protocol/mcp-connection.ts'
import type { ClientLink, RequestOptions, ServerEvent, ServerRequest } from '../server.ts'
import { InstanceBudget } from './client-instances.ts'
import { SupervisedServer } from './supervised-server.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** A process or session that answers everything, until the test ends it. */
class Puppet {
  readonly era = 'legacy'
  readonly capabilities = { logging: {} }
  readonly instructions = undefined
  readonly pid = undefined
  answered = 0
  isUsable = true
  readonly heard: ServerRequest[] = []
  readonly #asked: ConnectRequest
  readonly #log: string[]
  readonly #label: string
  /** Calls that are not answered yet. */
  readonly #open: (() => void)[] = []

  constructor(asked: ConnectRequest, log: string[]) {
    this.#asked = asked
    this.#log = log
    this.#label = asked.owner?.sessionId ?? 'shared'
    log.push(`open ${this.#label}`)
  }

  get events() {
    return this.#asked.events
  }

  get declared() {
    return this.#asked.owner?.capabilities
  }

  async request(request: ServerRequest, options: RequestOptions) {
    this.answered++
    this.heard.push(request)
    const { outcome } = (request.params?.['arguments'] ?? {}) as { outcome?: string }
    if (outcome === 'CALL_CANCELLED' || outcome === 'SERVER_TIMEOUT') throw new GatewayError(outcome)
    if (outcome === 'later') await new Promise<void>((resolve) => this.#open.push(resolve))
    return { by: this.#label, client: options.client?.sessionId }
  }

  notify(notification: ServerRequest) {
    this.heard.push(notification)
  }

  answerAll() {
    for (const answer of this.#open.splice(0)) answer()
  }

  async close() {
    this.isUsable = false
    this.#log.push(`close ${this.#label}`)
  }

  fall() {
    this.isUsable = false
    this.events.lost(new GatewayError('SERVER_CRASHED', { reason: 'it fell' }))
  }
}

const program = (options: Parameters<typeof misbehaving>[0] = {}) =>
  misbehaving({ instances: 'per-client', limits: { idleStopMs: 300_000, maxInstances: 2 }, ...options })
const behindUrl = () => define({ kind: 'http', url: 'http://127.0.0.1:1/', headers: {} })

function supervised(definition: ServerDefinition = program(), budget?: InstanceBudget) {
  const log: string[] = []
  const opened: Puppet[] = []
  const events: ServerEvent[] = []
  const server = new SupervisedServer(definition, {
    connect: async (request) => {
      const puppet = new Puppet(request, log)
      opened.push(puppet)
      return puppet as unknown as McpConnection
    },
    emit: (event) => events.push(event),
    now: Date.now,
    random: () => 1,
    budget,
  })
  const callOf = (client: ClientLink | undefined, outcome = 'now') =>
    server.request(call('do', { outcome }), { client })
  return { server, log, opened, events, callOf }
}

const past = (ms: number) => vi.advanceTimersByTimeAsync(ms)
const answer = async () => ({})
const session = (sessionId: string): ClientLink => ({ sessionId, capabilities: { sampling: {} }, answer })
/** A call of a client of 2026-07-28 that can be asked by its result. */
const asked = (group: string): ClientLink => ({ sessionId: 'any', group, capabilities: { sampling: {} }, answer })

describe('A program with an instance for each client', () => {
  it('has one for each session, however many calls use it, and the shared one for callers without a client', async () => {
    const { server, log, callOf } = supervised()
    const answers = await Promise.all([
      callOf(session('a')),
      callOf(session('a')),
      callOf(session('b')),
      callOf(undefined),
    ])
    expect(answers.map(({ by }) => by)).toEqual(['a', 'a', 'b', 'shared'])
    expect(log.toSorted()).toEqual(['open a', 'open b', 'open shared'])
    expect(server.status().instances).toEqual({ perClient: true, running: 2 })
  })

  it('starts no shared instance for the calls of clients', async () => {
    const { server, log, callOf } = supervised()
    await callOf(session('a'))
    expect([log, server.status().state]).toEqual([['open a'], 'idle'])
  })

  it('stops one that is idle, except while its client has a subscription', async () => {
    const { server, log, callOf } = supervised()
    await callOf(session('a'))
    await server.request({ method: 'resources/subscribe', params: { uri: 'x:1' } }, { client: session('b') })
    await past(700_000)
    expect(log).toEqual(['open a', 'open b', 'close a'])
    expect(server.status().instances?.running).toBe(1)
    await callOf(session('a'))
    expect(log.at(-1)).toBe('open a')
  })

  it('fails only the calls of the client whose instance crashes, and its next call starts a new one', async () => {
    const { log, opened, callOf } = supervised()
    await Promise.all([callOf(session('a')), callOf(session('b'))])
    opened[0]?.fall()
    expect(await callOf(session('b'))).toMatchObject({ by: 'b' })
    expect(log).toEqual(['open a', 'open b'])
    const again = callOf(session('a'))
    await past(1_000)
    expect(await again).toMatchObject({ by: 'a' })
    expect(log).toEqual(['open a', 'open b', 'open a'])
  })

  it('tells a restarted one the subscriptions and the level of its client again', async () => {
    const { server, opened, callOf } = supervised()
    const client = session('a')
    await server.request({ method: 'logging/setLevel', params: { level: 'error' } }, { client })
    expect(opened).toEqual([])
    await server.request({ method: 'resources/subscribe', params: { uri: 'x:1' } }, { client })
    const known = [
      { method: 'resources/subscribe', params: { uri: 'x:1' } },
      { method: 'logging/setLevel', params: { level: 'error' } },
    ]
    expect(opened[0]?.heard).toEqual([known[1], known[0]])
    await callOf(client)
    opened[0]?.fall()
    await past(2_000)
    expect(opened[1]?.heard).toEqual(known)
  })

  it('ends the instance of a session with the session, and passes its notifications to no other', async () => {
    const { server, log, opened, callOf } = supervised()
    await Promise.all([callOf(session('a')), callOf(session('b'))])
    const changed = { method: 'notifications/roots/list_changed' }
    server.notify('a', changed)
    expect(opened.map(({ heard }) => heard.includes(changed))).toEqual([true, false])
    await server.closeSession('a')
    expect(log).toEqual(['open a', 'open b', 'close a'])
  })

  it('stops all of them with the server, and leaves no timer behind', async () => {
    const { server, log, callOf } = supervised()
    await Promise.all([callOf(session('a')), callOf(session('b'))])
    await server.stop()
    expect(log.toSorted()).toEqual(['close a', 'close b', 'open a', 'open b'])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('gives the log messages and updates of an instance to its client alone', async () => {
    const { opened, events, callOf } = supervised()
    await callOf(session('a'))
    opened[0]?.events.logged({ level: 'info', data: 'private' })
    opened[0]?.events.resourceUpdated('x:1')
    const told = events.filter(({ kind }) => kind === 'log' || kind === 'resource-updated')
    expect(told).toEqual([
      { kind: 'log', serverId: 's1', params: { level: 'info', data: 'private' }, sessionId: 'a' },
      { kind: 'resource-updated', serverId: 's1', uri: 'x:1', sessionId: 'a' },
    ])
  })
})

describe('The roots of a client', () => {
  const rooted = (isLocal: boolean): ClientLink => ({
    sessionId: 'a',
    capabilities: { roots: {}, sampling: {} },
    isLocal,
  })
  const declaredTo = async (client: ClientLink, options: Parameters<typeof misbehaving>[0] = {}) => {
    const { opened, callOf } = supervised(program(options))
    await callOf(client)
    return opened[0]?.declared
  }

  it('are declared to its instance if it runs on this machine', async () => {
    expect(await declaredTo(rooted(true))).toEqual({ roots: {}, sampling: {} })
  })

  it('are not declared for a client elsewhere, whose paths mean nothing here, or if the server may not have them', async () => {
    expect(await declaredTo(rooted(false))).toEqual({ sampling: {} })
    expect(await declaredTo(rooted(true), { roots: false })).toEqual({ sampling: {} })
  })
})

describe('The number of instances', () => {
  it('is limited: with `per-client` a client beyond the limit gets an error that names the limit', async () => {
    const { callOf } = supervised()
    await Promise.all([callOf(session('a')), callOf(session('b'))])
    const error = await failure(callOf(session('c')))
    expect(error).toMatchObject({ code: 'SERVER_BUSY', details: { server: 'cheese' } })
    expect(error.message).toContain('runs 2 processes for one client each')
  })

  it('is limited: with `auto` a client beyond the limit shares', async () => {
    const { server, callOf } = supervised(program({ instances: 'auto' }))
    server.rememberAsking()
    await Promise.all([callOf(session('a')), callOf(session('b'))])
    expect(await callOf(session('c'))).toMatchObject({ by: 'shared' })
    expect(server.isContended()).toBe(true)
  })

  it('leaves room for a new client by stopping the one that was unused for longest, after a minute', async () => {
    const { log, callOf } = supervised()
    await callOf(session('a'))
    await past(30_000)
    await callOf(session('b'))
    await past(40_000)
    expect(await callOf(session('c'))).toMatchObject({ by: 'c' })
    expect(log).toEqual(['open a', 'open b', 'close a', 'open c'])
    expect(await failure(callOf(session('a')))).toMatchObject({ code: 'SERVER_BUSY' })
  })

  it('is limited over all servers, too', async () => {
    const budget = new InstanceBudget(2)
    const [one, other] = [supervised(program(), budget), supervised(program(), budget)]
    await one.callOf(session('a'))
    await other.callOf(session('a'))
    expect(await failure(other.callOf(session('b')))).toMatchObject({ code: 'SERVER_BUSY' })
    await past(61_000)
    expect(await other.callOf(session('b'))).toMatchObject({ by: 'b' })
    expect([one.log, other.log]).toEqual([
      ['open a', 'close a'],
      ['open a', 'open b'],
    ])
    await one.server.stop()
    await other.server.stop()
  })
})

describe('Calls without a session', () => {
  it('have an instance while they are open and can be asked, and the next call of the token takes it over', async () => {
    const { log, opened, callOf } = supervised()
    const first = callOf(asked('t'), 'later')
    expect(await callOf(asked('t'))).toMatchObject({ by: 't {"sampling":{}}' })
    await callOf(asked('t'))
    opened[0]?.answerAll()
    await first
    await callOf(asked('t'))
    expect(log).toHaveLength(2)
  })

  it.each(['CALL_CANCELLED', 'SERVER_TIMEOUT'])('end the instance of a call that ended with %s', async (outcome) => {
    const { log, callOf } = supervised()
    expect(await failure(callOf(asked('t'), outcome))).toMatchObject({ code: outcome })
    await callOf(asked('t'))
    expect(log.map((line) => line.split(' ', 1)[0])).toEqual(['open', 'close', 'open'])
  })

  it('that cannot be asked have one for each token with `per-client`, and share with `auto`', async () => {
    const mute = (group: string): ClientLink => ({ sessionId: 'any', group, capabilities: {} })
    const own = supervised()
    const answers = await Promise.all([own.callOf(mute('t')), own.callOf(mute('t')), own.callOf(mute('u'))])
    expect(answers.map(({ by }) => by)).toEqual(['t', 't', 'u'])
    const shared = supervised(program({ instances: 'auto' }))
    shared.server.rememberAsking()
    expect(await shared.callOf(mute('t'))).toMatchObject({ by: 'shared' })
  })
})

describe('A program with `instances: "auto"`', () => {
  it('is shared until it asks for a client, then has an instance for each', async () => {
    const { server, opened, events, callOf } = supervised(program({ instances: 'auto' }))
    expect(await callOf(session('a'))).toMatchObject({ by: 'shared' })
    expect([server.asksClients(), server.status().instances]).toEqual([false, { perClient: false, running: 0 }])
    opened[0]?.events.asked(true)
    opened[0]?.events.asked(true)
    expect(server.asksClients()).toBe(true)
    expect(events.filter(({ kind }) => kind === 'asks-clients')).toEqual([{ kind: 'asks-clients', serverId: 's1' }])
    expect(await callOf(session('a'))).toMatchObject({ by: 'a' })
    expect(server.status().instances).toEqual({ perClient: true, running: 1 })
  })

  it('keeps the level that a client set before', async () => {
    const { server, opened, callOf } = supervised(program({ instances: 'auto' }))
    await server.request({ method: 'logging/setLevel', params: { level: 'error' } }, { client: session('a') })
    server.rememberAsking()
    await callOf(session('a'))
    expect(opened[0]?.heard[0]).toEqual({ method: 'logging/setLevel', params: { level: 'error' } })
  })

  it('stays shared with `instances: "shared"`', async () => {
    const { opened, callOf } = supervised(program({ instances: 'shared' }))
    await callOf(session('a'))
    opened[0]?.events.asked(true)
    expect(await callOf(session('a'))).toMatchObject({ by: 'shared' })
  })
})

describe('A server whose callers wait for others', () => {
  it('is contended while calls wait for a turn', async () => {
    const { server, opened, callOf } = supervised(program({ limits: { maxConcurrentCalls: 1 } }))
    const first = callOf(session('a'), 'later')
    await past(0)
    expect(server.isContended()).toBe(false)
    const second = callOf(session('b'))
    expect(server.isContended()).toBe(true)
    opened[0]?.answerAll()
    await Promise.all([first, second])
    expect(server.isContended()).toBe(false)
  })

  it('is contended for a minute after a question that could not be assigned, and not after others', async () => {
    const { server, opened, callOf } = supervised(program({ instances: 'shared' }))
    await callOf(session('a'))
    opened[0]?.events.asked(true)
    expect(server.isContended()).toBe(false)
    opened[0]?.events.asked(false)
    await past(59_000)
    expect(server.isContended()).toBe(true)
    await past(2_000)
    expect(server.isContended()).toBe(false)
  })
})

describe('A server behind a URL', () => {
  it('has a session for each client that it may ask, without a limit, and one for all others', async () => {
    const { server, callOf } = supervised(behindUrl())
    const asking = Array.from({ length: 6 }, (_, at) => callOf(session(`s${at}`)))
    const mute = callOf({ sessionId: 'm', capabilities: {}, answer })
    expect((await Promise.all(asking)).map(({ by }) => by)).toEqual(['s0', 's1', 's2', 's3', 's4', 's5'])
    expect(await mute).toMatchObject({ by: 'shared' })
    expect(server.status().instances).toBeUndefined()
  })
})
