import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { GatewayError, ServerReplyError } from '../errors.ts'
import type { ClientLink } from '../servers/server.ts'
import { type CallIdentity, isAskedByResult, ParkedCalls } from './parked-calls.ts'
import {
  FORM,
  KEPT_MS,
  RESULT,
  SAMPLE,
  WORDS,
  YES,
  begun,
  identity,
  parked,
  roundOf,
  type Parked,
} from './parked-calls.case.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('A call without questions', () => {
  it('ends as its server ends it, and takes no place', async () => {
    const calls = new ParkedCalls()
    const [done, failed] = [begun(calls), begun(calls)]
    done.finish(RESULT)
    failed.fail(new GatewayError('SERVER_CRASHED'))
    expect(await done.first).toBe(RESULT)
    await expect(failed.first).rejects.toMatchObject({ code: 'SERVER_CRASHED' })
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('is cancelled with its request', async () => {
    const cancel = new AbortController()
    const { first } = begun(new ParkedCalls(), { round: roundOf({ signal: cancel.signal }) })
    cancel.abort()
    await expect(first).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
    const late = begun(new ParkedCalls(), { round: roundOf({ signal: AbortSignal.abort() }) })
    expect(late.isCancelled()).toBe(true)
  })
})

describe('A parked call', () => {
  it('has all questions that came together in one result, and goes on with all answers', async () => {
    const calls = new ParkedCalls()
    const { ask, finish, first } = begun(calls)
    const answers = [ask(FORM), ask(SAMPLE)]
    const { requestState, inputRequests } = await parked(first)
    expect(inputRequests).toEqual({ q1: FORM, q2: SAMPLE })
    const next = calls.proceed(requestState, identity(), roundOf(), { q1: YES, q2: WORDS, q3: YES })
    expect(await Promise.all(answers)).toEqual([YES, WORDS])
    finish(RESULT)
    expect(await next).toBe(RESULT)
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('has a new state and new keys in each round', async () => {
    const calls = new ParkedCalls()
    const { ask, first } = begun(calls)
    void ask(FORM)
    const one = await parked(first)
    const next = calls.proceed(one.requestState, identity(), roundOf(), { q1: YES })
    void ask(FORM)
    const two = await parked(next)
    expect(two.requestState).not.toBe(one.requestState)
    expect(Object.keys(two.inputRequests)).toEqual(['q2'])
    expect(calls.proceed(one.requestState, identity(), roundOf(), { q2: YES })).toBeUndefined()
  })

  it('asks in the next round what was asked too late, or was not answered', async () => {
    const calls = new ParkedCalls()
    const { ask, first } = begun(calls)
    const answered = ask(FORM)
    const unanswered = ask(FORM)
    const { requestState } = await parked(first)
    const late = ask(SAMPLE)
    const next = await parked(calls.proceed(requestState, identity(), roundOf(), { q1: YES, q2: WORDS }))
    expect(await answered).toEqual(YES)
    expect(next.inputRequests).toEqual({ q2: FORM, q3: SAMPLE })
    void calls.proceed(next.requestState, identity(), roundOf(), { q2: { action: 'decline' }, q3: WORDS })
    expect(await Promise.all([unanswered, late])).toEqual([{ action: 'decline' }, WORDS])
  })

  it('does not ask cancelled questions', async () => {
    const calls = new ParkedCalls()
    const { ask, finish, first } = begun(calls)
    const back = new AbortController()
    const asked = ask(FORM, back.signal)
    back.abort()
    await expect(asked).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
    await vi.advanceTimersByTimeAsync(50)
    finish(RESULT)
    expect(await first).toBe(RESULT)
  })

  it('asks only what the latest request declares, and never what others would inherit', async () => {
    const calls = new ParkedCalls()
    const capabilities = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
    const { ask, first } = begun(calls, { round: roundOf({ capabilities }) })
    const refused = { rpcCode: -32_601 }
    await expect(ask({ method: 'roots/list' })).rejects.toMatchObject(refused)
    await expect(ask({ method: 'elicitation/create', params: { mode: 'url' } })).rejects.toMatchObject(refused)
    await expect(ask({ method: 'sampling/createMessage', params: { tools: [] } })).rejects.toMatchObject(refused)
    await expect(ask({ method: 'made/up' })).rejects.toMatchObject(refused)
    const [form, sample] = [ask(FORM), ask(SAMPLE)]
    const { requestState } = await parked(first)
    const next = calls.proceed(requestState, identity(), roundOf({ capabilities: { sampling: {} } }), {})
    await expect(form).rejects.toBeInstanceOf(ServerReplyError)
    expect((await parked(next)).inputRequests).toEqual({ q2: SAMPLE })
    void sample
  })

  it('keeps the result until the client is back', async () => {
    const calls = new ParkedCalls()
    const [done, failed] = [begun(calls), begun(calls)]
    for (const each of [done, failed]) void each.ask(FORM)
    const states = [await parked(done.first), await parked(failed.first)].map(({ requestState }) => requestState)
    done.finish(RESULT)
    failed.fail(new GatewayError('SERVER_CRASHED'))
    await vi.advanceTimersByTimeAsync(KEPT_MS / 2)
    expect(await calls.proceed(states[0], identity(), roundOf(), undefined)).toBe(RESULT)
    await expect(calls.proceed(states[1], identity(), roundOf(), {})).rejects.toMatchObject({ code: 'SERVER_CRASHED' })
    expect([calls.size, vi.getTimerCount()]).toEqual([0, 0])
  })

  it('is abandoned when its time is over: it is cancelled at the server, and the state is forgotten', async () => {
    const calls = new ParkedCalls()
    const { ask, first, isCancelled } = begun(calls)
    void ask(FORM)
    const { requestState } = await parked(first)
    await vi.advanceTimersByTimeAsync(KEPT_MS - 100)
    expect(isCancelled()).toBe(false)
    await vi.advanceTimersByTimeAsync(100)
    expect([isCancelled(), calls.size]).toEqual([true, 0])
    expect(calls.proceed(requestState, identity(), roundOf(), { q1: YES })).toBeUndefined()
    await expect(ask(FORM)).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
  })

  it('is abandoned when the gateway stops', async () => {
    const calls = new ParkedCalls()
    const { ask, first, isCancelled } = begun(calls)
    void ask(FORM)
    await parked(first)
    calls.close()
    expect([isCancelled(), calls.size, vi.getTimerCount()]).toEqual([true, 0, 0])
  })

  it('is not cancelled by the request that it left, but by the one that it is in', async () => {
    const calls = new ParkedCalls()
    const [left, present] = [new AbortController(), new AbortController()]
    const { ask, first, isCancelled } = begun(calls, { round: roundOf({ signal: left.signal }) })
    void ask(FORM)
    const { requestState } = await parked(first)
    left.abort()
    const next = calls.proceed(requestState, identity(), roundOf({ signal: present.signal }), { q1: YES })
    expect(isCancelled()).toBe(false)
    present.abort()
    await expect(next).rejects.toMatchObject({ code: 'CALL_CANCELLED' })
    expect([isCancelled(), calls.size]).toEqual([true, 0])
  })

  it('reports progress to the open request, under its token', async () => {
    const calls = new ParkedCalls()
    const heard: unknown[] = []
    const round = (progressToken: string) => roundOf({ progressToken, notify: ({ params }) => heard.push(params) })
    const { ask, report, first } = begun(calls, { round: round('one') })
    report(1)
    void ask(FORM)
    const { requestState } = await parked(first)
    report(2)
    void calls.proceed(requestState, identity(), round('two'), { q1: YES })
    report(3)
    expect(heard).toEqual([
      { progress: 1, progressToken: 'one' },
      { progress: 3, progressToken: 'two' },
    ])
  })

  it('asks without what belongs to a conversation that is not there', async () => {
    const { ask, first } = begun(new ParkedCalls())
    void ask({ ...FORM, params: { ...FORM.params, _meta: { progressToken: 1, kept: true } } })
    void ask({ ...FORM, params: { ...FORM.params, _meta: { progressToken: 2 } } })
    const { q1, q2 } = (await parked(first)).inputRequests
    expect([q1?.params?.['_meta'], q2?.params?.['_meta']]).toEqual([{ kept: true }, undefined])
  })
})

describe('The places for parked calls', () => {
  it('are limited, per token and in all; a call without one is not asked and goes on', async () => {
    const calls = new ParkedCalls({ perToken: 2, total: 3 })
    const of = (tokenId: string) => begun(calls, { who: identity({ tokenId }) })
    const [one, two, three] = [of('a'), of('a'), of('a')]
    const states = [parked((void one.ask(FORM), one.first)), parked((void two.ask(FORM), two.first))]
    await expect(three.ask(FORM)).rejects.toMatchObject({ rpcCode: -32_600 })
    const other = of('b')
    void other.ask(FORM)
    await expect(of('c').ask(FORM)).rejects.toMatchObject({ rpcCode: -32_600 })
    three.finish(RESULT)
    expect(await three.first).toBe(RESULT)
    const { requestState } = (await Promise.all(states))[0] as Parked
    one.finish(RESULT)
    await calls.proceed(requestState, identity({ tokenId: 'a' }), roundOf(), {})
    const next = of('a')
    void next.ask(FORM)
    await parked(next.first)
    expect(calls.size).toBe(3)
  })
})

describe('A state', () => {
  const who = fc.record({
    tokenId: fc.constantFrom('t', 'u', 't"', '__proto__'),
    endpointId: fc.constantFrom('e', 'f', 't'),
    what: fc.tuple(
      fc.constantFrom('p', 'q'),
      fc.constantFrom('s:tool', 's:other'),
      fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }),
    ),
  })
  /** Two calls that differ in one thing, in many, or in nothing. */
  const pair = fc.tuple(who, who, fc.nat(5)).map(([mine, other, at]): [CallIdentity, CallIdentity] => {
    const { tokenId, endpointId } = other
    const [project, tool, args] = mine.what
    const near: readonly CallIdentity[] = [
      { ...mine, tokenId },
      { ...mine, endpointId },
      { ...mine, what: [other.what[0], tool, args] },
      { ...mine, what: [project, other.what[1], args] },
      { ...mine, what: [project, tool, other.what[2]] },
    ]
    return [mine, near[at] ?? other]
  })
  /** The same with the keys of all objects the other way round. */
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .map(([key, each]) => [key, turned(each)])
        .toReversed(),
    )
  }

  it('is valid for the call that it belongs to, and for no other', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([mine, others]) => {
        const calls = new ParkedCalls()
        const { ask, first, finish } = begun(calls, { who: mine })
        void ask(FORM)
        const { requestState } = await parked(first)
        finish(RESULT)
        const isSame = JSON.stringify(sorted(mine)) === JSON.stringify(sorted(others))
        expect(calls.proceed(requestState, others, roundOf(), {}) !== undefined).toBe(isSame)
        const own = turned(mine) as CallIdentity
        expect(calls.proceed(requestState, own, roundOf(), {}) !== undefined).toBe(!isSame)
      }),
    )
  })

  it('cannot be made up', async () => {
    const calls = new ParkedCalls()
    const { ask, first } = begun(calls)
    void ask(FORM)
    const { requestState } = await parked(first)
    expect(Buffer.from(requestState, 'base64url')).toHaveLength(32)
    const near = fc.oneof(
      fc.anything(),
      fc.string(),
      fc.nat(requestState.length).map((at) => `${requestState.slice(0, at)}_${requestState.slice(at)}`),
      fc.nat(requestState.length - 1).map((at) => requestState.slice(0, at)),
    )
    fc.assert(
      fc.property(near, (made) => {
        expect(calls.proceed(made, identity(), roundOf(), { q1: YES })).toBeUndefined()
      }),
    )
    expect(calls.proceed(requestState, identity(), roundOf(), { q1: YES })).toBeDefined()
  })
})

describe('isAskedByResult', () => {
  it('is true for clients that declare what they can be asked and cannot be asked otherwise', () => {
    const client = (capabilities: ClientLink['capabilities']): ClientLink => ({ sessionId: 'r', capabilities })
    expect(isAskedByResult(client({ elicitation: {} }))).toBe(true)
    expect(isAskedByResult(client({ sampling: {} }))).toBe(true)
    expect(isAskedByResult(client({ roots: {} }))).toBe(false)
    expect(isAskedByResult({ ...client({ sampling: {} }), answer: async () => ({}) })).toBe(false)
    expect(isAskedByResult(undefined)).toBe(false)
  })
})

/** With the keys of all objects in order, by another way than the code's own. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = new Map(Object.entries(value))
  return [...entries.keys()].toSorted().map((key) => [key, sorted(entries.get(key))])
}
