import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { TcpProxy } from '../../packages/gateway/src/store/postgres/tcp-proxy.case.ts'
import { connect } from '../kit/clients.ts'
import { fixtureServer, textTool } from '../kit/fixture-server.ts'
import { gatewayWith, until } from '../kit/gateway.ts'
import { Machine } from '../kit/program.ts'
import { testDatabase } from '../kit/test-database.ts'

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

it('tells how its database is: reachable, connections, waiting audit entries', async () => {
  const { url, drop } = await testDatabase()
  const road = await TcpProxy.to(url)
  await using machine = new Machine({ TOOLDEX_DATABASE_URL: road.url, TOOLDEX_SECRET_KEY: 'a key of sixteen letters' })
  const gateway = await machine.serve()
  const figures = async () => figuresOf(await (await fetch(`${gateway.url}/metrics`)).text())
  const figure = async (name: string) => (await figures()).get(name)
  expect(await figure('tooldex_store_up')).toBe(1)
  const client = await connect('legacy', gateway.url, /tdx_[\w-]+/.exec(gateway.out)?.[0] ?? '')
  const connected = await figures()
  expect(connected.get('tooldex_sessions')).toBe(1)
  expect(connected.get('tooldex_parked_calls')).toBe(0)
  expect(connected.get('tooldex_audit_lost_total')).toBe(0)
  expect(connected.get('tooldex_database_acquired_total')).toBeGreaterThan(0)
  expect(connected.get('tooldex_database_waiting')).toBe(0)
  expect([...connected.keys()].filter((name) => name.startsWith('nodejs_eventloop_lag_p99'))).toHaveLength(1)

  await until(async () => (await figure('tooldex_audit_waiting')) === 0)
  road.block()
  await client.call('tool_discovery', { query: 'anything' })
  await until(async () => (await figure('tooldex_store_up')) === 0)
  expect(await figure('tooldex_audit_waiting')).toBe(1)
  expect(await figure('tooldex_store_failures_total')).toBeGreaterThan(0)
  road.open()
  await until(async () => (await figure('tooldex_store_up')) === 1 && (await figure('tooldex_audit_waiting')) === 0)
  await client.close()
  await gateway.stop()
  await road.close()
  await drop()
}, 60_000)

it('exports each metric that the reference names, with its help and type, and no other', async () => {
  await using gateway = await gatewayWith({ servers: {} })
  const text = await (await fetch(`${gateway.url}/metrics`)).text()
  const page = readFileSync(new URL('../../docs/reference/metrics.md', import.meta.url), 'utf8')
  const documented = Array.from(page.matchAll(/^\| `(tooldex_\w+)` /gm), ([, name]) => name)
  const typed = Array.from(text.matchAll(/^# TYPE (tooldex_\w+) (?:counter|gauge|histogram)$/gm), ([, name]) => name)
  const helped = Array.from(text.matchAll(/^# HELP (tooldex_\w+) .+\.$/gm), ([, name]) => name)
  expect(typed.toSorted()).toEqual(documented.toSorted())
  expect(helped).toEqual(typed)
})

/** The values without labels, and the sum over the series of the others. */
function figuresOf(text: string): ReadonlyMap<string, number> {
  const figures = new Map<string, number>()
  for (const [, name = '', value] of text.matchAll(/^([a-z]\w+)(?:\{.*\})? (\S+)$/gm)) {
    figures.set(name, (figures.get(name) ?? 0) + Number(value))
  }
  return figures
}
