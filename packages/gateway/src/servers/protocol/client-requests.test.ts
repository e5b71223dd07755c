import { describe, expect, it } from 'vitest'
import { call } from '../fixtures/pool.case.ts'
import type { ClientLink } from '../server.ts'
import { type Asked, ClientRequests } from './client-requests.ts'
import { OpenRequests } from './open-requests.ts'
import type { ServerTransport } from './server-transport.ts'

const FORM = { method: 'elicitation/create', params: {} }
const ROOTS = { method: 'roots/list' }
const NEVER = new AbortController().signal
const DECLARED = { elicitation: { form: {} }, roots: {} }

/** A connection with one open call, whose client answers when the test says so. */
function asking(asked: Asked, declared: ClientLink['capabilities'] = DECLARED) {
  const requests = new OpenRequests({ id: 's', name: 'cheese' })
  let id = 0
  const send = async (message: { id: number }) => void (id = message.id)
  requests.attach({ send } as unknown as ServerTransport)
  const assigned: boolean[] = []
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>()
  let over: AbortSignal | undefined
  const client: ClientLink = {
    sessionId: 'a',
    capabilities: DECLARED,
    answer: (_, signal) => {
      over = signal
      return promise
    },
  }
  const begin = (owner = client) => {
    requests.send(call('x'), { timeoutMs: 1_000, maxTimeoutMs: 1_000, client: owner }).catch(() => undefined)
    return () => void requests.receive({ jsonrpc: '2.0', id, result: {} })
  }
  const questions = new ClientRequests({
    ...{ requests, asked, declared, instances: 'auto', owner: () => client },
    onAsked: (isAssigned) => assigned.push(isAssigned),
  })
  return { questions, begin, client, assigned, answerWith: resolve, isOver: () => over?.aborted }
}

describe('ClientRequests of an instance with an owner', () => {
  it('withdraws a form with the call that it belongs to', async () => {
    const { questions, begin, answerWith, isOver } = asking('owner')
    const end = begin()
    const answer = questions.answer(FORM, NEVER)
    end()
    expect(isOver()).toBe(true)
    answerWith({})
    await answer
  })

  it('needs the folders of the client whatever becomes of its calls', async () => {
    const { questions, begin, answerWith, isOver } = asking('owner')
    const end = begin()
    const answer = questions.answer(ROOTS, NEVER)
    end()
    expect(isOver()).toBe(false)
    answerWith({ roots: [{ uri: 'file:///a' }] })
    expect(await answer).toEqual({ roots: [{ uri: 'file:///a' }] })
  })

  it('refuses what the server was not told that it may ask', async () => {
    const { questions, begin } = asking('owner', { elicitation: {} })
    begin()
    await expect(questions.answer(ROOTS, NEVER)).rejects.toMatchObject({ code: -32601 })
  })
})

describe('ClientRequests of the shared instance', () => {
  it('has no folders, and learns from the question that the server asks', async () => {
    const { questions, assigned } = asking('caller')
    expect(await questions.answer(ROOTS, NEVER)).toEqual({ roots: [] })
    expect(assigned).toEqual([true])
  })

  it('reports a form that may belong to several clients, and refuses it with the remedy', async () => {
    const { questions, begin, client, assigned } = asking('caller')
    begin()
    begin({ ...client, sessionId: 'b' })
    await expect(questions.answer(FORM, NEVER)).rejects.toMatchObject({
      code: -32600,
      message: expect.stringContaining('make the call again'),
    })
    expect(assigned).toEqual([false])
  })
})
