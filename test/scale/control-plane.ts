/** What a change costs the replica that makes it, and the others. */
import { setTimeout as delay } from 'node:timers/promises'
import type { LoopFigures, Program } from '../faults/program.ts'
import { until } from '../faults/until.ts'
import { connect, type TestClient } from '../kit/clients.ts'
import { httpServers } from '../kit/http-servers.ts'
import { Fleet } from './fleet.ts'
import { manyTools, SERVERS, toolName, TOOLS_EACH } from './many-tools.ts'
import { send } from './plain-request.ts'
import { atMost, median, p99, type Row, type Scenario } from './row.ts'
import { secretOf, seedTenants, WIDE_PROJECTS } from './tenants.ts'

const TENANTS = { projects: 1_000, tokens: 100_000 }
const CHANGES = 100
/** Until the first requests have loaded what they need. */
const FIRST_CHANGES = 3
const LISTENERS = 20
const FIRST_SEARCHES = 50
/** Between two looks at the metrics, which cost the gateway some milliseconds each. */
const LOOK_MS = 100
const SIZE = `${TENANTS.projects} projects, ${TENANTS.tokens} tokens, ${SERVERS * TOOLS_EACH} tools, two replicas`
const ENDPOINTS = { full: { project: 'p2', exposure: 'full' } }

/** A large gateway that starts again, changes, notifies its clients and is searched by many projects, beside another one. */
export const largeGateways: Scenario = {
  rows: [
    ...['start to ready', 'stall at start', 'first search'],
    ...['token made p99', 'token revoked p99', 'processor time elsewhere', 'stall at a change'],
    ...['stall at a notification', 'memory a project'],
  ],
  async *run() {
    await using fleet = await Fleet.start()
    await using servers = await httpServers(manyTools())
    const config = { mcpServers: servers.entries(), endpoints: ENDPOINTS, trust: 'off' }
    await seedTenants(fleet.databaseUrl, TENANTS)
    await learn(fleet, config)
    const writer = await fleet.replica('writer', config)
    await writer.loop()
    const ready = await whenReady(writer)
    const searchMs = await timed(() => search(writer, 1))
    await known(writer)
    const other = await fleet.replica('other', config)
    await other.loop()
    const otherReady = await whenReady(other)
    await search(other, 1)
    await known(other)
    const starts = [ready, otherReady, await writer.loop(), await other.loop()]
    yield ['start to ready', atMost(ready.ageMs, 3_000, `ms; ${SIZE}; with a saved index`)]
    yield ['stall at start', atMost(longestTurn(starts), 50, `ms, from the first connection on; ${SIZE}`)]
    yield ['first search', atMost(searchMs, 300, `ms, right after ready; ${SIZE}`)]
    yield* tokenRows(writer, other)
    yield ['stall at a notification', await notification(writer, other)]
    yield ['memory a project', await memory(writer)]
  },
}

/** Starts a gateway that lists all servers, builds the index and saves it. */
async function learn(fleet: Fleet, config: object): Promise<void> {
  for (const name of ['writer', 'other']) {
    const replica = await fleet.replica(name, config)
    await known(replica)
    await search(replica, 1)
    await replica.stop()
  }
}

/** Resolves to the figures from the first connection until it is ready. */
async function whenReady(replica: Program): Promise<LoopFigures> {
  await until(async () => ((await fetch(`${replica.url}/readyz`)).ok ? true : undefined), 60_000)
  return replica.loop()
}

/** Resolves when the lists of all servers were received. */
async function known({ url }: Program): Promise<void> {
  await until(async () => {
    await delay(LOOK_MS)
    const text = await (await fetch(`${url}/metrics`)).text()
    const running = Number(/^tooldex_servers\{state="running"\} (\d+)$/m.exec(text)?.[1])
    const tools = Number(/^tooldex_catalog_tools (\d+)$/m.exec(text)?.[1])
    return running === SERVERS && tools === SERVERS * TOOLS_EACH ? true : undefined
  }, 120_000)
}

async function search({ url }: Program, project: number): Promise<void> {
  const told = await send(
    `${url}/p${project}/mcp`,
    secretOf(project + (project === 1 ? TENANTS.projects : 0)),
    'tools/call',
    {
      name: 'tool_discovery',
      arguments: { query: [`send an invoice of region ${project}`] },
    },
  )
  if ('failure' in told) throw new Error(`The search in p${project} failed: ${told.failure}`)
  if (!JSON.stringify(told.result).includes('toolKey')) throw new Error(`The search in p${project} found nothing`)
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const since = performance.now()
  await work()
  return performance.now() - since
}

