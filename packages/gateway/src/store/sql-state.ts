import { GatewayError } from '../errors.ts'
import type { PinChange } from '../model/pins.ts'
import type { StateChanges } from '../model/store.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'
import { SECRET_PARTS } from '../model/server-secrets.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { Sql } from './sql-dialect.ts'
import { portionsOf, writePins } from './sql-pins.ts'
import {
  fromEndpointRow,
  fromProjectRows,
  fromServerRow,
  fromTokenRow,
  toEndpointRow,
  toProjectRows,
  toServerRow,
  toTokenRow,
} from './state-rows.ts'
import { fromStorable, toStorable } from './storable-text.ts'

/** The state of an empty store. */
export const EMPTY_STATE: StoredState = Object.freeze({
  revision: -1,
  servers: [],
  projects: [],
  endpoints: [],
  tokens: [],
  settings: new Map<string, unknown>(),
})

/** The revision of the current state. */
export async function readRevision(db: Sql): Promise<number> {
  const { revision } = await db.selectFrom('store_state').select('revision').executeTakeFirstOrThrow()
  return revision
}

/** Reads the whole state. Must run in a transaction, so that the state is consistent. */
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

type EntryTable = 'servers' | 'projects' | 'endpoints' | 'tokens'

/** Writes changes into a transaction. */
export class StateWriter implements StateChanges {
  readonly state: StoredState
  readonly #transaction: Sql
  readonly #box: SecretBox
  #hasChanged = false
  #hasEnded = false

  constructor(transaction: Sql, state: StoredState, box: SecretBox) {
    this.#transaction = transaction
    this.state = state
    this.#box = box
  }

  get hasChanged(): boolean {
    return this.#hasChanged
  }

  /** Refuses further writes, because the transaction is about to be committed. */
  end(): void {
    this.#hasEnded = true
  }

  async putServer(server: StoredServer): Promise<void> {
    const db = this.#changing()
    const before = await db
      .selectFrom('servers')
      .select(['config', ...SECRET_PARTS])
      .where('id', '=', toStorable(server.id))
      .executeTakeFirst()
    const row = toServerRow(server, this.#box, before)
    const position = await this.#nextPosition('servers')
    await db
      .insertInto('servers')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /** Also removes its logins, which are secrets, its last lists and its pins. */
  async removeServer(id: string): Promise<void> {
    const db = this.#changing()
    await db.deleteFrom('servers').where('id', '=', toStorable(id)).execute()
    await db.deleteFrom('logins').where('server_id', '=', toStorable(id)).execute()
    await db.deleteFrom('tool_snapshots').where('server_id', '=', toStorable(id)).execute()
    await db.deleteFrom('pins').where('server_id', '=', toStorable(id)).execute()
  }

  async orderServers(ids: readonly string[]): Promise<void> {
    const db = this.#changing()
    const rows = await db.selectFrom('servers').select('id').orderBy('position').orderBy('id').execute()
    const kept = rows.map(({ id }) => id)
    const wanted = new Set(ids.map(toStorable))
    const order = [...[...wanted].filter((id) => kept.includes(id)), ...kept.filter((id) => !wanted.has(id))]
    for (const [position, id] of order.entries()) {
      await db.updateTable('servers').set({ position }).where('id', '=', id).execute()
    }
  }

  async putProject(project: StoredProject): Promise<void> {
    const db = this.#changing()
    const rows = toProjectRows(project)
    const position = await this.#nextPosition('projects')
    await db
      .insertInto('projects')
      .values({ ...rows.project, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(rows.project))
      .execute()
    await db.deleteFrom('project_servers').where('project_id', '=', rows.project.id).execute()
    await db.deleteFrom('project_tools').where('project_id', '=', rows.project.id).execute()
    for (const portion of portionsOf(rows.servers)) await db.insertInto('project_servers').values(portion).execute()
    for (const portion of portionsOf(rows.tools)) await db.insertInto('project_tools').values(portion).execute()
  }

  async removeProject(id: string): Promise<void> {
    await this.#changing().deleteFrom('projects').where('id', '=', toStorable(id)).execute()
  }

  async putEndpoint(endpoint: StoredEndpoint): Promise<void> {
    const db = this.#changing()
    const row = toEndpointRow(endpoint)
    const position = await this.#nextPosition('endpoints')
    await db
      .insertInto('endpoints')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  async removeEndpoint(id: string): Promise<void> {
    await this.#changing().deleteFrom('endpoints').where('id', '=', toStorable(id)).execute()
  }

  async putToken(token: StoredToken): Promise<void> {
    const db = this.#changing()
    const row = toTokenRow(token)
    await this.#refuseSameSecret(row.id, row.hash)
    const position = await this.#nextPosition('tokens')
    // The last use is written separately, and may be newer than the state that this change is based on.
    const { last_used_at: _noted, ...decided } = row
    await db
      .insertInto('tokens')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(decided))
      .execute()
  }

  async removeToken(id: string): Promise<void> {
    await this.#changing().deleteFrom('tokens').where('id', '=', toStorable(id)).execute()
  }

  async putSetting(name: string, value: unknown): Promise<void> {
    const db = this.#changing()
    const key = toStorable(name)
    if (value === undefined) {
      await db.deleteFrom('settings').where('name', '=', key).execute()
      return
    }
    const text = JSON.stringify(value)
    await db
      .insertInto('settings')
      .values({ name: key, value: text })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: text }))
      .execute()
  }

  putPins(changes: readonly PinChange[]): Promise<ReadonlySet<string>> {
    return writePins(this.#changing(), changes)
  }

  #changing(): Sql {
    if (this.#hasEnded) throw new Error('The transaction is over')
    this.#hasChanged = true
    return this.#transaction
  }

  async #nextPosition(table: EntryTable): Promise<number> {
    const { last } = await this.#transaction
      .selectFrom(table)
      .select(({ fn }) => fn.max<number | null>('position').as('last'))
      .executeTakeFirstOrThrow()
    return (last ?? -1) + 1
  }

  async #refuseSameSecret(id: string, hash: string): Promise<void> {
    const other = await this.#transaction
      .selectFrom('tokens')
      .select('name')
      .where('hash', '=', hash)
      .where('id', '<>', id)
      .executeTakeFirst()
    if (other === undefined) return
    throw new GatewayError('REQUEST_INVALID', { reason: 'another token has the same secret', token: other.name })
  }
}
