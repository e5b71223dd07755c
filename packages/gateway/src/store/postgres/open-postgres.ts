import { Kysely, PostgresDialect } from 'kysely'
import pg, { type Client } from 'pg'
import type { Logger } from '../../telemetry/logger.ts'
import { SqlDatabase } from '../sql-database.ts'
import { CHANGE_CHANNEL, postgresDialect } from '../sql-dialect.ts'
import type { Tables } from '../tables.ts'
import { classifyPostgresError } from './postgres-errors.ts'

const MOST_CONNECTIONS = 5
const CONNECT_MS = 3_000
/** Bounds the wait for an answer on a connection that was cut silently. */
const QUERY_MS = 10_000

/** The type id of `bigint`. Our values are times and counts, which fit into a JavaScript number. */
const INT8 = 20

/** A database with its change notifications. */
interface OpenPostgres {
  readonly database: SqlDatabase
  readonly listen: (changed: () => void) => ChangeListener
}

/** Opens a database. Connects with the first query. */
export function openPostgres(
  url: string,
  { logger, retryForMs }: { readonly logger: Logger; readonly retryForMs: number },
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
  // Without a listener, a connection lost between two queries would end the process. The next query reports the error.
  pool.on('connect', (client) => client.on('error', ended))
  const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  const database = new SqlDatabase({
    dialect: postgresDialect,
    place: placeOf(url),
    durable: kysely,
    quick: kysely,
    bulk: kysely,
    reader: kysely,
    scanner: kysely,
    classifyError: classifyPostgresError,
    corruptRemedy: () => 'Restore the database from a backup of PostgreSQL. Nothing was deleted.',
    retryForMs,
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

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000

/** The dependencies of {@link ChangeListener}. */
interface ChangeListenerOptions {
  readonly connect: () => Client
  readonly changed: () => void
  readonly logger: Logger
}

/** Listens for the changes of other gateways; reconnects when the connection ends. */
class ChangeListener {
  readonly #options: ChangeListenerOptions
  #client: Client | undefined
  #pauseMs = FIRST_PAUSE_MS
  #timer: NodeJS.Timeout | undefined
  #hasEnded = false

  constructor(options: ChangeListenerOptions) {
    this.#options = options
    void this.#connect()
  }

  async close(): Promise<void> {
    this.#hasEnded = true
    clearTimeout(this.#timer)
    await this.#client?.end().catch(() => {})
  }

  async #connect(): Promise<void> {
    const client = this.#options.connect()
    this.#client = client
    client.on('notification', () => this.#options.changed())
    client.on('error', (error) => this.#again(client, error))
    client.on('end', () => this.#again(client))
    try {
      await client.connect()
      await client.query(`listen ${CHANGE_CHANNEL}`)
      this.#pauseMs = FIRST_PAUSE_MS
      // Changes before `listen` were not notified.
      this.#options.changed()
    } catch (error) {
      this.#again(client, error)
    }
  }

  #again(client: Client, error?: unknown): void {
    if (this.#hasEnded || this.#client !== client) return
    this.#client = undefined
    this.#options.logger.debug(
      { error: error instanceof Error ? error.message : 'ended' },
      'the connection for change notifications ended; polling continues',
    )
    client.end().catch(() => {})
    this.#timer = setTimeout(() => void this.#connect(), this.#pauseMs * (0.5 + Math.random())).unref()
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS)
  }
}
