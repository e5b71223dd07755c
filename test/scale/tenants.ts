import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { openStore } from '../../packages/gateway/src/store/open-store.ts'
import { silentLogger } from '../../packages/gateway/src/telemetry/logger.ts'
import { SECRET_KEY } from './fleet.ts'
import { SERVERS, toolName } from './many-tools.ts'

/** How much a database has. */
export interface TenantCounts {
  readonly projects: number
  readonly tokens: number
}

/** The secret of a token of a project, which is named by its number. */
export const secretOf = (project: number): string => `tdx_scale-${project - 1}`

/** Projects that have nearly all servers; the others have a few. */
export const WIDE_PROJECTS = 200
const WIDE = 475
const NARROW = 20

/** Fills an empty database with projects, each with a denied tool and an endpoint, and with tokens of one project each. */
export async function seedTenants(databaseUrl: string, { projects, tokens }: TenantCounts): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-seed-'))
  const store = await openStore({ dataDir, databaseUrl, secretKey: SECRET_KEY, logger: silentLogger() })
  await store.close()
  rmSync(dataDir, { recursive: true })
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  try {
    const id = `'p' || n`
    const from = (count: number): string => `from generate_series(1, ${count}) n`
    await client.query(`insert into projects
      (id, position, created_at, updated_at, says_optimization, lists_servers, lists_tools, config)
      select ${id}, n, 1, 1, 0, 1, 1, '{}' ${from(projects)}`)
    // Project 1 has the first servers, project 2 those from the second on, and so on, in a circle.
    await client.query(`insert into project_servers (project_id, position, server_id)
      select ${id}, at, 's' || (n + at) % ${SERVERS} ${from(projects)},
        generate_series(0, case when n <= ${WIDE_PROJECTS} then ${WIDE} else ${NARROW} end - 1) at`)
    await client.query(`insert into project_tools (project_id, tool_key, position, allowed, config)
      select ${id}, 's' || (n + 1) % ${SERVERS} || ':${toolName(0)}', 0, 0, '{}' ${from(projects)}`)
    await client.query(`insert into endpoints (id, position, created_at, updated_at, project_id, config)
      select ${id}, n, 1, 1, ${id}, '{"auth":"token","transparent":false}' ${from(projects)}`)
    await client.query(`insert into tokens
      (id, position, created_at, updated_at, name, kind, hash, projects, read_only)
      select 'token-' || n, n, 1, 1, 'Token ' || n, 'client', encode(sha256(('tdx_scale-' || n)::bytea), 'hex'),
        '["p' || (n % ${projects}) + 1 || '"]', 0 ${from(tokens)}`)
    await client.query('update store_state set revision = revision + 1')
    await client.query('analyze')
  } finally {
    await client.end()
  }
}
