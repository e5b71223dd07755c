import { describe, expect, it } from 'vitest'
import { MemoryAuditLog } from '../audit/memory-audit-log.case.ts'
import type { ServerState, ServerStatus } from '../model/server.ts'
import { healthz, readyz } from './health.ts'
import { meteredAuditLog, PrometheusMetrics } from './metrics.ts'

const common = { at: 0, requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', outcome: 'ok', durationMs: 4 }
const status = (id: string, state: ServerState): ServerStatus => ({
  ...{ id, name: id, state, since: 0, restarts: 3 },
  instances: { perClient: true, running: 2 },
})

describe('PrometheusMetrics', () => {
  it('counts and times calls and searches by way of the audit log', async () => {
    const metrics = new PrometheusMetrics()
    const memory = new MemoryAuditLog()
    const audit = meteredAuditLog(memory, metrics)
    const call = { ...common, kind: 'call', serverId: 's', toolKey: 's:t', requestBytes: 1, resultBytes: 2 } as const
    audit.record(call)
    audit.record({ ...call, outcome: 'SERVER_TIMEOUT' })
    audit.record({ ...common, kind: 'search', queryCount: 1, resultKeys: [], answeredBy: 'bm25', degraded: 'cloud' })
    const { body, contentType, status: code } = await metrics.answer()
    expect(code).toBe(200)
    expect(contentType).toContain('text/plain')
    expect(body).toContain('tooldex_calls_total{server="s",outcome="ok"} 1')
    expect(body).toContain('tooldex_calls_total{server="s",outcome="SERVER_TIMEOUT"} 1')
    expect(body).toContain('tooldex_call_duration_seconds_bucket{le="0.005",server="s"} 2')
    expect(body).toContain('tooldex_searches_total{answered_by="bm25",degraded="yes",outcome="ok"} 1')
    expect(body).toContain('tooldex_search_duration_seconds_count{answered_by="bm25"} 1')
    expect(memory.entries()).toHaveLength(3)
  })

  it('reads states, restarts and tools when it is asked', async () => {
    const metrics = new PrometheusMetrics()
    let servers = [status('a', 'running'), status('b', 'failed')]
    metrics.observe({ servers: () => servers, toolCount: () => 171 })
    metrics.eligibleTools('p', 12)
    expect((await metrics.answer()).body).toContain('tooldex_servers{state="failed"} 1')
    servers = [status('a', 'running')]
    const { body } = await metrics.answer()
    expect(body).toContain('tooldex_servers{state="failed"} 0')
    expect(body).toContain('tooldex_servers{state="running"} 1')
    expect(body).toContain('tooldex_server_restarts{server="a"} 3')
    expect(body).toContain('tooldex_server_instances{server="a"} 2')
    expect(body).not.toContain('server="b"')
    expect(body).toContain('tooldex_catalog_tools 171')
    expect(body).toContain('tooldex_eligible_tools{project="p"} 12')
  })

  it('reads the counts of clients, if there are any', async () => {
    const metrics = new PrometheusMetrics()
    metrics.observe({ toolCount: () => 171 })
    expect((await metrics.answer()).body).not.toMatch(/^tooldex_(connections|sessions|requests) \d/m)
    metrics.observe({ clients: () => ({ open: 7, refused: 1, evicted: 2, unread: 3, sessions: 5, requests: 4 }) })
    const { body } = await metrics.answer()
    for (const line of ['catalog_tools 171', 'connections 7', 'sessions 5', 'requests 4']) {
      expect(body).toContain(`\ntooldex_${line}\n`)
    }
    for (const line of ['{reason="refused"} 1', '{reason="gave-way"} 2', '{reason="unread"} 3']) {
      expect(body).toContain(`tooldex_connections_cut_total${line}`)
    }
  })

  it('reads the figures of the database, with and without a pool, and the backlog of the audit', async () => {
    const metrics = new PrometheusMetrics()
    metrics.observe({ version: '1.2.3', store: () => ({ isReachable: false, failures: 4 }), parkedCalls: () => 2 })
    const { body: without } = await metrics.answer()
    for (const line of ['store_up 0', 'store_failures_total 4', 'parked_calls 2', 'build_info{version="1.2.3"} 1']) {
      expect(without).toContain(`\ntooldex_${line}\n`)
    }
    expect(without).not.toMatch(/^tooldex_(database|audit)_\w+(\{.*\})? /m)
    const pool = { busy: 5, idle: 0, waiting: 3, acquired: 40, waitedMs: 1_500 }
    metrics.observe({
      store: () => ({ isReachable: true, failures: 4, pool }),
      audit: () => ({ waiting: 12, lost: 1 }),
    })
    const { body } = await metrics.answer()
    for (const line of [
      ...['store_up 1', 'database_connections{state="busy"} 5', 'database_waiting 3', 'database_acquired_total 40'],
      ...['database_wait_seconds_total 1.5', 'audit_waiting 12', 'audit_lost_total 1'],
    ]) {
      expect(body).toContain(`\ntooldex_${line}\n`)
    }
  })

  it('times the changes of other gateways', async () => {
    const metrics = new PrometheusMetrics()
    metrics.changeApplied(20)
    metrics.changeApplied(700)
    const { body } = await metrics.answer()
    expect(body).toContain('tooldex_change_lag_seconds_bucket{le="0.025"} 1')
    expect(body).toContain('tooldex_change_lag_seconds_bucket{le="1"} 2')
    expect(body).toContain('tooldex_change_lag_seconds_sum 0.72')
  })

  it('counts the notices of searches', async () => {
    const metrics = new PrometheusMetrics()
    const search = { ...common, kind: 'search', queryCount: 1, resultKeys: [], answeredBy: 'bm25' } as const
    metrics.recordEntry({ ...search, notices: ['NOTHING_FITS', 'SERVERS_FAILED'] })
    metrics.recordEntry({ ...search, notices: ['NOTHING_FITS'] })
    const { body } = await metrics.answer()
    expect(body).toContain('tooldex_search_notices_total{code="NOTHING_FITS"} 2')
    expect(body).toContain('tooldex_search_notices_total{code="SERVERS_FAILED"} 1')
  })

  it('adds the figures of the process where they are wanted', async () => {
    const metrics = new PrometheusMetrics({ processFigures: true })
    metrics.eligibleTools('p', 1)
    for (const _ of [1, 2]) {
      const { body } = await metrics.answer()
      for (const name of ['process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds']) {
        expect(body.match(new RegExp(`^${name} `, 'gm'))).toHaveLength(1)
      }
      expect(body).toContain('tooldex_eligible_tools{project="p"} 1')
    }
    expect((await new PrometheusMetrics().answer()).body).not.toContain('nodejs_')
  })

  it('does not share figures with another', async () => {
    new PrometheusMetrics().eligibleTools('p', 1)
    expect((await new PrometheusMetrics().answer()).body).not.toContain('project="p"')
  })
})

describe('healthz and readyz', () => {
  it('report that the process answers, and whether to send requests', () => {
    expect(healthz()).toEqual({ status: 200, contentType: 'application/json', body: '{"status":"ok"}' })
    const servers = [status('a', 'running'), status('b', 'failed'), status('c', 'running')]
    expect(readyz({ started: false, stopping: false, servers: [] })).toMatchObject({ status: 503 })
    expect(readyz({ started: true, stopping: true, servers })).toMatchObject({ status: 503 })
    const ready = readyz({ started: true, stopping: false, servers })
    expect(ready.status).toBe(200)
    expect(JSON.parse(ready.body)).toEqual({ status: 'ready', servers: { failed: 1, running: 2 } })
  })
})
