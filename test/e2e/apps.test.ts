// MCP Apps through tool_execute: the hit, the result and the resource.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askingHttpServer, type AskingHttpServer } from '../kit/asking-server.ts'
import { type ClientKind, type Json, textOf } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

const UI = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const CHART = {
  ...textTool('draw_chart', 'Draw a chart.'),
  _meta: { ui: { resourceUri: 'ui://chart', prefersBorder: true } },
}
const EARLIER = { ...textTool('draw_map', 'Draw a map.'), _meta: { 'ui/resourceUri': 'ui://map' } }
const PLAIN = textTool('add_note', 'Add a note.')

let gateway: TestGateway
let asking: AskingHttpServer

beforeAll(async () => {
  asking = await askingHttpServer()
  const task = { ...textTool('slow_task', 'Do it slowly.'), execution: { taskSupport: 'optional' } }
  const tools = [CHART, EARLIER, PLAIN, task]
  gateway = await gatewayWith({
    servers: {
      one: fixtureServer({ tools, label: 'one', resources: [{ uri: 'x://y', name: 'y' }] }),
      two: fixtureServer({ tools: [CHART], label: 'two', resources: [] }),
      asking: asking.entry,
    },
    endpoints: { meta: { exposure: 'meta-tools', strategy: 'bm25' }, full: { exposure: 'full' } },
  })
})
afterAll(async () => {
  await gateway.stop()
  await asking[Symbol.asyncDispose]()
})

describe.each<ClientKind>(['modern', 'v1'])('a %s client', (kind) => {
  const connected = (capabilities: Json) => gateway.newClient(kind, 'meta', 'test', { capabilities })
  const executed = async (capabilities: Json, toolKey: string): Promise<Json> => {
    const client = await connected(capabilities)
    return client.request('tools/call', { name: 'tool_execute', arguments: { toolKey, arguments: {} } })
  }

  it('gets the resource that shows a result with the result, and reads it', async () => {
    const map = await executed({ extensions: UI }, 'one:draw_map')
    expect(map['_meta']).toMatchObject({ ui: { resourceUri: 'ui://map' } })
    const chart = await executed({ extensions: UI }, 'two:draw_chart')
    expect(chart['_meta']).toMatchObject({ ui: { resourceUri: 'tooldex+two:ui://chart', prefersBorder: true } })
    const client = await connected({ extensions: UI })
    for (const [uri, text] of [
      ['ui://map', 'one: ui://map'],
      ['tooldex+two:ui://chart', 'two: ui://chart'],
    ]) {
      expect((await client.request('resources/read', { uri }))['contents']).toMatchObject([{ uri, text }])
    }
  })

  it('gets results as they came if it does not show apps, or the tool has none', async () => {
    expect((await executed({}, 'one:draw_map'))['_meta'] ?? {}).not.toHaveProperty('ui')
    expect((await executed({ extensions: UI }, 'one:add_note'))['_meta'] ?? {}).not.toHaveProperty('ui')
  })

  it('finds in a search which tools have apps', async () => {
    const client = await connected({})
    const found = await client.call('tool_discovery', { query: ['draw a map', 'add a note'] })
    const { results } = JSON.parse(textOf(found)) as { results: Json[] }
    const marks = Object.fromEntries(results.map(({ toolKey, ui }) => [toolKey, ui]))
    expect(marks).toMatchObject({ 'one:draw_map': true, 'one:add_note': undefined })
  })

  it('finds no tasks in the list', async () => {
    const client = await gateway.client(kind, 'full')
    const tools = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('one__slow_task')
    expect(JSON.stringify(tools)).not.toContain('taskSupport')
  })
})

it('declares the extension of a client to a server at which it has a session', async () => {
  const told = async (capabilities: Json): Promise<Json> => {
    const client = await gateway.newClient('v1', 'meta', 'test', { capabilities })
    return JSON.parse(textOf(await client.call('tool_execute', { toolKey: 'asking:told' })))
  }
  expect((await told({ extensions: UI }))['declared']).toMatchObject({ extensions: UI })
  expect((await told({}))['declared']).not.toHaveProperty('extensions')
})