/** Tokens made and revoked on one replica, beside another one. */
async function* tokenRows(writer: Program, other: Program): AsyncIterable<readonly [name: string, row: Row]> {
  for (let at = 0; at < FIRST_CHANGES; at++) await revoke(writer, (await make(writer, `first ${at}`)).id)
  await accepted(other, (await make(writer, 'known elsewhere')).secret)
  const idle = await processorMsOf(other, () => delay(2_000))
  const made: { readonly id: string; readonly ms: number }[] = []
  const revoked: number[] = []
  await writer.loop()
  const during = await processorMsOf(other, async () => {
    for (let at = 0; at < CHANGES; at++) {
      const since = performance.now()
      const { id } = await make(writer, `made ${at}`)
      made.push({ id, ms: performance.now() - since })
    }
    for (const { id } of made) {
      const since = performance.now()
      await revoke(writer, id)
      revoked.push(performance.now() - since)
    }
  })
  const most = longestTurn([await writer.loop(), during.loop])
  yield ['token made p99', times(made.map(({ ms }) => ms))]
  yield ['token revoked p99', times(revoked)]
  yield ['processor time elsewhere', perChange(idle, during)]
  yield ['stall at a change', atMost(most, 50, `ms, the longest turn of the loop on both replicas; ${SIZE}`)]
}

/** A tool is denied to a project while clients of it, which list all tools, wait for notifications. */
async function notification(writer: Program, other: Program): Promise<Row> {
  const clients = await Promise.all(
    Array.from({ length: LISTENERS }, async (_, at) => {
      const { url } = at % 2 === 0 ? writer : other
      const client = await connect('legacy', url, secretOf(2 + at * TENANTS.projects), 'full')
      await client.request('tools/list')
      return client
    }),
  )
  await Promise.all([writer.loop(), other.loop()])
  await admin(writer, 'PATCH', `/projects/p2/tools/s3:${toolName(1)}`, { allowed: false })
  const isTold = ({ heard }: TestClient) => heard.some(({ method }) => method === 'notifications/tools/list_changed')
  await until(async () => (clients.every(isTold) ? true : undefined), 60_000)
  const most = longestTurn(await Promise.all([writer.loop(), other.loop()]))
  await Promise.all(clients.map((client) => client.close()))
  return atMost(
    most,
    50,
    `ms, the longest turn on both replicas; ${LISTENERS} clients whose list of 19,000 tools changes`,
  )
}

/** What the first search of a project leaves in memory, after a collection of garbage. */
async function memory(replica: Program): Promise<Row> {
  const all = async (from: number, to: number): Promise<void> => {
    for (let project = from; project <= to; project++) await search(replica, project)
  }
  // The first ones fill what is bounded.
  await all(2, FIRST_SEARCHES)
  const before = await replica.loop()
  await all(FIRST_SEARCHES + 1, WIDE_PROJECTS)
  const after = await replica.loop()
  const each = (bytes: number): number => bytes / (WIDE_PROJECTS - FIRST_SEARCHES) / 1_000
  const inAll = Math.round(each(after.rss - before.rss))
  const detail = `kB of heap (the process ${inAll} kB) after a first search in ${WIDE_PROJECTS - FIRST_SEARCHES} projects of 19,000 tools`
  return atMost(each(after.heap - before.heap), 50, detail)
}

const longestTurn = (loops: readonly LoopFigures[]): number =>
  Math.max(...loops.map(({ wall, processor }) => Math.min(wall.most, processor.most)))

type Measured = Awaited<ReturnType<typeof processorMsOf>>

function times(values: readonly number[]): Row {
  return atMost(p99(values), 50, `ms, median ${Math.round(median(values))} ms; ${SIZE}`)
}

/** The processor time of the whole process, without what it takes when nothing changes. */
function perChange(idle: Measured, during: Measured): Row {
  const own = during.processorMs - (idle.processorMs / idle.ms) * during.ms
  const inAll = Math.round((during.processorMs / (2 * CHANGES)) * 10) / 10
  const detail = `ms a change on the other replica, ${inAll} ms with what it does when nothing changes`
  return atMost(Math.max(0, own) / (2 * CHANGES), 5, detail)
}

async function processorMsOf(replica: Program, work: () => Promise<unknown>) {
  await replica.loop()
  const since = performance.now()
  await work()
  const loop = await replica.loop()
  return { ms: performance.now() - since, processorMs: loop.usedMs, loop }
}

async function make(replica: Program, name: string): Promise<{ readonly id: string; readonly secret: string }> {
  const { secret, token } = await admin(replica, 'POST', '/tokens', { name, projects: ['p1'] })
  return { id: String((token as { id: unknown }).id), secret: String(secret) }
}

async function revoke(replica: Program, id: string): Promise<void> {
  await admin(replica, 'DELETE', `/tokens/${id}`)
}

/** Resolves when a replica accepts the token. */
async function accepted({ url }: Program, secret: string): Promise<void> {
  await until(async () => {
    const answer = await fetch(`${url}/p1/mcp`, { method: 'POST', headers: { authorization: `Bearer ${secret}` } })
    await answer.arrayBuffer()
    return answer.status === 401 ? undefined : true
  }, 60_000)
}

async function admin(
  { url, ownerToken }: Program,
  method: string,
  path: string,
  body?: object,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${ownerToken}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`)
  return text === '' ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>)
}
