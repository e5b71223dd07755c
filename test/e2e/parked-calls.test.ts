// Servers of the older revisions ask while they work; a client of 2026-07-28 is asked by the answer to its request, and calls
// again. In between the call is parked. The same holds for programs and for servers behind a URL.

import { createInterface } from 'node:readline'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ToolKey } from '../../packages/gateway/src/model/tool-key.ts'
import { askableClient, type AskableOptions, formOf, wordsOf } from '../kit/askable-client.ts'
import { askingHttpServer, type AskingHttpServer, askingServer } from '../kit/asking-server.ts'
import { type Json, raw, textOf } from '../kit/clients.ts'
import type { ServerEntry } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

const gatewayTo = (entry: ServerEntry): Promise<TestGateway> =>
  gatewayWith({
    servers: { s: entry },
    endpoints: { default: { exposure: 'full' }, other: { exposure: 'full' }, meta: { exposure: 'meta-tools' } },
    tokens: { visitor: {} },
  })

const answerIn = (result: Json): Json => JSON.parse(textOf(result))
/** The state and the only question of a result. */
const question = (result: Json): { requestState: string; key: string; asked: Json } => {
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  const [entry, ...more] = Object.entries(result['inputRequests'] as Json)
  expect([entry, more]).toEqual([expect.anything(), []])
  const [key, asked] = entry as [string, Json]
  return { requestState: result['requestState'], key, asked }
}
/** These tests start programs, possibly on a busy machine. */
const SLOW = { timeout: 30_000 }
const WITHIN_MS = 20_000
const NOT_PARKED = { code: -32602, data: { code: 'CALL_NOT_PARKED' } }
/** A field that makes the SDK answer the request instead of the fast path. */
const THROUGH_SDK = { 'io.modelcontextprotocol/logLevel': 'error' }

