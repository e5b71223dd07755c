import type { LoginStore } from '../model/store.ts'
import type { SecretBox, SecretPlace } from './secrets/secret-box.ts'
import type { SqlDatabase } from './sql-database.ts'
import { fromStorable, toStorable } from './storable-text.ts'

/** The place of a login. */
export function loginPlace(row: string): SecretPlace {
  return { table: 'logins', row, column: 'login' }
}

/** Logins at servers, encrypted. */
export class SqlLogins implements LoginStore {
  readonly #database: SqlDatabase
  readonly #box: SecretBox
  readonly #now: () => number

  constructor({ database, box, now }: { database: SqlDatabase; box: SecretBox; now: () => number }) {
    this.#database = database
    this.#box = box
    this.#now = now
  }

  async load(serverId: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const server_id = toStorable(serverId)
    const row = await this.#database.read((db) =>
      db.selectFrom('logins').select('login').where('server_id', '=', server_id).executeTakeFirst(),
    )
    const opened = row === undefined ? undefined : this.#box.open(row.login, loginPlace(server_id))
    return opened?.value as Readonly<Record<string, unknown>> | undefined
  }

  /** The servers whose login no available key decrypts. */
  async unreadable(): Promise<string[]> {
    const rows = await this.#database.read((db) => db.selectFrom('logins').select(['server_id', 'login']).execute())
    return rows
      .filter(({ server_id, login }) => this.#box.open(login, loginPlace(server_id)) === undefined)
      .map(({ server_id }) => fromStorable(server_id))
  }

  async save(serverId: string, value: Readonly<Record<string, unknown>>): Promise<void> {
    const server_id = toStorable(serverId)
    const login = this.#box.seal(value, loginPlace(server_id))
    const updated_at = this.#now()
    await this.#database.write((transaction) =>
      transaction
        .insertInto('logins')
        .values({ server_id, login, updated_at })
        .onConflict((conflict) => conflict.column('server_id').doUpdateSet({ login, updated_at }))
        .execute(),
    )
  }

  async remove(serverId: string): Promise<void> {
    await this.#database.write((transaction) =>
      transaction.deleteFrom('logins').where('server_id', '=', toStorable(serverId)).execute(),
    )
  }
}
