import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError } from '../../errors.ts'
import type { Cancellation } from './cancellation.ts'
import { call, failure } from '../fixtures/pool.case.ts'
import { OpenRequests, type SendOptions } from './open-requests.ts'
import type { ClientLink } from '../server.ts'
import { failureMessage, type ServerSendOptions, type ServerTransport } from './server-transport.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LIMITS = { timeoutMs: 1_000, maxTimeoutMs: 5_000 }
const [A, B] = ['a', 'b'].map((sessionId) => ({ sessionId, capabilities: {} })) as [ClientLink, ClientLink]
type Sent = { id: number; method: string; params: Record<string, unknown>; cancellation?: Cancellation | undefined }

/** Requests over a wire that only remembers what was put on it. */
function opened(parts: Partial<ServerTransport> = {}, envelope?: Record<string, unknown>) {
  const sent: Sent[] = []
  const transport = {
    send: async (message: object, options?: ServerSendOptions) => {
      sent.push({ ...(message as Sent), cancellation: options?.cancellation })
    },
    ...parts,
  } as unknown as ServerTransport
  const requests = new OpenRequests({ id: 's', name: 'cheese' })
  requests.attach(transport, envelope)
  const reply = (id: number, body: object) => requests.receive({ jsonrpc: '2.0', id, ...body } as JSONRPCMessage)
  const progress = (progressToken: number, news: object = {}) =>
    requests.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, ...news } })
  const send = (options: Partial<SendOptions> = {}) => {
    const result = requests.send(call('x'), { ...LIMITS, ...options })
    return { id: sent.at(-1)?.id ?? 0, result }
  }
  return { requests, sent, reply, progress, send }
}