describe.each(['a program', 'a server over Streamable HTTP', 'a server over HTTP+SSE'])(
  '%s that asks a client of 2026-07-28',
  SLOW,
  (kind) => {
    let http: AskingHttpServer | undefined
    let gateway: TestGateway
    const open = (entry: ServerEntry = {}) =>
      gatewayTo(
        http === undefined ? askingServer('legacy', { instances: 'shared', ...entry }) : { ...http.entry, ...entry },
      )
    beforeAll(async () => {
      if (kind !== 'a program') http = await askingHttpServer(kind.endsWith('SSE') ? 'sse' : 'http')
      gateway = await open()
    })
    afterAll(async () => {
      await gateway.stop()
      await http?.[Symbol.asyncDispose]()
    })
    const person = (options?: AskableOptions) => askableClient(gateway, options)

    it('gets its answers from a client that answers by itself, in as many rounds as it likes', async () => {
      await using ada = await person()
      expect(answerIn(await ada.call('s__ask'))).toMatchObject(formOf('Ada'))
      expect(answerIn(await ada.call('s__askhere'))).toMatchObject(formOf('Ada'))
      expect(answerIn(await ada.call('s__sample'))).toMatchObject(wordsOf('Ada'))
      expect(answerIn(await ada.call('s__twice'))).toMatchObject([formOf('Ada'), wordsOf('Ada')])
      expect(answerIn(await ada.call('s__both'))).toMatchObject([formOf('Ada'), wordsOf('Ada')])
      const [form, words] = ['elicitation', 'sampling']
      expect(ada.asked.slice(0, 5)).toEqual([form, form, words, form, words])
      expect(ada.asked.slice(5).toSorted()).toEqual([form, words])
    })

    it.each([
      ['on the fast path', {}],
      ['through the SDK', THROUGH_SDK],
    ])('ends the request with its question, and the next one with the result (%s)', async (_, _meta) => {
      await using ada = await person()
      const before = gateway.audited().length
      const first = question(await ada.once('s__ask', { _meta }))
      expect(first.asked).toMatchObject({ method: 'elicitation/create', params: { message: 'Who are you?' } })
      const { key, requestState } = first
      const result = await ada.once('s__ask', { _meta, requestState, inputResponses: { [key]: formOf('Ada') } })
      expect(answerIn(result)).toMatchObject(formOf('Ada'))
      // One entry for each request, as with servers that ask in this way by themselves.
      const entries = gateway.audited().slice(before)
      expect(entries.map(({ outcome }) => outcome)).toEqual(['ok', 'ok'])
      expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(2)
      // A state is good for once.
      await expect(ada.once('s__ask', { _meta, requestState })).rejects.toMatchObject(NOT_PARKED)
      expect(gateway.audited().at(-1)).toMatchObject({ outcome: 'CALL_NOT_PARKED', toolKey: 's:ask' })
    })

    it('asks through tool_execute as well', async () => {
      await using ada = await person({ endpoint: 'meta' })
      const result = await ada.call('tool_execute', { toolKey: 's:ask' })
      expect(answerIn(result)).toMatchObject(formOf('Ada'))
      expect(result).not.toHaveProperty('structuredContent')
      const args = { toolKey: 's:ask', arguments: { a: 1 } }
      const gone = await ada.once('tool_execute', { args, requestState: 'made up' })
      expect(gone).toMatchObject({ isError: true, _meta: { 'io.tooldex/error': { code: 'CALL_NOT_PARKED' } } })
    })

    it.each([
      ['prompts/get', { name: 's__ask' }],
      ['resources/read', { uri: 'test://ask' }],
    ])('asks about %s', async (method, params) => {
      await using ada = await person()
      const { key, requestState } = question(await ada.request(method, params))
      const inputResponses = { [key]: formOf('Ada') }
      // An answer to one question does not answer another.
      await expect(ada.once('s__ask', { requestState, inputResponses })).rejects.toMatchObject(NOT_PARKED)
      const { messages, contents } = await ada.request(method, params, { requestState, inputResponses })
      expect(JSON.parse(messages?.[0].content.text ?? contents?.[0].text)).toMatchObject(formOf('Ada'))
    })

    it('receives the refusal of the person', async () => {
      await using ada = await person({ declines: true })
      expect(answerIn(await ada.call('s__ask'))).toEqual({ action: 'decline' })
    })

    it('asks again after an answer that does not fit', async () => {
      await using ada = await person()
      let { key, requestState } = question(await ada.once('s__ask'))
      for (const answer of [undefined, 'Ada', { content: { name: 'Ada' } }, { action: 'perhaps' }, wordsOf('Ada')]) {
        const inputResponses = { [key]: answer, q99: formOf('Eve') }
        const again = question(await ada.once('s__ask', { requestState, inputResponses }))
        expect(again.key).toBe(key)
        expect(again.requestState).not.toBe(requestState)
        ;({ key, requestState } = again)
      }
      const result = await ada.once('s__ask', { requestState, inputResponses: { [key]: { action: 'cancel' } } })
      expect(answerIn(result)).toEqual({ action: 'cancel' })
    })

    it('learns at once which questions the client cannot answer', async () => {
      await using mute = await person({ capabilities: { sampling: {} } })
      expect(answerIn(await mute.once('s__ask'))['message']).toContain('not support')
      expect(answerIn(await mute.call('s__sample'))).toMatchObject(wordsOf('Ada'))
      expect(mute.asked).toEqual(['sampling'])
      await using ada = await person()
      expect(answerIn(await ada.once('s__roots'))).toMatchObject({ refused: -32601 })
      expect(answerIn(await ada.once('s__page'))).toMatchObject({ refused: -32601 })
    })

    it('is resumed only by its own caller, at its endpoint, and for that call', async () => {
      await using ada = await person()
      const args = { a: 1, b: { c: 2 } }
      const { key, requestState } = question(await ada.once('s__ask', { args }))
      const inputResponses = { [key]: formOf('Eve') }
      const refusals: unknown[] = []
      const tries = async (options: AskableOptions, tool: string, with_: Json): Promise<void> => {
        await using eve = await person({ name: 'Eve', ...options })
        refusals.push(
          await eve.once(tool, { args, requestState, inputResponses, ...with_ }).catch((error: unknown) => error),
        )
      }
      await tries({ token: 'visitor' }, 's__ask', {})
      await tries({ endpoint: 'other' }, 's__ask', {})
      await tries({}, 's__sample', {})
      await tries({}, 's__ask', { args: { a: 1, b: { c: 3 } } })
      await tries({}, 's__ask', { requestState: `${requestState}x` })
      // The state of another caller looks like one that never existed.
      const [{ message, data }] = refusals as [{ message: string; data: unknown }]
      for (const refusal of refusals) expect(refusal).toMatchObject({ ...NOT_PARKED, message, data })
      expect(message).toContain('Make the call again')
      // The call was not affected.
      const sameArguments = { b: { c: 2 }, a: 1 }
      const result = await ada.once('s__ask', {
        args: sameArguments,
        requestState,
        inputResponses: { [key]: formOf('Ada') },
      })
      expect(answerIn(result)).toMatchObject(formOf('Ada'))
    })

    it('is not resumed by another gateway', async () => {
      await using ada = await person()
      const { key, requestState } = question(await ada.once('s__ask'))
      await using another = await open()
      await using lost = await askableClient(another)
      const inputResponses = { [key]: formOf('Ada') }
      await expect(lost.once('s__ask', { requestState, inputResponses })).rejects.toMatchObject(NOT_PARKED)
      await ada.once('s__ask', { requestState, inputResponses })
    })

    it('may finish while the client is away: the result waits', async () => {
      await using ada = await person()
      const { requestState } = question(await ada.once('s__hasty'))
      await ada.once('s__release')
      expect(answerIn(await ada.once('s__hasty', { requestState }))).toBe('did without')
    })

    it('reports progress to the request that waits', async () => {
      // Not with an SDK, which may drop a notification right before an answer.
      const told = (more: Json, progressToken: string) => allTold(gateway, 's__slowly', more, progressToken)
      const [progress, asked, ...others] = await told({}, 'one')
      expect([progress, others]).toMatchObject([{ params: { progress: 1, progressToken: 'one' } }, []])
      const { key, requestState } = question(asked?.['result'])
      const after = await told({ requestState, inputResponses: { [key]: formOf('Ada') } }, 'two')
      expect(after).toMatchObject([{ params: { progress: 2, progressToken: 'two' } }, { result: { content: [{}] } }])
    })

    it('is stopped when the client cancels the request with the answers', async () => {
      await using own = await open()
      await using ada = await askableClient(own)
      const { key, requestState } = question(await ada.once('s__linger'))
      const cancel = new AbortController()
      const inputResponses = { [key]: formOf('Ada') }
      const going = ada.once('s__linger', { requestState, inputResponses, signal: cancel.signal })
      going.catch(() => undefined)
      await until(async () => toldTo(await ada.once('s__told'), 'heard').length === 1, WITHIN_MS)
      cancel.abort()
      expect(await going.catch(() => 'cancelled')).toBe('cancelled')
      await until(async () => toldTo(await ada.once('s__told'), 'linger').length === 1, WITHIN_MS)
      await until(() => own.audited().some(({ outcome }) => outcome === 'CALL_CANCELLED'), WITHIN_MS)
      await expect(ada.once('s__linger', { requestState })).rejects.toMatchObject(NOT_PARKED)
    })

    it('is cancelled when its caller does not return in time', async () => {
      await using own = await open({ limits: { callTimeoutMs: 3_000, maxCallTimeoutMs: 3_000 } })
      await using ada = await askableClient(own)
      const before = toldTo(await ada.once('s__told'), 'ask').length
      const { requestState } = question(await ada.once('s__ask'))
      await until(async () => toldTo(await ada.once('s__told'), 'ask').length > before, WITHIN_MS)
      const late = await ada.once('s__ask', { requestState }).catch((error: Json) => error)
      expect(['SERVER_TIMEOUT', 'CALL_NOT_PARKED']).toContain(late['data'].code)
    })

    it('that stops meanwhile makes the resumed call fail', async () => {
      await using own = await open()
      await using ada = await askableClient(own)
      const { requestState } = question(await ada.once('s__ask'))
      await own.inside.pool.get('s')?.restart()
      await expect(ada.once('s__ask', { requestState })).rejects.toMatchObject({ data: { code: 'SERVER_STOPPED' } })
    })

    it('keeps no gateway from stopping', async () => {
      const own = await open()
      await using ada = await askableClient(own)
      question(await ada.once('s__ask'))
      await expect(own.stop()).resolves.toBeUndefined()
    })

    it('never has one client answer for another, however their calls overlap', async () => {
      const people = await Promise.all(['Ada', 'Eve', 'Ivy'].map((name) => person({ name })))
      const answers = await Promise.all(
        people.map(async (each, at) => {
          const heard: Json[] = []
          for (let round = 0; round < 10; round++) {
            heard.push(answerIn(await each.call((round + at) % 2 === 0 ? 's__ask' : 's__sample')))
          }
          return heard
        }),
      )
      answers.forEach((heard, at) => {
        const given = heard.filter(({ refused }) => refused === undefined)
        for (const { content } of given) expect(content.name ?? content.text).toBe(['Ada', 'Eve', 'Ivy'][at])
        expect(people[at]?.asked).toHaveLength(given.length)
        // Behind a URL each call has a connection of its own, so that no call is refused.
        if (http !== undefined) expect(given).toHaveLength(10)
      })
      for (const each of people) await each[Symbol.asyncDispose]()
    })
  },
)

