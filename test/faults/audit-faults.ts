/** A large audit log: queries must be as fast as on the first day. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import type { AuditFilter } from '../../packages/gateway/src/model/audit.ts'
import { openStore } from '../../packages/gateway/src/store/open-store.ts'
import { silentLogger } from '../../packages/gateway/src/telemetry/logger.ts'
import { startPostgres } from '../kit/postgres.ts'
import { type Fault, promise, timed, within } from './fault.ts'
import { Home } from './program.ts'

const ENTRIES = { quick: 20_000, usual: 1_000_000, full: 1_000_000 } as const
const PAGE_MS = 50
const START = 1_800_000_000_000

/** Common queries; one in a hundred calls fails, one in five entries is a search. */
const FILTERS: Readonly<Record<string, AuditFilter>> = {
  everything: {},
  'a token': { tokenId: 'token-7' },
  'a tool': { toolKey: 'server-7:tool-207' },
  'a project’s calls': { projectId: 'project-3', kind: 'call' },
  'a server’s failures': { serverId: 'server-1', outcome: 'error' },
  'a token’s failures': { tokenId: 'token-7', outcome: 'error' },
  'one code': { outcome: 'SERVER_TIMEOUT' },
  'a request': { requestId: 'request-500' },
  'an hour of a project': { projectId: 'project-3', from: START + 3_600_000, until: START + 7_200_000 },
  'a token at a server': { tokenId: 'token-7', serverId: 'server-4' },
  'a token with a tool': { tokenId: 'token-48', toolKey: 'server-7:tool-207' },
}

/** Filters that many entries match in part, and none as a whole. */
const FRUITLESS: Readonly<Record<string, AuditFilter>> = {
  'a project without searches': { projectId: 'project-3', kind: 'search' },
  'its successful ones': { projectId: 'project-3', kind: 'search', outcome: 'ok' },
  'its latest ones': { projectId: 'project-3', kind: 'search', from: START + 10_000_000 },
  'an endpoint of another project': { projectId: 'project-3', endpointId: 'endpoint-4' },
  'a server of another project': { projectId: 'project-3', serverId: 'server-4' },
  'searches at a server': { serverId: 'server-1', kind: 'search' },
  'a code that never was': { outcome: 'SERVER_UNHEARD_OF' },
  'failures of an unknown token': {
    tokenId: 'token-7',
    projectId: 'project-3',
    endpointId: 'endpoint-4',
    outcome: 'error',
  },
}

/** SQL for both databases. */
const INSERT_FROM_NUMBERS = `
  insert into audit_entries
    (at, kind, request_id, token_id, project_id, endpoint_id, server_id, tool_key, outcome, duration_ms, details)
  select ${START} + n * 1000, case when n % 5 = 0 then 'search' else 'call' end, 'request-' || n, 'token-' || (n % 53),
    'project-' || (n % 10), 'endpoint-' || (n % 10), case when n % 5 = 0 then null else 'server-' || (n % 200) end,
    case when n % 5 = 0 then null else 'server-' || (n % 200) || ':tool-' || (n % 3000) end,
    case when n % 101 > 0 then 'ok' when n % 5 = 0 then 'SERVER_TIMEOUT' else 'SERVER_BUSY' end,
    12.5, '{"requestBytes":100,"resultBytes":1000}'
  from number`

export const AUDIT_FAULTS: readonly Fault[] = [
  {
    name: 'audit-million',
    isQuick: true,
    run: async (size) => {
      using home = new Home()
      const options = { dataDir: home.dataDir, logger: silentLogger() }
      await (await openStore(options)).close()
      fillSqlite(join(home.dataDir, 'tooldex.db'), ENTRIES[size])
      return await findIn(options, ENTRIES[size])
    },
  },
  {
    name: 'audit-million-postgres',
    isQuick: false,
    run: async (size) => {
      using home = new Home()
      const server = await startPostgres()
      try {
        const options = { dataDir: home.dataDir, databaseUrl: server.url, logger: silentLogger() }
        await (await openStore(options)).close()
        await fillPostgres(server.url, ENTRIES[size])
        return await findIn(options, ENTRIES[size])
      } finally {
        await server.stop()
      }
    },
  },
]

/** @throws Broken unless each page comes in time, and the next one begins where it ends */
async function findIn(options: Parameters<typeof openStore>[0], count: number): Promise<string> {
  const { value: store, ms: startMs } = await timed(() => openStore(options))
  try {
    const times: string[] = []
    for (const [name, filter] of Object.entries(FILTERS)) {
      const { found, told } = await pages(store, name, filter, 2)
      times.push(told)
      promise(found > 0, `${name}: nothing was found`)
    }
    for (const [name, filter] of Object.entries(FRUITLESS)) {
      const { found, told } = await pages(store, name, filter, Infinity)
      times.push(told)
      promise(found === 0, `${name}: found ${found} entries that do not fit`)
    }
    return `${count} entries, opened in ${startMs.toFixed(0)} ms: ${times.join(', ')}`
  } finally {
    await store.close()
  }
}

/** Reads pages until some are full or nothing is left. @throws Broken unless each comes in time, with other entries */
async function pages(
  { audit }: Awaited<ReturnType<typeof openStore>>,
  name: string,
  filter: AuditFilter,
  most: number,
): Promise<{ readonly found: number; readonly told: string }> {
  const ids = new Set<string>()
  let [given, slowest, found] = [0, 0, 0]
  for (let cursor: string | undefined; ; ) {
    const { value, ms } = await timed(() => audit.page(filter, { limit: 50, ...(cursor !== undefined && { cursor }) }))
    within(ms, PAGE_MS, `${name}, page ${given + 1},`)
    for (const { id } of value.entries) ids.add(id)
    found += value.entries.length
    promise(ids.size === found, `${name}: an entry is on two pages`)
    given += 1
    slowest = Math.max(slowest, ms)
    cursor = value.nextCursor
    if (cursor === undefined || found >= most * 50) break
  }
  return { found, told: `${name} ${slowest.toFixed(0)} ms${given > 2 ? ` (the slowest of ${given} pages)` : ''}` }
}

/** In one statement, which generates the entries of years in a minute. */
function fillSqlite(path: string, count: number): void {
  using database = new DatabaseSync(path)
  database.exec('pragma synchronous = off; pragma cache_size = -64000')
  database.exec(`
    with recursive number (n) as (select 0 union all select n + 1 from number where n < ${count - 1})
    ${INSERT_FROM_NUMBERS}`)
}

async function fillPostgres(url: string, count: number): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(`with number as (select n from generate_series(0, ${count - 1}) as n) ${INSERT_FROM_NUMBERS}`)
    // The database does this by itself after a minute.
    await client.query('vacuum analyze audit_entries')
  } finally {
    await client.end()
  }
}
