// An admin API on a real store and a real catalog, with fake servers.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ADMIN_BASE,
  type AdminRoute,
  type AdminRouteId,
  adminRoutes,
  isMediaTypes,
  type Problem,
  problemSchema,
  type RouteAnswer,
  type RouteQueryInput,
} from '@tooldex/contract/admin'
import { expect } from 'vitest'
import type { z } from 'zod'
import { AuditFeed } from '../audit/audit-feed.ts'
import { CallLatencies } from '../audit/call-latencies.ts'
import { MemoryAuditLog } from '../audit/memory-audit-log.case.ts'
import { ParkedCalls } from '../calls/parked-calls.ts'
import { ResultStore } from '../calls/results/result-store.ts'
import { ToolCaller } from '../calls/tool-caller.ts'
import { trustPolicy } from '../access/trust-policy.ts'
import { Approvals } from '../catalog/approvals.ts'
import { FakePool, type FakeServer } from '../catalog/fake-pool.case.ts'
import { LiveCatalog } from '../catalog/live-catalog.ts'
import { EndpointViews } from '../clients/mcp/requests/endpoint-view.ts'
import { GatewayRequests } from '../clients/mcp/requests/gateway-requests.ts'
import { LocalClient } from '../clients/mcp/requests/local-client.ts'
import { ResultRequests } from '../clients/mcp/requests/result-requests.ts'
import { StartWait } from '../clients/mcp/requests/start-wait.ts'
import { ToolRequests } from '../clients/mcp/requests/tool-requests.ts'
import { configFrom } from '../config/load-config.ts'
import { StoreModelSource } from '../config/store-model-source.ts'
import { ContextCosts } from '../exposure/context-costs.ts'
import type { AuditEntry } from '../model/audit.ts'
import type { Store } from '../model/store.ts'
import { ProjectUses } from '../search/learning/project-uses.ts'
import { ToolSearch } from '../search/tool-search.ts'
import { openStore } from '../store/open-store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { type Definition, fingerprintOf } from '../trust/fingerprint.ts'
import { scanReasons } from '../trust/scan-reasons.ts'
import type { AdminCaller } from './access/admin-caller.ts'
import { AdminSessions } from './access/admin-sessions.ts'
import { type AdminApi, createAdminApi } from './api/admin-api.ts'
import type { AdminParts, LoginControl } from './routes/admin-context.ts'
import { CostLedger } from './routes/cost-ledger.ts'

