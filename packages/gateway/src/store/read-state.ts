import type { StoredState } from '../model/stored-state.ts'
import type { Sql } from './flavour.ts'
import { fromEndpointRow } from './rows/endpoint-rows.ts'
import { fromProjectRows } from './rows/project-rows.ts'
import { fromServerRow } from './rows/server-rows.ts'
import { fromTokenRow } from './rows/token-rows.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import { fromStorable } from './storable-text.ts'

/** What there is before anything was decided. */
export const EMPTY_STATE: StoredState = Object.freeze({
  revision: -1,
  servers: [],
  projects: [],
  endpoints: [],
  tokens: [],
  settings: new Map<string, unknown>(),
})

/** The number of the state that holds. */
export async function readRevision(db: Sql): Promise<number> {
  const { revision } = await db.selectFrom('store_state').select('revision').executeTakeFirstOrThrow()
  return revision
}

/** Everything that was decided. Within a transaction, so that it is one moment's state. */
export async function readState(db: Sql, box: SecretBox): Promise<StoredState> {
  const revision = await readRevision(db)
  const servers = await db.selectFrom('servers').selectAll().orderBy('position').orderBy('id').execute()
  const endpoints = await db.selectFrom('endpoints').selectAll().orderBy('position').orderBy('id').execute()
  const tokens = await db.selectFrom('tokens').selectAll().orderBy('position').orderBy('id').execute()
  const settings = await db.selectFrom('settings').selectAll().orderBy('name').execute()
  return Object.freeze({
    revision,
    servers: servers.map((row) => fromServerRow(row, box)),
    projects: await readProjects(db),
    endpoints: endpoints.map(fromEndpointRow),
    tokens: tokens.map(fromTokenRow),
    settings: new Map(settings.map(({ name, value }) => [fromStorable(name), JSON.parse(value) as unknown])),
  })
}

async function readProjects(db: Sql): Promise<StoredState['projects']> {
  const projects = await db.selectFrom('projects').selectAll().orderBy('position').orderBy('id').execute()
  const servers = await db.selectFrom('project_servers').selectAll().orderBy('position').execute()
  const tools = await db.selectFrom('project_tools').selectAll().orderBy('position').execute()
  const serversOf = Map.groupBy(servers, ({ project_id }) => project_id)
  const toolsOf = Map.groupBy(tools, ({ project_id }) => project_id)
  return projects.map((project) =>
    fromProjectRows({ project, servers: serversOf.get(project.id) ?? [], tools: toolsOf.get(project.id) ?? [] }),
  )
}