describe('Two clients of 2026-07-28 at once', SLOW, () => {
  it('get no questions of a program that both call: only a lone caller is asked, and a parked call counts', async () => {
    await using gateway = await gatewayTo(askingServer('legacy', { instances: 'shared' }))
    await using ada = await askableClient(gateway)
    await using eve = await askableClient(gateway, { name: 'Eve' })
    const { key, requestState } = question(await ada.once('s__ask'))
    expect(answerIn(await eve.once('s__ask'))).toMatchObject({
      refused: -32600,
      message: expect.stringContaining('The request cannot be assigned to a client'),
    })
    const inputResponses = { [key]: formOf('Ada') }
    expect(answerIn(await ada.once('s__ask', { requestState, inputResponses }))).toMatchObject(formOf('Ada'))
    expect(answerIn(await eve.call('s__ask'))).toMatchObject(formOf('Eve'))
  })

  it('are both asked by a server behind a URL, where each call has a connection', async () => {
    await using http = await askingHttpServer()
    await using gateway = await gatewayTo(http.entry)
    await using ada = await askableClient(gateway)
    await using eve = await askableClient(gateway, { name: 'Eve' })
    const first = question(await ada.once('s__ask'))
    expect(answerIn(await eve.call('s__ask'))).toMatchObject(formOf('Eve'))
    const inputResponses = { [first.key]: formOf('Ada') }
    const result = await ada.once('s__ask', { requestState: first.requestState, inputResponses })
    expect(answerIn(result)).toMatchObject(formOf('Ada'))
  })

  it('declare to a server behind a URL their own capabilities, and no more', async () => {
    await using http = await askingHttpServer()
    await using gateway = await gatewayTo(http.entry)
    const declared = async (capabilities: Json): Promise<unknown> => {
      await using client = await askableClient(gateway, { capabilities })
      return answerIn(await client.once('s__told'))['declared']
    }
    const all = { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} }
    expect(await declared(all)).toEqual({ elicitation: { form: {} }, sampling: { tools: {} } })
    expect(await declared({ sampling: {} })).toEqual({ sampling: {} })
    expect(await declared({ roots: {} })).toEqual({})
    expect(await declared({})).toEqual({})
  })
})

