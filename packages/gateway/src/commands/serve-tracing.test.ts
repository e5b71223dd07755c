import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { assemble } from '../assemble.ts'
import { factsIn, startCollector } from '../telemetry/collector.case.ts'
import { fakeContext } from './fake-gateway.case.ts'
import { runProgram } from './program.ts'
import { useCommands } from './use-commands.case.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN = '00f067aa0ba902b7'
const META = 'io.modelcontextprotocol/'
const ODD_SERVER = fileURLToPath(new URL('../servers/fixtures/misbehaving-server.case.ts', import.meta.url))

const { configure, folder } = useCommands()

/** Serves a real gateway while the work runs. */
async function whileServing(variables: Record<string, string>, work: (url: string) => Promise<void>): Promise<void> {
  const kit = fakeContext(folder(), {}, { PATH: process.env['PATH'] ?? '', ...variables })
  const running = runProgram(['serve'], { ...kit.context, loadAssemble: async () => assemble })
  const record = join(folder(), 'data', 'gateway.json')
  await expect.poll(() => existsSync(record) && kit.out(), { timeout: 10_000 }).toContain('1 up')
  try {
    await work((JSON.parse(readFileSync(record, 'utf8')) as { url: string }).url)
  } finally {
    kit.askToStop()
    await running
  }
}

async function call(url: string, name: string, args: object): Promise<string> {
  const envelope = { [`${META}protocolVersion`]: '2026-07-28', [`${META}clientCapabilities`]: {} }
  const _meta = { ...envelope, traceparent: `00-${TRACE}-${SPAN}-01`, tracestate: 'a=1' }
  const response = await fetch(`${url}/open/mcp`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args, _meta } }),
  })
  return response.text()
}

/** The `traceparent` that the server received. */
const receivedParent = (text: string): string | undefined => /traceparent\\+":\\+"([0-9a-f-]+)/.exec(text)?.[1]

const serving = (telemetry: object) =>
  configure({
    mcpServers: { odd: { command: process.execPath, args: [ODD_SERVER] } },
    endpoints: { open: { auth: 'none', exposure: 'meta-tools' } },
    listen: { port: 0 },
    dataDir: 'data',
    logLevel: 'silent',
    telemetry,
  })

it('traces calls and searches if a collector is configured, within the client’s trace and around the server’s', async () => {
  await using collector = await startCollector()
  serving({ otlpEndpoint: collector.url })
  let parent: string | undefined
  await whileServing({}, async (url) => {
    await call(url, 'tool_discovery', { query: ['a secret query'] })
    parent = receivedParent(await call(url, 'tool_execute', { toolKey: 'odd:meta', arguments: { secret: 'argument' } }))
  })
  const [searched, called] = collector.spans()
  expect(searched).toMatchObject({ name: 'search', traceId: TRACE, parentSpanId: SPAN, traceState: 'a=1', status: {} })
  expect(searched && factsIn(searched)).toMatchObject({
    'tooldex.strategy': 'hybrid',
    'tooldex.answered_by': 'hybrid',
    'tooldex.query_count': '1',
    'tooldex.endpoint': 'open',
    'tooldex.outcome': 'ok',
  })
  expect(called).toMatchObject({ name: 'tools/call odd:meta', traceId: TRACE, parentSpanId: SPAN, status: {} })
  expect(called && factsIn(called)).toMatchObject({
    'tooldex.server': 'odd',
    'tooldex.tool': 'odd:meta',
    'tooldex.outcome': 'ok',
  })
  expect(parent).toBe(`00-${TRACE}-${called?.spanId}-01`)
  expect(collector.requests.map(({ body }) => body).join()).not.toMatch(/secret/)
})

it('follows the environment, and forwards the client’s trace unchanged if tracing is off', async () => {
  await using collector = await startCollector()
  serving({})
  const execute = { toolKey: 'odd:meta' }
  await whileServing({}, async (url) => {
    expect(receivedParent(await call(url, 'tool_execute', execute))).toBe(`00-${TRACE}-${SPAN}-01`)
  })
  expect(collector.requests).toEqual([])
  await whileServing(
    { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    async (url) => void (await call(url, 'tool_execute', execute)),
  )
  expect(collector.spans()).toMatchObject([{ name: 'tools/call odd:meta' }])
})
