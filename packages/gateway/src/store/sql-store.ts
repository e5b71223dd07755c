import type { AuditRepository } from '../model/audit.ts'
import { SECRET_PARTS, unreadableSecrets } from '../model/server-secrets.ts'
import type { LastGoodStore } from '../model/last-good.ts'
import type { UseRepository } from '../model/learned-use.ts'
import type { PinRepository } from '../model/pins.ts'
import type { CostRepository, LoginStore, StateChanges, Store, StoreHealth } from '../model/store.ts'
import type { StoredState } from '../model/stored-state.ts'
import type { Logger } from '../telemetry/logger.ts'
import { SqlAudit } from './audit/sql-audit.ts'
import { schemaVersion } from './migrate.ts'
import type { Keyring } from './secrets/keyring.ts'
import { SecretBox, type SecretPlace } from './secrets/secret-box.ts'
import { SqlCosts } from './sql-costs.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'
import { SqlLastGood } from './sql-last-good.ts'
import { loginPlace, SqlLogins } from './sql-logins.ts'
import { SqlPins } from './sql-pins.ts'
import { EMPTY_STATE, readRevision, readState, StateWriter } from './sql-state.ts'
import { fromServerRow, hasPlainSecret, secretPlace, toServerRow } from './state-rows.ts'
import { SqlUses } from './sql-uses.ts'
import { TokenUses } from './token-uses.ts'

/** The dependencies of {@link SqlStore}. */
interface SqlStoreOptions {
  readonly database: SqlDatabase
  readonly keyring: Keyring
  readonly logger: Logger
  readonly now: () => number
  /** Signs cursors; the same for all gateways on the database. */
  readonly cursorKey: string
  /** Watches for changes of other gateways. Returns the function that stops it. */
  readonly watch: (changed: () => void) => () => Promise<void> | void
  /** Health information of the kind of database. */
  readonly extraHealth?: () => Partial<Pick<StoreHealth, 'latestBackupAt' | 'problems'>>
}

type Listener = (state: StoredState, previous: StoredState) => void

/** The store on SQLite or PostgreSQL. */
export class SqlStore implements Store {
  readonly audit: AuditRepository
  readonly costs: CostRepository
  readonly learned: UseRepository
  readonly lastGood: LastGoodStore
  readonly logins: LoginStore
  readonly pins: PinRepository
  readonly #logins: SqlLogins
  readonly #options: SqlStoreOptions
  readonly #box: SecretBox
  readonly #uses: TokenUses
  readonly #listeners = new Set<Listener>()
  #state: StoredState = EMPTY_STATE
  #isUnavailable = false
  #endWatch: (() => Promise<void> | void) | undefined
  #closed: Promise<void> | undefined

