import { type RawBuilder, sql } from 'kysely'
import { GatewayError } from '../errors.ts'
import type { PinChange } from '../model/pins.ts'
import type { StateChanges } from '../model/store.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'
import { SECRET_PARTS } from '../model/server-secrets.ts'
import type { SecretBox } from './secrets/secret-box.ts'
import type { Sql } from './sql-dialect.ts'
import { portionsOf, writePins } from './sql-pins.ts'
import type { StateChange } from './state-feed.ts'
import { toEndpointRow, toProjectRows, toServerRow, toTokenRow } from './state-rows.ts'
import { toStorable } from './storable-text.ts'

type EntryTable = 'servers' | 'projects' | 'endpoints' | 'tokens'

/** Writes changes into a transaction. */
export class StateWriter implements StateChanges {
  readonly state: StoredState
  readonly #transaction: Sql
  readonly #box: SecretBox
  readonly #changes: StateChange[] = []
  #hasEnded = false

  constructor(transaction: Sql, state: StoredState, box: SecretBox) {
    this.#transaction = transaction
    this.state = state
    this.#box = box
  }

  /** What was changed so far, for the feed. */
  get changes(): readonly StateChange[] {
    return this.#changes
  }

  /** Refuses further writes, because the transaction is about to be committed. */
  end(): void {
    this.#hasEnded = true
  }

  async putServer(server: StoredServer): Promise<void> {
    const db = this.#changing('server', server.id, 'put')
    const before = await db
      .selectFrom('servers')
      .select(['config', ...SECRET_PARTS])
      .where('id', '=', toStorable(server.id))
      .executeTakeFirst()
    const row = toServerRow(server, this.#box, before)
    const position = this.#nextPosition('servers')
    await db
      .insertInto('servers')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  /** Also removes its logins, which are secrets, its last lists and its pins. */
  async removeServer(id: string): Promise<void> {
    const db = this.#changing('server', id, 'remove')
    await db.deleteFrom('servers').where('id', '=', toStorable(id)).execute()
    await db.deleteFrom('logins').where('server_id', '=', toStorable(id)).execute()
    await db.deleteFrom('tool_snapshots').where('server_id', '=', toStorable(id)).execute()
    await db.deleteFrom('pins').where('server_id', '=', toStorable(id)).execute()
  }

  async orderServers(ids: readonly string[]): Promise<void> {
    const db = this.#changing('server', '', 'order')
    const rows = await db.selectFrom('servers').select('id').orderBy('position').orderBy('id').execute()
    const kept = rows.map(({ id }) => id)
    const wanted = new Set(ids.map(toStorable))
    const order = [...[...wanted].filter((id) => kept.includes(id)), ...kept.filter((id) => !wanted.has(id))]
    for (const [position, id] of order.entries()) {
      await db.updateTable('servers').set({ position }).where('id', '=', id).execute()
    }
  }

  async putProject(project: StoredProject): Promise<void> {
    const db = this.#changing('project', project.id, 'put')
    const rows = toProjectRows(project)
    const position = this.#nextPosition('projects')
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
    await this.#changing('project', id, 'remove').deleteFrom('projects').where('id', '=', toStorable(id)).execute()
  }

  async putEndpoint(endpoint: StoredEndpoint): Promise<void> {
    const db = this.#changing('endpoint', endpoint.id, 'put')
    const row = toEndpointRow(endpoint)
    const position = this.#nextPosition('endpoints')
    await db
      .insertInto('endpoints')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
      .execute()
  }

  async removeEndpoint(id: string): Promise<void> {
    await this.#changing('endpoint', id, 'remove').deleteFrom('endpoints').where('id', '=', toStorable(id)).execute()
  }

  async putToken(token: StoredToken): Promise<void> {
    const db = this.#changing('token', token.id, 'put')
    const row = toTokenRow(token)
    await this.#refuseSameSecret(row.id, row.hash)
    const position = this.#nextPosition('tokens')
    // The last use is written separately, and may be newer than the state that this change is based on.
    const { last_used_at: _noted, ...decided } = row
    await db
      .insertInto('tokens')
      .values({ ...row, position })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(decided))
      .execute()
  }

  async removeToken(id: string): Promise<void> {
    await this.#changing('token', id, 'remove').deleteFrom('tokens').where('id', '=', toStorable(id)).execute()
  }

  async putSetting(name: string, value: unknown): Promise<void> {
    const db = this.#changing('setting', name, 'put')
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
    return writePins(this.#changing('pins', '', 'put'), changes)
  }

  #changing(kind: StateChange['kind'], id: string, how: StateChange['how']): Sql {
    if (this.#hasEnded) throw new Error('The transaction is over')
    this.#changes.push({ kind, entry_id: toStorable(id), how })
    return this.#transaction
  }

  /** Behind all others. An index finds the last one. */
  #nextPosition(table: EntryTable): RawBuilder<number> {
    return sql<number>`(select coalesce(max(position), -1) + 1 from ${sql.table(table)})`
  }

  /** The state is that of the transaction, and tokens that it has changed itself are in the table only. */
  async #refuseSameSecret(id: string, hash: string): Promise<void> {
    const isAlone = this.#changes.every(({ kind, entry_id }) => kind !== 'token' || entry_id === id)
    const known = isAlone ? this.state.tokens.withHash(hash) : undefined
    if (isAlone && (known === undefined || toStorable(known.id) === id)) return
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
