import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { GatewayError } from '../../errors.ts'
import { sqliteDialect } from '../sql-dialect.ts'
import { SqlDatabase, type SqlDatabaseOptions } from '../sql-database.ts'
import type { Tables } from '../tables.ts'
import type { Backups } from './backups.ts'
import { nodeSqliteDialect, type NodeSqliteOptions, Mutex } from './node-sqlite-dialect.ts'
import type { BackgroundLimits } from './sqlite-background.ts'
import { SqliteFile } from './sqlite-file.ts'
import { classifySqliteError } from './sqlite-errors.ts'

const LOG_BYTES = 'journal_size_limit = 67108864'
const LARGE_CACHE = 'cache_size = -16000'
const WITHOUT_WAITING = 'synchronous = normal'

/** Decisions, and what is learned of servers: little, now and then. Copying the log takes long, so that others do it, unless it never ends. */
const HERE = {
  writer: ['journal_mode = wal', WITHOUT_WAITING, 'wal_autocheckpoint = 16000', LOG_BYTES],
  reader: ['query_only = on'],
  scanner: ['query_only = on'],
} as const

/** Audit entries: they come all the time and touch many pages, and what is written to the log together is copied once. */
const BACKGROUND = {
  bulk: [WITHOUT_WAITING, 'wal_autocheckpoint = 4000', LOG_BYTES, LARGE_CACHE],
  scanner: ['query_only = on', LARGE_CACHE],
} as const

/** How long to try while others hold the file, and what its thread may take. */
interface SqliteLimits extends BackgroundLimits {
  readonly retryForMs: number
}

/**
 * Opens the file, which only its owner may read, and makes it where there is none.
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
  const file = new SqliteFile({ path, here: HERE, background: BACKGROUND, ...limits })
  try {
    if (!file.open()) throw corrupt(path, 'the check of the file found damage', corruptRemedy())
  } catch (error) {
    await file.close()
    throw error
  }
  const writing = new Mutex()
  const log = new LogOnDisk(path)
  // A transaction that begins as a reader cannot become a writer when somebody else wrote meanwhile.
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

/** SQLite gives its other files the rights of this one. */
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
    ? `${aside}; there is no backup, so that the gateway begins anew. Nothing was deleted.`
    : `${aside}, then copy the newest backup ${newest.path} to ${path}. Nothing was deleted.`
}

/** SQLite's number for a disk that reports an error. */
const IO_ERROR = 10

/**
 * Brings what was committed to the disk. SQLite would do the same after each commit (`synchronous = full`), but keeps
 * everybody waiting meanwhile; here a thread of Node's own pool waits.
 */
export class LogOnDisk {
  readonly #path: string
  #isInFolder = false

  /** @param path of the database */
  constructor(path: string) {
    this.#path = path
  }

  async sync(): Promise<void> {
    try {
      await syncFile(`${this.#path}-wal`)
      // The file itself is lost with the machine while its folder does not know it.
      if (!this.#isInFolder) await syncFile(dirname(this.#path))
      this.#isInFolder = true
    } catch (cause) {
      // A file system that cannot have such a log: SQLite has made sure of it in its own way.
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return
      throw Object.assign(new Error('The disk did not take it', { cause }), {
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
