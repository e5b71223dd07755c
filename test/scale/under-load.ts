/** What replicas do under load: limits of all together, busy servers, a database that is away, and a long time. */
import { readdirSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Program } from '../faults/program.ts'
import { until } from '../faults/until.ts'
import { httpServers } from '../kit/http-servers.ts'
import { Fleet } from './fleet.ts'
import { send } from './plain-request.ts'
import { atMost, median, type Row, type Scenario } from './row.ts'

const SECRET = 'tdx_the-token-of-all-clients-under-load'
const TOOLS = [{ name: 'one', description: 'The first', inputSchema: { type: 'object' } }]
const REPLICAS = ['a', 'b', 'c'] as const
/** Not a multiple of the replicas, so that each client calls all of them. */
const LOAD_CLIENTS = 61
/** Descriptors that a replica may have more than before: connections to the database come and go. */
const MOST_LEFT = 10
/** For idle connections beyond the time that they are kept: a busy machine is late. */
const SECONDS_TO_CLOSE = 30

/** What a call came to: `ok`, or the code of its error. */
type Outcome = string

/** 30 requests a minute, 100 sent in round robin. */
export const rateLimit: Scenario = {
  rows: ['rate limit of three replicas'],
  async *run() {
    await using fleet = await Fleet.start()
    const config = configOf({}, { rateLimits: { tokenPerMinute: 30 } })
    const replicas = await replicasOf(fleet, config)
    const since = performance.now()
    const outcomes = await Promise.all(
      Array.from({ length: 100 }, (_, at) => request(replicas[at % replicas.length], 'tools/list')),
    )
    const passed = outcomes.filter((outcome) => outcome === 'ok').length
    const seconds = Math.round((performance.now() - since) / 1_000)
    const detail = `of 100 requests pass, at least 30; limit 30 a minute, all sent within ${seconds} s`
    yield ['rate limit of three replicas', { ...atMost(passed, 33, detail), ok: passed >= 30 && passed <= 33 }]
  },
}

/** Clients that all call one server behind a URL at once, through one replica. */
export const busyServer: Scenario = {
  rows: ['calls failed at 1,000 clients'],
  async *run() {
    await using fleet = await Fleet.start()
    await using servers = await httpServers({ s: TOOLS })
    const [replica] = await replicasOf(fleet, configOf(servers.entries()), ['a'])
    const outcomes: Outcome[] = []
    const client = async (): Promise<void> => {
      for (let call = 0; call < 5; call++) outcomes.push(await request(replica, 'tools/call'))
    }
    await Promise.all(Array.from({ length: 1_000 }, client))
    yield ['calls failed at 1,000 clients', atMost(...failures(outcomes, 'each client calls five times'))]
  },
}

/** Calls go on while PostgreSQL is stopped, frozen and restarted. */
export const databaseOutages: Scenario = {
  rows: ['calls failed without PostgreSQL', 'audit entries lost or doubled'],
  async *run(_, { outageSeconds, settleSeconds }) {
    await using fleet = await Fleet.start()
    await using servers = await httpServers({ s: TOOLS })
    const replicas = await replicasOf(fleet, configOf(servers.entries()))
    const { postgres } = fleet
    const settle = () => delay(settleSeconds * 1_000)
    // The entries of the first calls are written a quarter of a second later.
    await settle()
    const before = (await auditOf(fleet.databaseUrl)).entries
    const load = startLoad(replicas, 100)
    await settle()
    await postgres.halt()
    await delay(outageSeconds * 1_000)
    await postgres.restart()
    await settle()
    postgres.freeze()
    await delay(outageSeconds * 1_000)
    postgres.resume()
    await settle()
    await postgres.halt()
    await postgres.restart()
    await settle()
    const outcomes = await load.stop()
    const detail = `PostgreSQL stopped and frozen for ${outageSeconds} s each, and restarted, under 100 calls a second`
    yield ['calls failed without PostgreSQL', atMost(...failures(outcomes, detail))]
    yield ['audit entries lost or doubled', await auditRow(fleet.databaseUrl, before, outcomes.length)]
  },
}

