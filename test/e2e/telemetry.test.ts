import { expect, it } from 'vitest'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith } from '../kit/gateway.ts'

it('reports its health and its metrics', async () => {
  await using gateway = await gatewayWith({
    servers: {
      a: fixtureServer({ tools: [textTool('turn_key', 'Turn the key.'), textTool('break_key', 'Break the key.')] }),
      dead: fixtureServer({ tools: [], trouble: 'crash-at-start' }),
    },
    projects: { p: { servers: ['a', 'dead'], exposure: 'meta-tools', tools: { 'a:break_key': { allowed: false } } } },
    endpoints: { p: { project: 'p' } },
  })
  const page = async (path: string) => {
    const response = await fetch(gateway.url + path)
    return { status: response.status, text: await response.text() }
  }
  for (const path of ['/healthz', '/readyz']) expect((await page(path)).status).toBe(200)
  const client = await gateway.client('modern', 'p')
  await client.call('tool_discovery', { query: ['turn the key'] })
  await client.call('tool_execute', { toolKey: 'a:turn_key' })
  await client.call('tool_execute', { toolKey: 'a:break_key' })
  const { text } = await page('/metrics')
  for (const line of [
    'tooldex_calls_total{server="a",outcome="ok"} 1',
    'tooldex_calls_total{server="a",outcome="TOOL_DISABLED"} 1',
    'tooldex_call_duration_seconds_count{server="a"} 1',
    'tooldex_searches_total{answered_by="hybrid",degraded="no",outcome="ok"} 1',
    'tooldex_eligible_tools{project="p"} 1',
    'tooldex_catalog_tools 2',
    'tooldex_servers{state="running"} 1',
  ]) {
    expect(text).toContain(line)
  }
})
