import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { GatewayError } from '../../errors.ts'
import { SqlDatabase, type SqlDatabaseOptions } from '../sql-database.ts'
import { sqliteDialect } from '../sql-dialect.ts'
import type { Tables } from '../tables.ts'
import type { Backups } from './backups.ts'
import { nodeSqliteDialect, type NodeSqliteOptions, Mutex } from './node-sqlite-dialect.ts'
import type { BackgroundLimits } from './sqlite-background.ts'
import { classifySqliteError } from './sqlite-errors.ts'
import { SqliteFile } from './sqlite-file.ts'

const LOG_BYTES = 'journal_size_limit = 67108864'
const LARGE_CACHE = 'cache_size = -16000'
const NO_SYNC = 'synchronous = normal'

/** Connections in this thread: few, small writes. Checkpoints are slow and happen in the background thread, if it runs. */
const IN_PROCESS = {
  // Without `secure_delete`, a secret that was removed or encrypted stays in the file until its place is reused.
  writer: ['journal_mode = wal', NO_SYNC, 'wal_autocheckpoint = 16000', LOG_BYTES, 'secure_delete = on'],
  reader: ['query_only = on'],
  scanner: ['query_only = on'],
} as const

/** Connections in the background thread: frequent writes of audit entries, which share a checkpoint. */
const BACKGROUND = {
  bulk: [NO_SYNC, 'wal_autocheckpoint = 4000', LOG_BYTES, LARGE_CACHE],
  scanner: ['query_only = on', LARGE_CACHE],
} as const

/** How long to retry while the file is locked, and the limits of the thread. */
interface SqliteLimits extends BackgroundLimits {
  readonly retryForMs: number
}

/**
 * Opens the file, or creates it, readable by its owner only.
 * @throws GatewayError STORE_CORRUPT, STORE_UNAVAILABLE
 */
export async function openSqlite(
  path: string,
  { backups, ...limits }: { readonly backups: Backups } & SqliteLimits,
): Promise<SqlDatabase> {
  const corruptRemedy = (): string => remedyOf(path, backups)
  const end = performance.now() + limits.retryForMs
  for (;;) {
    try {
      return await openNow(path, corruptRemedy, limits)
    } catch (error) {
      if (error instanceof GatewayError) throw error
      const failure = classifySqliteError(error)
      if (failure.kind === 'corrupt') throw corrupt(path, failure.reason, corruptRemedy(), error)
      if (failure.kind !== 'transient' || performance.now() > end) {
        const reason = failure.kind === 'caller' ? `${path}: ${String(error)}` : `${path}: ${failure.reason}`
        const remedy = failure.remedy ?? 'Check that the file and its folder can be read and written.'
        throw new GatewayError('STORE_UNAVAILABLE', { place: path, reason, remedy }, { cause: error })
      }
    }
    await delay(50)
  }
}

async function openNow(
  path: string,
  corruptRemedy: SqlDatabaseOptions['corruptRemedy'],
  { retryForMs, ...limits }: SqliteLimits,
): Promise<SqlDatabase> {
  makePrivate(path)
  const file = new SqliteFile({ path, here: IN_PROCESS, background: BACKGROUND, ...limits })
  try {
    if (!file.open()) throw corrupt(path, 'the integrity check failed', corruptRemedy())
  } catch (error) {
    await file.close()
    throw error
  }
  const writing = new Mutex()
  const log = new WalSync(path)
  // A transaction that begins as a reader cannot be upgraded after another connection has written.
  const writer = (connection: 'writer' | 'bulk', durable?: { readonly afterCommit: () => Promise<void> }) =>
    kysely({ file, connection, begin: 'begin immediate', mutex: writing, ...durable })
  const reader = (connection: 'reader' | 'scanner') => kysely({ file, connection, begin: 'begin', mutex: new Mutex() })
  return new SqlDatabase({
    dialect: sqliteDialect,
    place: path,
    durable: writer('writer', { afterCommit: () => log.sync() }),
    quick: writer('writer'),
    bulk: writer('bulk'),
    reader: reader('reader'),
    scanner: reader('scanner'),
    classifyError: classifySqliteError,
    corruptRemedy,
    retryForMs,
    close: () => file.close(),
  })
}

function kysely(options: NodeSqliteOptions): Kysely<Tables> {
  return new Kysely<Tables>({ dialect: nodeSqliteDialect(options) })
}

/** Restricts the file to its owner. SQLite gives its other files the same permissions. */
function makePrivate(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  closeSync(openSync(path, 'a', 0o600))
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600)
}

function corrupt(path: string, why: string, remedy: string, cause?: unknown): GatewayError {
  return new GatewayError('STORE_CORRUPT', { place: path, reason: `${path}: ${why}`, remedy }, { cause })
}

function remedyOf(path: string, backups: Backups): string {
  const [newest] = backups.list()
  const aside = `Stop the gateway and move ${path}, ${path}-wal and ${path}-shm aside`
  return newest === undefined
    ? `${aside}; there is no backup, so the gateway starts empty. Nothing was deleted.`
    : `${aside}, then copy the newest backup ${newest.path} to ${path}. Nothing was deleted.`
}

/** The result code SQLITE_IOERR. */
const IO_ERROR = 10

/**
 * Syncs committed transactions to disk. SQLite can do so after each commit (`synchronous = full`), but would block the
 * event loop; here a thread of the libuv pool waits for the disk.
 */
export class WalSync {
  readonly #path: string
  #isFolderSynced = false

  /** @param path the path of the database */
  constructor(path: string) {
    this.#path = path
  }

  async sync(): Promise<void> {
    try {
      await syncFile(`${this.#path}-wal`)
      // After a power loss the file itself is missing unless its folder was synced.
      if (!this.#isFolderSynced) await syncFile(dirname(this.#path))
      this.#isFolderSynced = true
    } catch (cause) {
      // There is no write-ahead log on this file system; SQLite has synced by itself.
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return
      throw Object.assign(new Error('The write-ahead log could not be synced to disk', { cause }), {
        code: 'ERR_SQLITE_ERROR',
        errcode: IO_ERROR,
      })
    }
  }
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r')
  try {
    await file.sync()
  } finally {
    await file.close()
  }
}