describe('OpenRequests', () => {
  it('mints ids of its own, also as progress tokens, and only where progress is wanted', async () => {
    const { sent, send, reply } = opened()
    const [a, b] = [send(), send({ onProgress: () => {} })]
    expect(a.id).not.toBe(b.id)
    expect(sent.map(({ params }) => params['_meta'])).toEqual([undefined, { progressToken: b.id }])
    reply(b.id, { result: { b: 1 } })
    reply(a.id, { result: { a: 1 } })
    expect(await Promise.all([a.result, b.result])).toEqual([{ a: 1 }, { b: 1 }])
  })

  it('leaves other messages alone, and drops late replies', async () => {
    const { requests, send, reply } = opened()
    const { id, result } = send()
    expect(reply(0, { result: {} })).toBe(false)
    expect(requests.receive({ jsonrpc: '2.0', method: 'notifications/message', params: {} })).toBe(false)
    expect(reply(id, { result: {} })).toBe(true)
    expect(reply(id, { result: { second: true } })).toBe(true)
    expect(await result).toEqual({})
  })

  it('lets progress extend the time, up to the hard maximum, and then cancels at the server', async () => {
    const { sent, send, progress } = opened()
    const seen: unknown[] = []
    const { id, result } = send({ onProgress: (news) => seen.push(news) })
    const failed = failure(result)
    for (let n = 1; n <= 6; n++) {
      vi.advanceTimersByTime(900)
      progress(id, { progress: n })
    }
    expect(seen).toHaveLength(5)
    expect(await failed).toMatchObject({ code: 'SERVER_TIMEOUT', details: { limitMs: 5_000 } })
    expect(sent.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('runs only the hard limit for the requests of a session while its person is being asked', async () => {
    const { requests, send, reply } = opened()
    const [own, other] = [send({ client: A }), send({ client: B })]
    const failed = failure(other.result)
    const answered = requests.whileAsked('a', () => new Promise((resolve) => setTimeout(resolve, 4_000)))
    await vi.advanceTimersByTimeAsync(4_000)
    await answered
    vi.advanceTimersByTime(900)
    reply(own.id, { result: { late: true } })
    expect(await own.result).toEqual({ late: true })
    expect(await failed).toMatchObject({ code: 'SERVER_TIMEOUT', details: { limitMs: 1_000 } })
    expect(vi.getTimerCount()).toBe(0)
  })

  it('ends a question with the last request that it may belong to', async () => {
    const { requests, send, reply } = opened()
    const open = [send({ client: A }), send({ client: A }), send({ client: B })]
    let isOver = false
    const asked = requests.whileAsked('a', (over) => {
      over.addEventListener('abort', () => (isOver = true))
      return new Promise((resolve) => over.addEventListener('abort', resolve))
    })
    const seen = open.map(({ id }) => {
      reply(id, { result: {} })
      return isOver
    })
    await asked
    expect(seen).toEqual([false, true, true])
  })

  it('counts abandoned requests for as long as a request may take', async () => {
    const { requests, send, reply } = opened()
    const cancel = new AbortController()
    const given = failure(send({ client: A, signal: cancel.signal }).result)
    const open = send({ client: B })
    send().result.catch(() => undefined)
    expect([...requests.sessions()].toSorted()).toEqual(['a', 'b'])
    cancel.abort()
    await given
    reply(open.id, { result: {} })
    expect([...requests.sessions()]).toEqual(['a'])
    vi.advanceTimersByTime(4_900)
    expect([...requests.sessions()]).toEqual(['a'])
    vi.advanceTimersByTime(200)
    expect([...requests.sessions()]).toEqual([])
  })

  it('counts an abandoned request until the server answers it, and for half a minute at most', async () => {
    const { requests, send, reply } = opened()
    const abandon = async (client: ClientLink) => {
      const cancel = new AbortController()
      const { id, result } = send({ client, maxTimeoutMs: 600_000, signal: cancel.signal })
      cancel.abort()
      await failure(result)
      return id
    }
    const answered = await abandon(A)
    await abandon(B)
    expect([...requests.sessions()]).toEqual(['a', 'b'])
    reply(answered, { result: {} })
    expect([...requests.sessions()]).toEqual(['b'])
    vi.advanceTimersByTime(29_900)
    expect([...requests.sessions()]).toEqual(['b'])
    vi.advanceTimersByTime(200)
    expect([...requests.sessions()]).toEqual([])
  })

  it('cancels in 2026-07-28 over HTTP by closing the stream, without a notification', async () => {
    const { sent, send } = opened({ hasPerRequestStream: true }, {})
    const cancel = new AbortController()
    const { result } = send({ signal: cancel.signal })
    cancel.abort()
    expect(await failure(result)).toMatchObject({ code: 'CALL_CANCELLED' })
    expect(sent).toHaveLength(1)
    expect(sent[0]?.cancellation?.isCancelled).toBe(true)
  })

  it('does not send what was cancelled before', async () => {
    const { sent, send } = opened()
    expect(await failure(send({ signal: AbortSignal.abort() }).result)).toMatchObject({ code: 'CALL_CANCELLED' })
    expect(sent).toEqual([])
  })

  it("tells a transport's own finding from a server that claims it", async () => {
    const { requests, send, reply } = opened()
    const [found, claimed] = [send(), send()]
    requests.receive(failureMessage(found.id, new GatewayError('REPLY_TOO_LARGE', { reason: 'it is huge' })))
    const claim = JSON.parse(JSON.stringify(failureMessage(claimed.id, new GatewayError('SERVER_CRASHED'))))
    reply(claimed.id, claim)
    expect((await failure(found.result)).message).toContain('"cheese": it is huge')
    expect(await failure(claimed.result)).toMatchObject({ name: 'ServerReplyError' })
  })

  it.each([[null], [[1]], ['text']])('refuses %j as a result', async (result) => {
    const { send, reply } = opened()
    const open = send()
    reply(open.id, { result })
    expect(await failure(open.result)).toMatchObject({ code: 'REPLY_INVALID' })
  })

  it('reports when the last request is settled, and leaves no listener and no timer', async () => {
    const { requests, send, reply } = opened()
    const drained = vi.fn<() => void>()
    requests.onDrained = drained
    const all = [send(), send()]
    for (const { id } of all) reply(id, { result: {} })
    await Promise.all(all.map(({ result }) => result))
    expect(drained).toHaveBeenCalledTimes(1)
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('OpenRequests and the requests of the SDK', () => {
  const request = (id: number | string, method = 'tools/call') => ({ jsonrpc: '2.0' as const, id, method })

  it('finds the id as it was sent, once, even if the server made a string of it', () => {
    const { requests } = opened()
    requests.sent(request(5))
    expect(requests.idFor('5')).toBe(5)
    requests.delivered(5)
    expect(requests.idFor(5)).toBeUndefined()
  })

  it('finds the only request that waits, and counts neither subscriptions nor cancelled ones', () => {
    const { requests } = opened()
    expect(requests.idFor(undefined)).toBeUndefined()
    requests.sent(request('s', 'subscriptions/listen'))
    requests.sent(request(1))
    requests.sent(request(2))
    expect(requests.idFor(undefined)).toBeUndefined()
    requests.sent({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } })
    expect(requests.idFor(undefined)).toBe(2)
    expect(requests.has(1)).toBe(false)
  })

  it('counts its own requests once, until they are settled', async () => {
    const { requests, send, reply, sent } = opened()
    const { id, result } = send()
    requests.sent(sent.at(-1) as unknown as JSONRPCMessage)
    expect([requests.idFor(undefined), requests.idFor(String(id)), requests.has(id)]).toEqual([id, id, true])
    reply(id, { result: {} })
    await result
    expect(requests.has(id)).toBe(false)
  })

  it('does not count replies to the server', () => {
    const { requests } = opened()
    requests.sent({ jsonrpc: '2.0', id: 1, result: {} })
    expect(requests.has(1)).toBe(false)
  })
})