  /** @see SqlStore.open */
  private constructor(options: SqlStoreOptions) {
    const { database, now, logger, cursorKey } = options
    this.#options = options
    this.#box = new SecretBox(options.keyring)
    this.audit = new SqlAudit({ database, cursorKey, now })
    this.costs = new SqlCosts({ database, now })
    this.learned = new SqlUses({ database, now })
    this.lastGood = new SqlLastGood({ database, now })
    this.#logins = new SqlLogins({ database, box: this.#box, now })
    this.logins = this.#logins
    this.pins = new SqlPins({ database, state: this })
    this.#uses = new TokenUses({
      database,
      onWritten: (uses) => this.#noteWritten(uses),
      onProblem: (error) => logger.debug({ error: String(error) }, 'the last use of tokens could not be written yet'),
    })
  }

  /** Reads the state and starts to watch for changes of other gateways. */
  static async open(options: SqlStoreOptions): Promise<SqlStore> {
    const store = new SqlStore(options)
    await store.#sealPlainSecrets()
    store.#state = await options.database.read((db) => readState(db, store.#box))
    for (const { reason, remedy } of await store.#unreadableSecrets()) {
      options.logger.error({ code: 'SECRET_KEY_WRONG' }, `${reason}. ${remedy}`)
    }
    store.#endWatch = options.watch(() => void store.#poll())
    return store
  }

  current(): StoredState {
    return this.#state
  }

  async refresh(): Promise<StoredState> {
    const { database } = this.#options
    const state = await database.read(async (db) =>
      (await readRevision(db)) === this.#state.revision ? this.#state : readState(db, this.#box),
    )
    this.#adopt(state)
    return this.#state
  }

  async change<Result>(work: (changes: StateChanges) => Promise<Result> | Result): Promise<Result> {
    const { database } = this.#options
    const { result, state } = await database.write(async (transaction) => {
      const before = await this.#lock(transaction)
      const writer = new StateWriter(transaction, before, this.#box)
      const result = await Promise.resolve(work(writer)).finally(() => writer.end())
      return { result, state: writer.hasChanged ? await this.#commitAs(transaction, before.revision + 1) : before }
    })
    this.#adopt(state)
    return result
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  noteTokenUse(tokenId: string, at: number): void {
    this.#uses.note(tokenId, at)
  }

  async check(): Promise<StoreHealth> {
    const { database, extraHealth } = this.#options
    const { problems = [], ...extra } = extraHealth?.() ?? {}
    const found = [...problems]
    const version = await schemaVersion(database).catch((error: unknown) => {
      found.push(error instanceof Error ? error.message : String(error))
      return 0
    })
    const { kind } = database.dialect
    const unreadable = await this.#unreadableSecrets().catch(() => [])
    const ok = found.length === 0 && unreadable.length === 0
    const facts = { kind, place: database.place, ok, problems: found, unreadableSecrets: unreadable }
    return { ...facts, schemaVersion: version, ...extra }
  }

  signingKey(purpose: string): Buffer {
    return this.#options.keyring.derive(purpose)
  }

  async rotateSecrets(): Promise<{ readonly rotated: number }> {
    this.#options.keyring.renew()
    return { rotated: await this.#options.database.write((transaction) => rotateSecrets(transaction, this.#box)) }
  }

  close(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  async #close(): Promise<void> {
    await this.#endWatch?.()
    await this.#uses.close()
    await this.#options.database.close()
  }

  /** Encrypts the secrets in arguments and URLs that an earlier release stored in clear. The state stays the same. */
  async #sealPlainSecrets(): Promise<void> {
    const { database, logger } = this.#options
    try {
      const rows = await database.read((db) => db.selectFrom('servers').select('config').execute())
      if (!rows.some(hasPlainSecret)) return
      await database.write(async (transaction) => {
        const all = await transaction.selectFrom('servers').selectAll().execute()
        for (const row of all.filter(hasPlainSecret)) {
          const { id, ...sealed } = toServerRow(fromServerRow(row, this.#box), this.#box, row)
          await transaction.updateTable('servers').set(sealed).where('id', '=', id).execute()
        }
      })
    } catch (error) {
      const remedy = 'Check that the database and the folder of the secret key can be written.'
      logger.error({ error: String(error) }, `Secrets in arguments and URLs could not be encrypted. ${remedy}`)
    }
  }

  /** Locks out other changes until the transaction ends. */
  async #lock(transaction: Sql): Promise<StoredState> {
    const { revision } = await transaction
      .updateTable('store_state')
      .set((eb) => ({ revision: eb.ref('revision') }))
      .returning('revision')
      .executeTakeFirstOrThrow()
    return revision === this.#state.revision ? this.#state : readState(transaction, this.#box)
  }

  async #commitAs(transaction: Sql, revision: number): Promise<StoredState> {
    await transaction.updateTable('store_state').set({ revision }).execute()
    await this.#options.database.dialect.announce(transaction, revision)
    return readState(transaction, this.#box)
  }

  #adopt(state: StoredState): void {
    const previous = this.#state
    // An older read may resolve after a newer one.
    if (state.revision <= previous.revision) return
    this.#state = state
    for (const listener of this.#listeners) {
      try {
        listener(state, previous)
      } catch (error) {
        this.#options.logger.error({ error: String(error) }, 'a listener failed to handle a change')
      }
    }
  }

  async #poll(): Promise<void> {
    try {
      await this.refresh()
      this.#isUnavailable = false
    } catch (error) {
      if (this.#closed !== undefined) return
      if (!this.#isUnavailable)
        this.#options.logger.warn(
          { error: String(error) },
          'the database cannot be read; the last known state stays in use',
        )
      this.#isUnavailable = true
    }
  }

  /** A use is not a change: no new revision, no notification. */
  #noteWritten(uses: ReadonlyMap<string, number>): void {
    const tokens = this.#state.tokens.map((token) => {
      const at = uses.get(token.id)
      return at === undefined || at <= (token.lastUsedAt ?? 0) ? token : { ...token, lastUsedAt: at }
    })
    this.#state = Object.freeze({ ...this.#state, tokens })
  }

  async #unreadableSecrets(): Promise<StoreHealth['unreadableSecrets']> {
    const restore = `Put the key that encrypted them back into ${this.#options.keyring.place}, or`
    const servers = this.#state.servers.flatMap(({ id, config, unreadableSecrets: parts = [] }) => {
      const { reason, remedy } = unreadableSecrets(id, config, parts)
      return parts.length === 0 ? [] : [{ reason, remedy: `${restore} ${remedy}` }]
    })
    const logins = (await this.#logins.unreadable()).map((id) => ({
      reason: `The login at the server ${id} cannot be decrypted`,
      remedy: `${restore} log in again: tooldex server login ${id}`,
    }))
    return [...servers, ...logins]
  }
}

/** Encrypts secrets of older keys with the current key. Secrets that cannot be decrypted stay as they are. */
async function rotateSecrets(transaction: Sql, box: SecretBox): Promise<number> {
  let rotated = 0
  const renewed = (sealed: string | null, place: SecretPlace): string | undefined => {
    if (sealed === null || box.isCurrent(sealed)) return undefined
    const opened = box.open(sealed, place)
    return opened === undefined ? undefined : box.seal(opened.value, place)
  }
  for (const { id, ...secrets } of await transaction
    .selectFrom('servers')
    .select(['id', ...SECRET_PARTS])
    .execute()) {
    for (const column of SECRET_PARTS) {
      const sealed = renewed(secrets[column], secretPlace(id, column))
      if (sealed === undefined) continue
      await transaction
        .updateTable('servers')
        .set({ [column]: sealed })
        .where('id', '=', id)
        .execute()
      rotated++
    }
  }
  for (const row of await transaction.selectFrom('logins').select(['server_id', 'login']).execute()) {
    const login = renewed(row.login, loginPlace(row.server_id))
    if (login === undefined) continue
    await transaction.updateTable('logins').set({ login }).where('server_id', '=', row.server_id).execute()
    rotated++
  }
  return rotated
}
