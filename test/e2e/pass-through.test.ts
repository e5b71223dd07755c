// What a client gets from the reference server on a direct connection, it gets through the gateway, alone and with others at
// the same time.

import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { npmServer } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'
import { CHECKS, outcomes, visit, type Visitor } from '../kit/pass-through.ts'

const SERVER = npmServer('everything', ['stdio'])
const SLOW = { timeout: 120_000 }

type Outcomes = Readonly<Record<string, unknown>>
let gateway: TestGateway
let [ofAda, ofEve]: Outcomes[] = []

async function direct(name: string): Promise<Outcomes> {
  const { command, args } = SERVER as { command: string; args: string[] }
  await using visitor = await visit(new StdioClientTransport({ command, args, stderr: 'ignore' }), name)
  return await outcomes(visitor)
}

interface How {
  readonly endpoint?: string
  readonly prefix?: string
  readonly token?: string
  readonly transport?: 'http' | 'sse'
}

function throughGateway(name: string, how: How = {}): Promise<Visitor> {
  const { endpoint = 'default', prefix = 's__', token = 'test', transport = 'http' } = how
  const url = new URL(`${gateway.url}/${endpoint}/${transport === 'sse' ? 'sse' : 'mcp'}`)
  const requestInit = { headers: { Authorization: `Bearer ${gateway.secret(token)}` } }
  const Chosen = transport === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  return visit(new Chosen(url, { requestInit }) as Transport, name, prefix)
}

beforeAll(async () => {
  gateway = await gatewayWith({
    servers: { s: SERVER },
    endpoints: { default: { exposure: 'full' }, plain: { transparent: true } },
    tokens: { other: {} },
  })
  ofAda = await direct('Ada')
  ofEve = await direct('Eve')
}, 120_000)
afterAll(() => gateway.stop())

describe('The reference server', SLOW, () => {
  it('passes every check on a direct connection, with outcomes that name the client', () => {
    expect(Object.keys(CHECKS).length).toBeGreaterThan(29)
    expect(ofAda).toMatchObject({
      'a text': { content: [{ text: 'Echo: Grüße 👋' }] },
      'a missing argument': [true, true],
      'a tool that does not exist': true,
      'a prompt that does not exist': true,
      'progress, event by event': [[{ progress: 1 }, { progress: 2 }, { progress: 3 }, { progress: 4 }], {}],
      'no progress where none was asked for': [],
    })
    const namesAda = ['roots', 'sampling', 'a form that is filled in']
    for (const name of namesAda) expect(JSON.stringify(ofAda?.[name])).toContain('Ada')
    expect(JSON.stringify(ofAda?.['changed roots'])).toContain('elsewhere')
  })

  it.each<[string, How]>([
    ['through a transparent endpoint', { endpoint: 'plain', prefix: '' }],
    ['through an endpoint for all servers', {}],
    ['over HTTP+SSE', { transport: 'sse' }],
  ])('[U10] gives a client that is alone what it gives directly, %s', async (_, how) => {
    await using ada = await throughGateway('Ada', how)
    expect(await outcomes(ada)).toEqual(ofAda)
  })

  it.each<[string, How, How]>([
    ['of one token', {}, {}],
    ['of two tokens', {}, { token: 'other' }],
    ['over different transports', { transport: 'sse' }, { endpoint: 'plain', prefix: '' }],
  ])('[U10] gives two clients at once, %s, what it gives each directly', async (_, one, other) => {
    await using ada = await throughGateway('Ada', one)
    await using eve = await throughGateway('Eve', other)
    const all = await Promise.all([outcomes(ada), outcomes(eve)])
    expect(all).toEqual([ofAda, ofEve])
  })
})
