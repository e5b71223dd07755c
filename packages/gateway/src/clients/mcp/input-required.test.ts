import { describe, expect, it } from 'vitest'
import { ENDPOINTS } from '../http/listener.case.ts'
import { withInput } from './input-required.ts'
import type { JsonObject } from '@tooldex/http-kit/json'
import type { RpcMessage, Caller } from './requests/request-handler.ts'

const FORM = { method: 'elicitation/create', params: { message: '?', requestedSchema: {} } }

function callerWith(changes: Partial<Caller>): Caller {
  return {
    principal: { tokenId: 'a', name: 'A', readOnly: false },
    endpoint: ENDPOINTS[0] as Caller['endpoint'],
    era: 'legacy',
    protocolVersion: '2025-11-25',
    requestId: 'r',
    from: {},
    clientCapabilities: { elicitation: {}, sampling: {}, roots: {} },
    signal: new AbortController().signal,
    notify: () => undefined,
    ask: async ({ method }) => ({ answered: method }),
    ...changes,
  }
}

/** A server that wants input before each of these results. */
function server(...results: JsonObject[]) {
  const asked: RpcMessage[] = []
  return {
    asked,
    handle: async (request: RpcMessage) => (asked.push(request), results[asked.length - 1] ?? { content: [] }),
  }
}

const CALL: RpcMessage = { method: 'tools/call', params: { name: 't', arguments: { a: 1 }, _meta: { k: 1 } } }
const wants = (inputRequests: JsonObject, requestState?: string) => ({
  resultType: 'input_required',
  inputRequests,
  requestState,
})

/** Calls the server, and asks the client if needed. */
async function answered(request: RpcMessage, caller: Caller, handle: (request: RpcMessage) => Promise<JsonObject>) {
  const first = await handle(request)
  return withInput(first, request, caller, handle)
}

describe('A server that asks for input', () => {
  it('is called again with the answers of the client, its state, and the same parameters', async () => {
    const { asked, handle } = server(wants({ q: FORM, r: { method: 'roots/list' } }, 'state'), wants({}, 'more'))
    expect(await answered(CALL, callerWith({}), handle)).toEqual({ content: [] })
    const inputResponses = { q: { answered: 'elicitation/create' }, r: { answered: 'roots/list' } }
    expect(asked[1]?.params).toEqual({ ...CALL.params, inputResponses, requestState: 'state' })
    expect(asked[2]?.params).toEqual({ ...CALL.params, requestState: 'more' })
  })

  it('gets an elicitation id for a URL, as clients of that era expect', async () => {
    const sent: RpcMessage[] = []
    const caller = callerWith({
      clientCapabilities: { elicitation: { url: {} } },
      ask: async (request) => (sent.push(request), {}),
    })
    const url = { method: 'elicitation/create', params: { mode: 'url', url: 'https://example.test', message: '!' } }
    await answered(CALL, caller, server(wants({ q: url })).handle)
    expect(sent[0]?.params?.['elicitationId']).toEqual(expect.any(String))
  })

  it.each([
    ['a client that did not declare it', callerWith({ clientCapabilities: {} }), FORM],
    ['a client that only does forms', callerWith({}), { method: 'elicitation/create', params: { mode: 'url' } }],
    ['a client without tools in sampling', callerWith({}), { method: 'sampling/createMessage', params: { tools: [] } }],
    ['an unknown kind', callerWith({}), { method: 'made/up' }],
    ['nonsense', callerWith({}), 7],
    ['a client that refuses', callerWith({ ask: () => Promise.reject(new Error('no')) }), FORM],
  ])('fails with a readable text: %s', async (_, caller, request) => {
    const result = await answered(CALL, caller, server(wants({ q: request })).handle)
    expect(result).toMatchObject({ isError: true, content: [{ type: 'text' }] })
    const prompt = { method: 'prompts/get', params: { name: 'p' } }
    await expect(answered(prompt, caller, server(wants({ q: request })).handle)).rejects.toMatchObject({
      rpcCode: -32603,
    })
  })

  it('is not called for ever', async () => {
    const { asked, handle } = server(...Array.from({ length: 20 }, () => wants({ q: FORM })))
    expect(await answered(CALL, callerWith({}), handle)).toMatchObject({ isError: true })
    expect(asked).toHaveLength(9)
  })

  it('reaches a client of 2026-07-28 unchanged, if it has the capability', async () => {
    const { ask: _, ...caller } = callerWith({ era: 'modern' })
    const result = wants({ q: FORM }, 's')
    expect(await answered(CALL, caller, server(result).handle)).toBe(result)
    await expect(answered(CALL, { ...caller, clientCapabilities: {} }, server(result).handle)).rejects.toMatchObject({
      rpcCode: -32021,
      data: { requiredCapabilities: { elicitation: { form: {} } } },
    })
  })
})
