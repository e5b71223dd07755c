import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import type { Logger } from '../../telemetry/logger.ts'
import { postgresFlavour } from '../flavour.ts'
import { SqlDatabase } from '../sql-database.ts'
import type { Tables } from '../tables.ts'
import { ChangeListener } from './change-listener.ts'
import { postgresTrouble } from './postgres-trouble.ts'

const MOST_CONNECTIONS = 5
const CONNECT_MS = 3_000
/** A connection that is cut in the middle says nothing; who asked it is not kept waiting. */
const QUERY_MS = 10_000

/** PostgreSQL's whole numbers of eight bytes. Ours are times and counts: a JavaScript number holds them. */
const INT8 = 20

/** A database, and how to be told of others' changes. */
export interface OpenPostgres {
  readonly database: SqlDatabase
  readonly listen: (changed: () => void) => ChangeListener
}

/** Connects when it is first asked. */
export function openPostgres(
  url: string,
  { logger, patienceMs }: { readonly logger: Logger; readonly patienceMs: number },
): OpenPostgres {
  const connection = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'tooldex',
    types: { getTypeParser: numbersFor(pg.types) },
  }
  const pool = new pg.Pool({ ...connection, max: MOST_CONNECTIONS, query_timeout: QUERY_MS, idleTimeoutMillis: 30_000 })
  const ended = (error: Error): void => logger.debug({ error: error.message }, 'a connection to PostgreSQL ended')
  pool.on('error', ended)
  // One that ends between two queries of a transaction would otherwise end the program. The next query tells.
  pool.on('connect', (client) => client.on('error', ended))
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const database = new SqlDatabase({
    flavour: postgresFlavour,
    place: placeOf(url),
    durable: kysely,
    quick: kysely,
    bulk: kysely,
    reader: kysely,
    scanner: kysely,
    troubleOf: postgresTrouble,
    corruptRemedy: () => 'Restore the database from a backup of PostgreSQL. Nothing was deleted.',
    patienceMs,
    close: () => pool.end(),
  })
  return {
    database,
    listen: (changed) => new ChangeListener({ connect: () => new pg.Client(connection), changed, logger }),
  }
}

/** The address without user and password. */
export function placeOf(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url)
    const socket = searchParams.get('host')
    return `postgres://${host === '' ? (socket ?? '') : host}${pathname}`
  } catch {
    return 'postgres://'
  }
}

type TypeParsers = typeof pg.types

function numbersFor(types: TypeParsers): TypeParsers['getTypeParser'] {
  return ((id: number, format?: 'text' | 'binary') =>
    id === INT8 ? Number : types.getTypeParser(id, format as 'text')) as TypeParsers['getTypeParser']
}