describe('The reference server', SLOW, () => {
  it('asks a client of 2026-07-28 for a form and for a completion', async () => {
    const main = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
    await using gateway = await gatewayTo({ command: process.execPath, args: [main, 'stdio'] })
    await using ada = await askableClient(gateway)
    // It lists these only once it knows that they can be answered.
    const keys = ['s:trigger-elicitation-request', 's:trigger-sampling-request']
    const { catalog } = gateway.inside
    await until(() => keys.every((key) => catalog.snapshot().tools.has(key as ToolKey)), WITHIN_MS)
    const form = await ada.call('s__trigger-elicitation-request')
    expect(JSON.stringify(form['content'])).toContain('Ada')
    const sample = await ada.call('s__trigger-sampling-request', { prompt: 'Say something', maxTokens: 10 })
    expect(JSON.stringify(sample['content'])).toContain('Ada')
    expect(ada.asked).toEqual(['elicitation', 'sampling'])
  })
})

describe('A client of 2026-07-28 over standard streams', SLOW, () => {
  it('is asked by the answer to its request, and answers with the next one', async () => {
    await using gateway = await gatewayTo(askingServer('legacy'))
    const [input, output] = [new PassThrough(), new PassThrough()]
    const principal = { tokenId: 't', name: 'T', readOnly: false }
    const served = gateway.inside.serveStdio(() => principal, { input, output })
    const lines = createInterface(output)[Symbol.asyncIterator]()
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
      'io.modelcontextprotocol/clientInfo': { name: 'Ada', version: '1' },
    }
    const call = async (id: number, more: Json): Promise<Json> => {
      const params = { name: 's__ask', arguments: {}, _meta, ...more }
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })}\n`)
      const { value } = await lines.next()
      return (JSON.parse(value as string) as Json)['result']
    }
    const { key, requestState } = question(await call(1, {}))
    const result = await call(2, { requestState, inputResponses: { [key]: formOf('Ada') } })
    expect(answerIn(result)).toMatchObject(formOf('Ada'))
    input.end()
    await served
  })
})

/** The outcomes of a tool's questions, as the server recorded them. */
function toldTo(result: Json, tool: string): readonly Json[] {
  return (answerIn(result)['told'] as Json[]).filter(({ name }) => name === tool)
}

/** Every message that a call without an SDK is answered with. */
async function allTold(gateway: TestGateway, name: string, more: Json, progressToken: string): Promise<Json[]> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
    progressToken,
  }
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {}, _meta, ...more } }
  const { text } = await raw(`${gateway.url}/mcp`, body, {
    authorization: `Bearer ${gateway.secret()}`,
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
  })
  const events = text.split('\n').filter((line) => line.startsWith('data: '))
  return events.map((line) => JSON.parse(line.slice('data: '.length)) as Json).filter((message) => 'jsonrpc' in message)
}
