import type { AuditRepository } from '../model/audit.ts'
import { SECRET_PARTS, unreadableSecrets } from '../model/server-secrets.ts'
import type { LastGoodStore } from '../model/last-good.ts'
import type { UseRepository } from '../model/learned-use.ts'
import type { PinRepository } from '../model/pins.ts'
import type { CostRepository, LoginStore, StateChanges, Store, StoreFigures, StoreHealth } from '../model/store.ts'
import type { SharedLimits } from '../model/shared-limits.ts'
import type { ReplicaRepository } from '../model/replicas.ts'
import type { StoredState } from '../model/stored-state.ts'
import type { Logger } from '../telemetry/logger.ts'
import { SqlAudit } from './audit/sql-audit.ts'
import { schemaVersion } from './migrate.ts'
import { type LastKnown, type SavedState, withLastKnownPins } from './last-known.ts'
import type { Keyring } from './secrets/keyring.ts'
import { SecretBox, type SecretPlace } from './secrets/secret-box.ts'
import { SqlCosts } from './sql-costs.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'
import { SqlLastGood } from './sql-last-good.ts'
import { loginPlace, SqlLogins } from './sql-logins.ts'
import { SqlPins } from './sql-pins.ts'
import { SqlReplicas } from './sql-replicas.ts'
import { StateWriter } from './sql-state.ts'
import {
  ageOfRevision,
  EMPTY_STATE,
  nextState,
  readState,
  recordChanges,
  type StateChange,
  type StateReading,
} from './state-feed.ts'
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
  /** Keeps the state for a start without the database. */
  readonly lastKnown?: LastKnown
  /** Set if the database is away: the state comes from `lastKnown`. */
  readonly behind?: BehindStart
  /** Limits of all gateways on the database, where there may be several. */
  readonly limits?: SharedLimits
  readonly takeTurns?: NonNullable<Store['takeTurns']>
  /** Health information of the kind of database. */
  readonly extraHealth?: () => Partial<Pick<StoreHealth, 'latestBackupAt' | 'problems'>>
}

/** A start without the database. */
interface BehindStart extends SavedState {
  /** Resolves when the database was reached and its tables are prepared. */
  readonly prepared: Promise<unknown>
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
  readonly limits?: SharedLimits
  readonly takeTurns?: NonNullable<Store['takeTurns']>
  readonly replicas: ReplicaRepository
  readonly #logins: SqlLogins
  readonly #options: SqlStoreOptions
  readonly #box: SecretBox
  readonly #reading: StateReading
  readonly #uses: TokenUses
  readonly #listeners = new Set<Listener>()
  readonly #lagListeners = new Set<(ms: number) => void>()
  #state: StoredState = EMPTY_STATE
  /** How many changes are being made by this gateway. */
  #changing = 0
  #isUnavailable = false
  #isBehind = false
  #endWatch: (() => Promise<void> | void) | undefined
  #closed: Promise<void> | undefined

