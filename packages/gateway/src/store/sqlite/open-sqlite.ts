import { chmodSync, closeSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Kysely } from 'kysely'
import { GatewayError } from '../../errors.ts'
import { sqliteFlavour } from '../flavour.ts'
import { SqlDatabase, type SqlDatabaseOptions } from '../sql-database.ts'
import type { Tables } from '../tables.ts'
import type { Backups } from './backups.ts'
import { LogOnDisk } from './log-on-disk.ts'
import { type NodeSqliteOptions, nodeSqliteDialect } from './node-sqlite-dialect.ts'
import type { BackgroundLimits } from './sqlite-background.ts'
import { SqliteFile } from './sqlite-file.ts'
import { sqliteTrouble } from './sqlite-trouble.ts'
import { Turns } from './turns.ts'

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
export interface SqliteLimits extends BackgroundLimits {
  readonly patienceMs: number
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
  const end = performance.now() + limits.patienceMs
  for (;;) {
    try {
      return await openNow(path, corruptRemedy, limits)
    } catch (error) {
      if (error instanceof GatewayError) throw error
      const trouble = sqliteTrouble(error)
      if (trouble.kind === 'corrupt') throw corrupt(path, trouble.reason, corruptRemedy(), error)
      if (trouble.kind !== 'passing' || performance.now() > end) {
        const reason = trouble.kind === 'askers' ? `${path}: ${String(error)}` : `${path}: ${trouble.reason}`
        const remedy = trouble.remedy ?? 'Check that the file and its folder can be read and written.'
        throw new GatewayError('STORE_UNAVAILABLE', { place: path, reason, remedy }, { cause: error })
      }
    }
    await delay(50)
  }
}

async function openNow(
  path: string,
  corruptRemedy: SqlDatabaseOptions['corruptRemedy'],
  { patienceMs, ...limits }: SqliteLimits,
): Promise<SqlDatabase> {
  makePrivate(path)
  const file = new SqliteFile({ path, here: HERE, background: BACKGROUND, ...limits })
  try {
    if (!file.open()) throw corrupt(path, 'the check of the file found damage', corruptRemedy())
  } catch (error) {
    await file.close()
    throw error
  }
  const writing = new Turns()
  const log = new LogOnDisk(path)
  // A transaction that begins as a reader cannot become a writer when somebody else wrote meanwhile.
  const writer = (connection: 'writer' | 'bulk', durable?: { readonly afterCommit: () => Promise<void> }) =>
    kysely({ file, connection, begin: 'begin immediate', turns: writing, ...durable })
  const reader = (connection: 'reader' | 'scanner') => kysely({ file, connection, begin: 'begin', turns: new Turns() })
  return new SqlDatabase({
    flavour: sqliteFlavour,
    place: path,
    durable: writer('writer', { afterCommit: () => log.sync() }),
    quick: writer('writer'),
    bulk: writer('bulk'),
    reader: reader('reader'),
    scanner: reader('scanner'),
    troubleOf: sqliteTrouble,
    corruptRemedy,
    patienceMs,
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
