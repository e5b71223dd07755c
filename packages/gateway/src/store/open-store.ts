import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '../model/store.ts'
import type { Logger } from '../telemetry/logger.ts'
import { LastKnown, type SavedState } from './last-known.ts'
import { migrate, schemaVersion } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { KeyFile, Keyring } from './secrets/keyring.ts'
import { SecretBox } from './secrets/secret-box.ts'
import type { SqlDatabase } from './sql-database.ts'
import { SqlStore } from './sql-store.ts'

/** Location, keys and timing of the store. */
export interface OpenStoreOptions {
  /** The folder of the key file and, without `databaseUrl`, of the database. Created if missing. */
  readonly dataDir: string
  /** `postgres://…`; without it, a SQLite file in the data folder. */
  readonly databaseUrl?: string
  /** Keys for secrets, separated by commas, the current one first; without them, those of `secret.key` in the data folder. */
  readonly secretKey?: string
  readonly logger: Logger
  readonly now?: () => number
  /** The interval of polling for changes of other gateways, in milliseconds. */
  readonly pollMs?: number
  /** Starts from the state that was last known if the database is away. Only for PostgreSQL, and only to serve. */
  readonly mayStartBehind?: boolean
  /** Default: all of this release. */
  readonly migrations?: readonly Migration[]
  /** How long to retry while the database is locked or unavailable, in milliseconds. */
  readonly retryForMs?: number
}

/** The name of the database file in the data folder. */
const SQLITE_FILE = 'tooldex.db'
/** Half of the second within which every gateway on a database refuses a revoked token (R44). */
const POLL_MS = 500
const RETRY_FOR_MS = 10_000
/** How long a start waits for a database if it can do without. */
const PATIENCE_MS = 3_000
const TRY_AGAIN_MS = 500

/**
 * Opens the store and migrates its tables.
 * @throws GatewayError STORE_UNAVAILABLE, STORE_CORRUPT, STORE_TOO_NEW, SECRET_KEY_WRONG
 */
export async function openStore(options: OpenStoreOptions): Promise<Store> {
  const keyring = new Keyring(new KeyFile(join(options.dataDir, 'secret.key')), options.secretKey)
  return options.databaseUrl === undefined
    ? openSqliteStore(options, keyring)
    : openPostgresStore(options, keyring, options.databaseUrl)
}

async function openSqliteStore(options: OpenStoreOptions, keyring: Keyring): Promise<Store> {
  const { dataDir, logger, now = Date.now, pollMs = POLL_MS, retryForMs = RETRY_FOR_MS } = options
  const { openSqlite } = await import('./sqlite/open-sqlite.ts')
  const { Backups, BackupSchedule } = await import('./sqlite/backups.ts')
  const path = join(dataDir, SQLITE_FILE)
  const backups = new Backups(join(dataDir, 'backups'))
  const database = await openSqlite(path, { backups, retryForMs })
  return closingOnFailure(database, async () => {
    const version = await schemaVersion(database)
    if (version > 0 && version < MIGRATIONS.length) await backups.make(path, now())
    const cursorKey = await prepare(database, options)
    const schedule = new BackupSchedule({ backups, path, logger, now })
    const watch = (changed: () => void): (() => Promise<void>) => {
      const timer = setInterval(changed, pollMs).unref()
      return () => {
        clearInterval(timer)
        return schedule.stop()
      }
    }
    return SqlStore.open({
      ...{ database, keyring, logger, now, cursorKey, watch },
      extraHealth: () => schedule.health(),
    })
  })
}

async function openPostgresStore(options: OpenStoreOptions, keyring: Keyring, url: string): Promise<Store> {
  const { logger, now = Date.now, pollMs = POLL_MS, retryForMs = RETRY_FOR_MS } = options
  const [{ openPostgres }, { SqlSharedLimits }] = await Promise.all([
    import('./postgres/open-postgres.ts'),
    import('./postgres/sql-shared-limits.ts'),
  ])
  const { database, forLimits, listen, takeTurns } = openPostgres(url, { logger, retryForMs })
  return closingOnFailure(database, async () => {
    const lastKnown = new LastKnown({
      folder: join(options.dataDir, 'last-known'),
      ...{ box: new SecretBox(keyring), logger, now },
    })
    const prepared = await prepareOrFallBack(database, options, lastKnown)
    const watch = (changed: () => void): (() => Promise<void>) => {
      const timer = setInterval(changed, pollMs).unref()
      const listener = listen(changed)
      return () => {
        clearInterval(timer)
        return listener.close()
      }
    }
    const limits = new SqlSharedLimits(forLimits)
    return SqlStore.open({
      ...{ database, keyring, logger, now, watch, limits, takeTurns },
      ...prepared,
      ...(options.mayStartBehind === true && { lastKnown }),
    })
  })
}

/** Prepares the tables, or finds the state to start from while the database is away. */
async function prepareOrFallBack(
  database: SqlDatabase,
  options: OpenStoreOptions,
  lastKnown: LastKnown,
): Promise<{ readonly cursorKey: string; readonly behind?: SavedState & { readonly prepared: Promise<unknown> } }> {
  if (options.mayStartBehind !== true || !(await lastKnown.isSaved())) {
    return { cursorKey: await prepare(database, options) }
  }
  const unheld = database.unheld()
  let isGivenUp = false
  const untilPrepared = async (): Promise<string> => {
    for (;;) {
      try {
        return await prepare(unheld, options)
      } catch (error) {
        if (isGivenUp || !unheld.isTransient(error)) throw error
        await delay(TRY_AGAIN_MS)
      }
    }
  }
  const prepared = untilPrepared()
  const late = delay(Math.min(PATIENCE_MS, options.retryForMs ?? RETRY_FOR_MS))
  const cursorKey = await Promise.race([prepared, late])
  if (cursorKey !== undefined) return { cursorKey }
  // Not before: with many tokens it takes as long as the rest of the start.
  const saved = await lastKnown.load()
  if (saved === undefined) {
    isGivenUp = true
    prepared.catch(() => {})
    return { cursorKey: await prepare(database, options) }
  }
  return { cursorKey: saved.cursorKey, behind: { ...saved, prepared } }
}

async function closingOnFailure(database: SqlDatabase, open: () => Promise<Store>): Promise<Store> {
  try {
    return await open()
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Migrates the tables. Resolves to the key that signs cursors. */
async function prepare(
  database: SqlDatabase,
  { now = Date.now, migrations = MIGRATIONS }: Pick<OpenStoreOptions, 'now' | 'migrations'>,
): Promise<string> {
  await migrate(database, { now, migrations })
  const { cursor_key } = await database.read((db) =>
    db.selectFrom('store_state').select('cursor_key').executeTakeFirstOrThrow(),
  )
  return cursor_key
}