  /** @see SqlStore.open */
  private constructor(options: SqlStoreOptions) {
    const { database, now, logger, cursorKey } = options
    this.#options = options
    this.#box = new SecretBox(options.keyring)
    this.#reading = { box: this.#box, dialect: database.dialect }
    this.audit = new SqlAudit({ database, cursorKey, now })
    this.costs = new SqlCosts({ database, now })
    this.learned = new SqlUses({ database, now })
    this.lastGood = new SqlLastGood({ database, now })
    this.#logins = new SqlLogins({ database, box: this.#box, now })
    this.logins = this.#logins
    const pins = new SqlPins({ database, state: this })
    const { lastKnown } = options
    this.pins = lastKnown === undefined ? pins : withLastKnownPins(pins, lastKnown, () => this.#isBehind)
    if (options.limits !== undefined) this.limits = options.limits
    if (options.takeTurns !== undefined) this.takeTurns = options.takeTurns
    this.replicas = new SqlReplicas({ database })
    this.#uses = new TokenUses({
      database,
      onProblem: (error) => logger.debug({ error: String(error) }, 'the last use of tokens could not be written yet'),
    })
  }

  /** Reads the state and starts to watch for changes of other gateways. */
  static async open(options: SqlStoreOptions): Promise<SqlStore> {
    const store = new SqlStore(options)
    const { behind, lastKnown, cursorKey } = options
    if (behind === undefined) {
      await store.#sealPlainSecrets()
      store.#state = await options.database.read((db) => readState(db, store.#reading))
      await store.#reportUnreadable()
    } else store.#startBehind(behind)
    store.#endWatch = options.watch(() => void store.#poll())
    const pins = new SqlPins({ database: options.database, state: store })
    lastKnown?.follow({ state: () => store.#state, cursorKey, pins })
    return store
  }

  /** Serves the saved state until the database is reached. */
  #startBehind({ state, at, prepared }: BehindStart): void {
    const { database, logger } = this.#options
    const savedAt = new Date(at).toISOString()
    const message = 'the database is away: the gateway starts from the state that it last knew, and refuses changes'
    logger.warn({ savedAt, revision: state.revision }, message)
    this.#state = state
    this.#isBehind = true
    database.hold()
    const reached = async (): Promise<void> => {
      await prepared
      if (this.#closed !== undefined) return
      database.release()
      await this.refresh()
      this.#isBehind = false
      logger.warn({ revision: this.#state.revision }, 'the database is back, and the gateway has caught up with it')
      await this.#reportUnreadable()
    }
    reached().catch((error: unknown) => {
      if (this.#closed === undefined) logger.error({ error: String(error) }, 'the database cannot be used')
    })
  }

  async #reportUnreadable(): Promise<void> {
    for (const { reason, remedy } of await this.#unreadableSecrets()) {
      this.#options.logger.error({ code: 'SECRET_KEY_WRONG' }, `${reason}. ${remedy}`)
    }
  }

  current(): StoredState {
    return this.#state
  }

  async refresh(): Promise<StoredState> {
    const { database } = this.#options
    const before = this.#state.revision
    const { state, age, readAt } = await database.read(async (db) => {
      const state = await readState(db, this.#reading, this.#state)
      const isNew = state.revision > before
      const age = isNew ? await ageOfRevision(db, state.revision, database.dialect.now) : undefined
      return { state, age, readAt: performance.now() }
    })
    // A change of this gateway may be read before its own transaction has been answered.
    const isOfOthers = state.revision > this.#state.revision && this.#changing === 0
    this.#adopt(state)
    if (age !== undefined && isOfOthers) for (const each of this.#lagListeners) each(age + performance.now() - readAt)
    return this.#state
  }

  async change<Result>(work: (changes: StateChanges) => Promise<Result> | Result): Promise<Result> {
    this.#changing += 1
    try {
      return await this.#change(work)
    } finally {
      this.#changing -= 1
    }
  }

  async #change<Result>(work: (changes: StateChanges) => Promise<Result> | Result): Promise<Result> {
    const { database } = this.#options
    const { result, state } = await database.write(async (transaction) => {
      const before = await this.#lock(transaction)
      const writer = new StateWriter(transaction, before, this.#box)
      const result = await Promise.resolve(work(writer)).finally(() => writer.end())
      return { result, state: await this.#committed(transaction, before, writer.changes) }
    })
    this.#adopt(state)
    return result
  }

  onChange(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  onLag(listener: (ms: number) => void): () => void {
    this.#lagListeners.add(listener)
    return () => void this.#lagListeners.delete(listener)
  }

  noteTokenUse(tokenId: string, at: number): void {
    this.#uses.note(tokenId, at)
  }

  figures(): StoreFigures {
    return { ...this.#options.database.figures(), isBehind: this.#isBehind }
  }

  lastUses(tokenIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#uses.of(tokenIds)
  }

  async check(): Promise<StoreHealth> {
    const { database, extraHealth } = this.#options
    const { problems = [], ...extra } = extraHealth?.() ?? {}
    const found = [...problems]
    if (this.#isBehind) found.push(behindSentence(this.#options.behind))
    const version = await database
      .soon(() => schemaVersion(database))
      .catch((error: unknown) => {
        found.push(error instanceof Error ? error.message : String(error))
        return 0
      })
    const { kind } = database.dialect
    const isAway = found.length > problems.length
    const unreadable = isAway ? [] : await database.soon(() => this.#unreadableSecrets()).catch(() => [])
    const ok = found.length === 0 && unreadable.length === 0
    const facts = { kind, place: database.place, ok, problems: found, unreadableSecrets: unreadable }
    return { ...facts, schemaVersion: version, ...extra }
  }

  signingKey(purpose: string): Buffer {
    return this.#options.keyring.derive(purpose)
  }

  signingKeys(purpose: string): readonly Buffer[] {
    return this.#options.keyring.deriveAll(purpose)
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
    if (!this.#isBehind) await this.#options.lastKnown?.close()
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

  /** Locks out other changes until the transaction ends. Resolves to the state that they left. */
  async #lock(transaction: Sql): Promise<StoredState> {
    const { revision } = await transaction
      .updateTable('store_state')
      .set((eb) => ({ revision: eb.ref('revision') }))
      .returning('revision')
      .executeTakeFirstOrThrow()
    return readState(transaction, this.#reading, this.#state, revision)
  }

  /** The state with the changes of a transaction, which other gateways find in the feed. */
  async #committed(transaction: Sql, before: StoredState, changes: readonly StateChange[]): Promise<StoredState> {
    if (changes.length === 0) return before
    const revision = before.revision + 1
    await transaction.updateTable('store_state').set({ revision }).execute()
    const { dialect } = this.#options.database
    await recordChanges(transaction, revision, changes, dialect.now)
    await dialect.announce(transaction, revision)
    return nextState(transaction, this.#box, before, changes)
  }

  #adopt(state: StoredState): void {
    const previous = this.#state
    // An older read may resolve after a newer one.
    if (state.revision <= previous.revision) return
    this.#state = state
    this.#options.lastKnown?.changed()
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

function behindSentence(behind: BehindStart | undefined): string {
  const savedAt = new Date(behind?.at ?? 0).toISOString()
  return `The gateway started without its database and serves the state that it saved at ${savedAt}. Changes are refused until the database answers.`
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