/** A request to a route. */
export interface KitAsk<Id extends AdminRouteId> {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: RouteQueryInput<Id>
  /** Unchecked: tests also send invalid bodies. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

/** An admin API under test. */
export interface AdminKit {
  readonly api: AdminApi
  readonly store: Store
  readonly models: StoreModelSource
  readonly pool: FakePool
  readonly parts: AdminParts
  readonly clock: { now: number }
  /** Answers the requests of clients. */
  readonly requests: GatewayRequests
  readonly audited: () => readonly AuditEntry[]
  readonly logged: readonly string[]
  /** The answer of a route, checked against its schema. Fails on a problem response. */
  ask<Id extends AdminRouteId>(id: Id, ask?: KitAsk<Id>): Promise<RouteAnswer<Id>>
  /** The problem response of a route. Fails on any other response. */
  problem<Id extends AdminRouteId>(id: Id, ask?: KitAsk<Id>): Promise<Problem>
  send<Id extends AdminRouteId>(id: Id, ask?: KitAsk<Id>): Promise<Response>
  /** Makes a server list tools, and waits until the catalog has reviewed them. */
  offer(serverId: string, tools: readonly object[]): Promise<FakeServer>
  stop(): Promise<void>
}

/** The default caller. */
const ADMIN: AdminCaller = { tokenId: 'admin-1', name: 'Ada', role: 'administrator', via: 'token', isFresh: true }

/** Builds a kit; `file` is the content of the configuration file. */
export async function adminKit({ file = {}, isLive = true, logins }: KitOptions = {}): Promise<AdminKit> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-admin-'))
  const environment = { variables: {}, cwd: dataDir, home: dataDir }
  const clock = { now: Date.parse('2026-11-01T12:00:00Z') }
  const logger = silentLogger()
  const store = await openStore({ dataDir, logger, now: () => clock.now })
  const loaded = configFrom(file, environment)
  const initial = { ...loaded, declared: { ...loaded.declared, path: '/etc/tooldex.json' } }
  const models = new StoreModelSource({ initial, load: async () => initial, store, logger })
  const pool = new FakePool()
  const follow = (): void => {
    const ids = new Set(models.current().servers.map(({ id }) => id))
    for (const { definition } of pool.all()) if (!ids.has(definition.id)) pool.remove(definition.id)
    for (const definition of models.current().servers) {
      if (pool.get(definition.id) === undefined) pool.add(definition, definition.enabled ? 'running' : 'stopped')
    }
  }
  follow()
  models.onChange(follow)
  const approvals = new Approvals({
    pins: store.pins,
    policy: (serverId) => trustPolicy(models.current(), serverId),
    scan: async () => scanReasons(),
    now: () => clock.now,
  })
  const catalog = new LiveCatalog({
    ...{ pool, lastGood: store.lastGood, now: () => clock.now, minListIntervalMs: 1 },
    review: async (serverId, kind, entries) => {
      const reviewed = await approvals.review(serverId, kind, entries)
      if (kind === 'tool') sent.set(serverId, hashesOf([...entries.values()]))
      return reviewed
    },
  })
  const sent = new Map<string, string>()
  const stopDeciding = approvals.follow((serverIds) => catalog.reviewAgain(serverIds))
  await catalog.start()
  const stopFollowing = models.onChange(() => void catalog.serversChanged())
  const memory = new MemoryAuditLog(1_000)
  const audit = new AuditFeed(memory)
  const latencies = new CallLatencies()
  audit.onEntry((entry) => latencies.note(entry))
  const counted = new ContextCosts()
  const now = (): number => clock.now
  const costs = new CostLedger({ counted, repository: store.costs, now, keepMs: () => 90 * 86_400_000 })
  const views = new EndpointViews({ models, catalog, troubleOf: (id) => pool.get(id)?.status() })
  const learnt = new ProjectUses({ repository: store.learned, now, embedNow: async () => undefined })
  const search = new ToolSearch({ provider: (strategy) => catalog.provider(strategy), audit, now, learnt })
  const parked = new ParkedCalls()
  const calls = new ToolCaller({ servers: pool, audit, now, parked })
  const keptResults = new ResultStore({ folder: join(dataDir, 'results'), now })
  const results = new ResultRequests(keptResults, calls)
  const tools = new ToolRequests({ calls, search, results, costs: counted })
  const wait = new StartWait({ catalog, servers: pool, now, graceMs: 0 })
  const requests = new GatewayRequests({ views, tools, results, servers: pool, parked, version: '1.2.3', wait })
  const client = new LocalClient({ views, search, requests, tools, version: '1.2.3' })
  const logged: string[] = []
  const parts: AdminParts = {
    audit,
    store,
    approvals,
    models,
    declared: () => models.declared(),
    inForce: () => models.merged(),
    sessions: new AdminSessions({
      tokens: () => store.current().tokens,
      key: () => store.signingKey('console sessions'),
      now,
      ended: store.replicas,
    }),
    version: '1.2.3',
    startedAt: clock.now,
    now,
    registries: { sources: loaded.config.registries, folder: join(dataDir, 'registry') },
    auditLimits: { keepDays: 90, maxEntries: 5_000_000 },
    log: {
      info: (fields, message) => logged.push(JSON.stringify([fields, message])),
      error: (fields, message) => logged.push(JSON.stringify([fields, message])),
    },
    ...(isLive && {
      live: {
        pool,
        catalog,
        client,
        auditFeed: audit,
        latencies,
        costs,
        learnt,
        url: () => 'http://127.0.0.1:7420',
        ...(logins !== undefined && { logins }),
      },
    }),
  }
  const api = createAdminApi(parts)
  const send: AdminKit['send'] = (id, ask = {}) => api(requestOf(id, ask), ADMIN)
  return {
    ...{ api, store, models, pool, parts, clock, requests, logged, send },
    audited: () => memory.entries(),
    ask: async (id, ask) => checkedAnswer(id, await send(id, ask)),
    problem: async (id, ask) => checkedProblem(await send(id, ask)),
    async offer(serverId, offered) {
      const server = pool.get(serverId)
      if (server === undefined) throw new Error(`there is no server ${serverId}`)
      server.tools = offered.map((tool) => ({ inputSchema: { type: 'object' }, ...tool }))
      const hashes = hashesOf(server.tools)
      server.announce('tools')
      while (sent.get(serverId) !== hashes) await new Promise((resolve) => setImmediate(resolve))
      // Reviews run one after the other, so the tools are taken over when this one ends.
      await catalog.reviewAgain([serverId])
      return server
    },
    async stop() {
      stopFollowing()
      stopDeciding()
      await catalog.stop()
      await models.stop()
      await costs.stop()
      await learnt.stop()
      await store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}

/** The same for the same tools in any order. */
function hashesOf(tools: readonly object[]): string {
  return tools
    .map((tool) => fingerprintOf('tool', tool as Definition))
    .toSorted()
    .join()
}

interface KitOptions {
  readonly file?: unknown
  readonly isLive?: boolean
  readonly logins?: LoginControl
}

/** A request to a route. */
export function requestOf<Id extends AdminRouteId>(
  id: Id,
  { params = {}, query, body, headers, signal }: KitAsk<Id>,
): Request {
  const route: AdminRoute = adminRoutes[id]
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'missing'))
  const url = new URL(ADMIN_BASE + path, 'http://127.0.0.1:7420')
  for (const [name, value] of Object.entries(query ?? {})) url.searchParams.set(name, String(value))
  return new Request(url, {
    method: route.method,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  })
}

async function checkedAnswer<Id extends AdminRouteId>(id: Id, response: Response): Promise<RouteAnswer<Id>> {
  const text = await response.text()
  const { responses }: AdminRoute = adminRoutes[id]
  expect(Object.keys(responses), text).toContain(String(response.status))
  expect(response.headers.get('cache-control')).toBe('no-store')
  const schema = responses[response.status] ?? null
  if (schema === null || isMediaTypes(schema)) return text as RouteAnswer<Id>
  const value: unknown = JSON.parse(text)
  const { error } = (schema as z.ZodType).safeParse(value)
  expect(error?.issues ?? []).toEqual([])
  return value as RouteAnswer<Id>
}

async function checkedProblem(response: Response): Promise<Problem> {
  const text = await response.text()
  expect(response.headers.get('content-type'), text).toBe('application/problem+json')
  const problem = problemSchema.parse(JSON.parse(text))
  expect(problem.status).toBe(response.status)
  return problem
}
