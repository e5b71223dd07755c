// Replies of megabytes pass through unread and unchanged, over every transport.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ClientKind, type Json } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, type TestGateway } from '../kit/gateway.ts'

/** About a megabyte and a half, twice. */
const BLOCKS = 100

let gateway: TestGateway

beforeAll(async () => {
  gateway = await gatewayWith({
    servers: { s: fixtureServer({ tools: [textTool('large', 'Says a lot')], answers: [['large', 'large']] }) },
    endpoints: { default: { exposure: 'full' }, meta: { exposure: 'meta-tools', resultBudget: 'off' } },
  })
})
afterAll(() => gateway.stop())

const blocks = Array.from({ length: BLOCKS }, (_, n) => ({ type: 'text', text: `${n}: é"\n😀 `.repeat(1_000) }))
const structured = { rows: BLOCKS, blocks }

describe.each<ClientKind>(['modern', 'legacy', 'v1', 'sse'])('a %s client', (kind) => {
  it('gets a large result whole, called by name', async () => {
    const client = await gateway.client(kind)
    const result = await client.request('tools/call', { name: 's__large', arguments: { blocks: BLOCKS } })
    const { content, structuredContent, extra, _meta } = result as Json
    expect({ content, structuredContent, extra }).toEqual({
      content: blocks,
      structuredContent: structured,
      extra: [1],
    })
    expect(_meta).toMatchObject({ kept: true })
  })

  it('gets a large result whole, with progress', async () => {
    const client = await gateway.client(kind)
    const result = await client.call('s__large', { blocks: BLOCKS }, { onprogress: () => undefined })
    expect(result['content']).toEqual(blocks)
  })

  it('gets a large result whole through tool_execute', async () => {
    const client = await gateway.client(kind, 'meta')
    const result = await client.call('tool_execute', { toolKey: 's:large', arguments: { blocks: BLOCKS } })
    expect(result['content']).toEqual(blocks)
    expect(result['structuredContent']).toEqual(structured)
  })
})

it('is audited with its size', () => {
  const sizes = gateway.audited().flatMap((entry) => (entry.kind === 'call' ? [entry.resultBytes] : []))
  const least = Buffer.byteLength(JSON.stringify({ content: blocks, structuredContent: structured }))
  expect(sizes.length).toBeGreaterThan(0)
  for (const size of sizes) expect(size).toBeGreaterThanOrEqual(least)
})