/** Three replicas at 300 calls a second. */
export const soak: Scenario = {
  rows: ['soak: calls failed', 'soak: memory growth', 'soak: descriptors left'],
  async *run(_, { soakSeconds, keepAliveSeconds }) {
    await using fleet = await Fleet.start()
    await using servers = await httpServers({ s: TOOLS })
    const listen = { limits: { keepAliveMs: keepAliveSeconds * 1_000 } }
    const replicas = await replicasOf(fleet, configOf(servers.entries(), { listen }))
    const openOf = (): number => Math.max(...replicas.map(({ pid }) => readdirSync(`/proc/${pid}/fd`).length))
    const openBefore = openOf()
    const load = startLoad(replicas, 300)
    const memory: { readonly heldMb: number; readonly rssMb: number }[] = []
    const end = performance.now() + soakSeconds * 1_000
    while (performance.now() < end) {
      await delay(Math.min(5_000, (soakSeconds * 1_000) / 20))
      const loops = await Promise.all(replicas.map((replica) => replica.loop()))
      const most = (of: 'heap' | 'rss'): number => Math.max(...loops.map((loop) => loop[of])) / 1e6
      memory.push({ heldMb: most('heap'), rssMb: most('rss') })
    }
    const outcomes = await load.stop()
    const rate = Math.round(outcomes.length / soakSeconds)
    const size = `${soakSeconds} s, ${rate} calls a second over three replicas`
    // The first fifth warms up; the second is compared with the last. V8 makes room for minutes, so that only what a collection
    // leaves shows a leak.
    const fifth = Math.floor(memory.length / 5)
    const [early, late] = [memory.slice(fifth, 2 * fifth), memory.slice(-fifth)]
    const growthOf = (of: 'heldMb' | 'rssMb'): number =>
      (median(late.map((each) => each[of])) / median(early.map((each) => each[of])) - 1) * 100
    const { heldMb = 0, rssMb = 0 } = late.at(-1) ?? {}
    const ofProcess = `the process by ${Math.round(growthOf('rssMb'))} % to ${Math.round(rssMb)} MB`
    const ofMemory = `% of what a collection leaves, to ${Math.round(heldMb)} MB; ${ofProcess}; ${size}`
    yield ['soak: calls failed', atMost(...failures(outcomes, size))]
    yield ['soak: memory growth', atMost(growthOf('heldMb'), 10, ofMemory)]
    const most = keepAliveSeconds + SECONDS_TO_CLOSE
    for (let waited = 0; waited < most && openOf() > openBefore + MOST_LEFT; waited++) await delay(1_000)
    const left = `beside ${openBefore} before; ${size}`
    yield ['soak: descriptors left', atMost(openOf() - openBefore, MOST_LEFT, left)]
  },
}

function configOf(servers: object, more: object = {}): object {
  return {
    mcpServers: servers,
    tokens: [{ name: 'load', value: SECRET }],
    endpoints: { default: { exposure: 'full' } },
    ...more,
  }
}

/** Starts replicas and waits until each knows the tools. */
async function replicasOf(
  fleet: Fleet,
  config: object,
  names: readonly string[] = REPLICAS,
): Promise<readonly Program[]> {
  const replicas: Program[] = []
  for (const name of names) replicas.push(await fleet.replica(name, config))
  const hasServers = Object.keys((config as { mcpServers: object }).mcpServers).length > 0
  for (const replica of hasServers ? replicas : []) {
    await until(async () => ((await request(replica, 'tools/call')) === 'ok' ? true : undefined), 60_000)
  }
  return replicas
}

async function request(replica: Program | undefined, method: 'tools/list' | 'tools/call'): Promise<Outcome> {
  const params = method === 'tools/call' ? { name: 's__one', arguments: {} } : {}
  const told = await send(`${replica?.url}/mcp`, SECRET, method, params)
  return 'result' in told ? 'ok' : told.failure
}

/** Clients that call in turns, a replica after the other, so many calls a second in all; resolves to all outcomes. */
function startLoad(replicas: readonly Program[], perSecond: number): { stop(): Promise<readonly Outcome[]> } {
  const outcomes: Outcome[] = []
  const since = performance.now()
  let isStopped = false
  const client = async (first: number): Promise<void> => {
    // A client that is late catches up, one call after the other.
    for (let call = first; !isStopped; call += LOAD_CLIENTS) {
      await delay(Math.max(0, since + (call / perSecond) * 1_000 - performance.now()))
      outcomes.push(await request(replicas[call % replicas.length], 'tools/call'))
    }
  }
  const clients = Array.from({ length: LOAD_CLIENTS }, (_, at) => client(at))
  return {
    stop: async () => {
      isStopped = true
      await Promise.all(clients)
      return outcomes
    },
  }
}

function failures(outcomes: readonly Outcome[], detail: string): [figure: number, limit: number, detail: string] {
  const failed = outcomes.filter((outcome) => outcome !== 'ok')
  const kinds = Map.groupBy(failed, (outcome) => outcome)
  const told = Array.from(kinds, ([kind, all]) => `${all.length} × ${kind}`).slice(0, 3)
  return [failed.length, 0, `of ${outcomes.length} calls; ${detail}${told.length > 0 ? `; ${told.join(', ')}` : ''}`]
}

/** Waits until all entries are written, which takes a moment after an outage. */
async function auditRow(databaseUrl: string, before: number, calls: number): Promise<Row> {
  let audited = await auditOf(databaseUrl)
  for (let waited = 0; waited < 60 && audited.entries - before < calls; waited++) {
    await delay(1_000)
    audited = await auditOf(databaseUrl)
  }
  const wrong = Math.abs(audited.entries - before - calls) + (audited.entries - audited.requests)
  return atMost(wrong, 0, `of ${calls} calls, ${audited.entries - before} entries`)
}

async function auditOf(databaseUrl: string): Promise<{ readonly entries: number; readonly requests: number }> {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const counted = `select count(*)::int as entries, count(distinct request_id)::int as requests from audit_entries where kind = 'call'`
    const { rows } = await client.query<{ entries: number; requests: number }>(counted)
    return rows[0] ?? { entries: 0, requests: 0 }
  } finally {
    await client.end()
  }
}
