// Servers that ask the client back. A program that all clients share cannot name the client: the gateway asks the caller,
// and refuses where there are several.

import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema, ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { askingServer } from '../kit/asking-server.ts'
import { type Json, textOf } from '../kit/clients.ts'
import { gatewayWith, type TestGateway, until } from '../kit/gateway.ts'

type Kind = 'v1' | 'v2' | 'sse' | 'modern'

/** A person with a client: their answers, and the questions they were asked. */
interface Person {
  readonly asked: string[]
  /** Questions that were withdrawn. */
  readonly withdrawn: () => number
  call(tool: string, options?: { signal?: AbortSignal }): Promise<Json>
  /** Breaks the connection. */
  vanish(): void
  close(): Promise<void>
}

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const each of open.splice(0).reverse()) await each.close().catch(() => undefined)
})

const gatewayTo = (era: 'legacy' | 'modern'): Promise<TestGateway> =>
  gatewayWith({
    servers: { s: askingServer(era, { instances: 'shared' }) },
    endpoints: { default: { exposure: 'full' } },
  })

interface Manner {
  readonly capabilities?: Json
  /** Never answers. */
  readonly isSilent?: boolean
  readonly declines?: boolean
}

async function person(gateway: TestGateway, kind: Kind, name: string, manner: Manner = {}): Promise<Person> {
  const asked: string[] = []
  let withdrawn = 0
  const leaving = new AbortController()
  const answer = async (method: string, result: object, signal: AbortSignal): Promise<never> => {
    asked.push(method)
    signal.addEventListener('abort', () => (withdrawn += 1))
    if (manner.isSilent) await new Promise(() => undefined)
    if (manner.declines) throw Object.assign(new Error('No, thank you'), { code: -1 })
    return result as never
  }
  const form = { action: 'accept', content: { name } }
  const said = { role: 'assistant', model: 'm', content: { type: 'text', text: name } }
  const capabilities = { ...(manner.capabilities ?? CAPABILITIES) }
  const url = new URL(`${gateway.url}/${kind === 'sse' ? 'sse' : 'mcp'}`)
  const requestInit = { headers: { Authorization: `Bearer ${gateway.secret()}` } }
  const vanishing = (input: string | URL | Request, init: RequestInit = {}) => {
    const signals = [leaving.signal, ...(init.signal ? [init.signal] : [])]
    return fetch(input, { ...init, signal: AbortSignal.any(signals) })
  }
  const client =
    kind === 'v1'
      ? new FirstClient({ name, version: '1' }, { capabilities })
      : new Client(
          { name, version: '1' },
          { capabilities, ...(kind === 'modern' && { versionNegotiation: { mode: 'auto' } }) },
        )
  if (client instanceof Client) {
    if ('elicitation' in capabilities) {
      client.setRequestHandler('elicitation/create', (_, { mcpReq }) => answer('elicitation', form, mcpReq.signal))
    }
    if ('sampling' in capabilities) {
      client.setRequestHandler('sampling/createMessage', (_, { mcpReq }) => answer('sampling', said, mcpReq.signal))
    }
    const Transport = kind === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
    await client.connect(new Transport(url, { requestInit, fetch: vanishing }))
  } else {
    if ('elicitation' in capabilities) {
      client.setRequestHandler(ElicitRequestSchema, (_, { signal }) => answer('elicitation', form, signal))
    }
    if ('sampling' in capabilities) {
      client.setRequestHandler(CreateMessageRequestSchema, (_, { signal }) => answer('sampling', said, signal))
    }
    const transport = new FirstHttp(url, { requestInit, fetch: vanishing })
    await client.connect(transport as Parameters<FirstClient['connect']>[0])
  }
  open.push(client)
  return {
    asked,
    withdrawn: () => withdrawn,
    call: (tool, options) =>
      client instanceof Client
        ? client.callTool({ name: `s__${tool}` }, options)
        : client.callTool({ name: `s__${tool}` }, undefined, options),
    vanish: () => leaving.abort(),
    close: () => client.close(),
  }
}

const told = async (calling: Promise<Json>): Promise<Json> => JSON.parse(textOf(await calling))

let gateway: TestGateway
let modern: TestGateway
beforeAll(async () => {
  ;[gateway, modern] = await Promise.all([gatewayTo('legacy'), gatewayTo('modern')])
})
afterAll(() => Promise.all([gateway.stop(), modern.stop()]))

describe.each<Kind>(['v1', 'v2', 'sse'])('A program that is shared, asked by a %s client', (kind) => {
  it('has its questions answered by the client that calls it', async () => {
    const ada = await person(gateway, kind, 'Ada')
    expect(await told(ada.call('ask'))).toMatchObject({ action: 'accept', content: { name: 'Ada' } })
    expect(await told(ada.call('sample'))).toMatchObject({ content: { text: 'Ada' } })
    expect(ada.asked).toEqual(['elicitation', 'sampling'])
  })

  it('learns of no capability that it may not use: neither roots nor logins, which would count for all clients', async () => {
    const ada = await person(gateway, kind, 'Ada')
    const { declared } = await told(ada.call('told'))
    expect(declared).toEqual({ elicitation: { form: {} }, sampling: { tools: {} } })
    expect(await told(ada.call('roots'))).toMatchObject({ refused: -32601 })
    expect(await told(ada.call('page'))).toMatchObject({ refused: -32601 })
    expect(ada.asked).toEqual([])
  })

  it('gets a refusal where another client has a call open, and no client is asked', async () => {
    const [ada, eve] = [await person(gateway, kind, 'Ada'), await person(gateway, kind, 'Eve')]
    const waiting = eve.call('wait')
    await eve.call('told')
    expect(await told(ada.call('ask'))).toMatchObject({
      refused: -32600,
      message: expect.stringContaining('The request cannot be assigned to a client'),
    })
    await eve.call('release')
    await waiting
    expect(await told(ada.call('ask'))).toMatchObject({ content: { name: 'Ada' } })
    expect(await told(eve.call('sample'))).toMatchObject({ content: { text: 'Eve' } })
    expect([ada.asked, eve.asked]).toEqual([['elicitation'], ['sampling']])
  })

  it('never has one client answer for another, however their calls overlap', async () => {
    const people = await Promise.all(['Ada', 'Eve', 'Ivy'].map((name) => person(gateway, kind, name)))
    const rounds = Array.from({ length: 8 }, (_, round) => round)
    const answers = await Promise.all(
      people.map(async (each, at) => {
        const heard: Json[] = []
        for (const round of rounds) heard.push(await told(each.call((round + at) % 2 === 0 ? 'ask' : 'sample')))
        return heard
      }),
    )
    answers.forEach((heard, at) => {
      const name = ['Ada', 'Eve', 'Ivy'][at]
      const given = heard.filter(({ refused }) => refused === undefined)
      for (const { content } of given) expect(content.name ?? content.text).toBe(name)
      expect(people[at]?.asked).toHaveLength(given.length)
    })
  })

  it('gets an error where the client did not declare that it can answer', async () => {
    const ada = await person(gateway, kind, 'Ada', { capabilities: { sampling: {} } })
    expect(await told(ada.call('ask'))).toMatchObject({
      refused: -32601,
      message: expect.stringContaining('does not support elicitation/create'),
    })
    expect(await told(ada.call('sample'))).toMatchObject({ content: { text: 'Ada' } })
  })

  it('receives the refusal of the person', async () => {
    const ada = await person(gateway, kind, 'Ada', { declines: true })
    expect(await told(ada.call('ask'))).toMatchObject({
      refused: -1,
      message: expect.stringContaining('No, thank you'),
    })
  })

  it('learns at once that the client is gone', async () => {
    await using own = await gatewayTo('legacy')
    const ada = await person(own, kind, 'Ada', { isSilent: true })
    ada.call('ask').catch(() => undefined)
    await until(() => ada.asked.length === 1)
    ada.vanish()
    await until(() => own.audited().length === 1)
    const eve = await person(own, kind, 'Eve')
    expect((await told(eve.call('told')))['told']).toMatchObject([{ name: 'ask', answer: { refused: -32603 } }])
  })

  it('learns that a call was cancelled, and the question is withdrawn', async () => {
    await using own = await gatewayTo('legacy')
    const ada = await person(own, kind, 'Ada', { isSilent: true })
    const cancel = new AbortController()
    const cancelled = ada.call('ask', { signal: cancel.signal }).catch(() => 'cancelled')
    await until(() => ada.asked.length === 1)
    cancel.abort()
    expect(await cancelled).toBe('cancelled')
    await until(() => ada.withdrawn() === 1)
    // The cancelled call may still run, so no other client is asked for a while.
    const eve = await person(own, kind, 'Eve')
    expect(await told(eve.call('ask'))).toMatchObject({ refused: -32600 })
    expect(eve.asked).toEqual([])
  })
})

describe('A program of 2026-07-28 that is shared', () => {
  it.each<Kind>(['modern', 'v1', 'v2', 'sse'])('asks a %s client by ending with a question', async (kind) => {
    const people = await Promise.all(['Ada', 'Eve'].map((name) => person(modern, kind, name)))
    const answers = await Promise.all(people.map((each) => told(each.call('ask'))))
    expect(answers.map(({ content }) => content.name)).toEqual(['Ada', 'Eve'])
    expect(people.map(({ asked }) => asked)).toEqual([['elicitation'], ['elicitation']])
  })

  it('learns the capabilities of the client, and a client that cannot answer is not asked', async () => {
    for (const kind of ['modern', 'v1'] as const) {
      const mute = await person(modern, kind, 'Mute', { capabilities: {} })
      const outcome = await mute.call('ask').catch((error: Error) => ({ isError: true, message: error.message }))
      expect(outcome).toMatchObject({ isError: true })
      expect(mute.asked).toEqual([])
    }
  })
})
