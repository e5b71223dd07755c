import { randomUUID } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg, { type Client } from 'pg'
import type { Store } from '../../model/store.ts'
import type { Logger } from '../../telemetry/logger.ts'
import { SqlDatabase } from '../sql-database.ts'
import { CHANGE_CHANNEL, postgresDialect } from '../sql-dialect.ts'
import type { Tables } from '../tables.ts'
import { classifyPostgresError, READ_ONLY } from './postgres-errors.ts'
import { hostUrls, placeOf, PostgresHosts } from './postgres-hosts.ts'
import { WriterLock } from './writer-lock.ts'

const MOST_CONNECTIONS = 5
const LIMIT_CONNECTIONS = 2
const CONNECT_MS = 3_000
/** Bounds the wait for an answer on a connection that was cut silently. */
const QUERY_MS = 10_000

/** The type id of `bigint`. Our values are times and counts, which fit into a JavaScript number. */
const INT8 = 20

/** A database with its change notifications. */
interface OpenPostgres {
  readonly database: SqlDatabase
  /** The same with connections of its own: requests wait for limits, and must not wait for anything else. */
  readonly forLimits: SqlDatabase
  readonly listen: (changed: () => void) => ChangeListener
  readonly takeTurns: NonNullable<Store['takeTurns']>
}

/** Opens a database. Connects with the first query. */
export function openPostgres(
  url: string,
  { logger, retryForMs }: { readonly logger: Logger; readonly retryForMs: number },
): OpenPostgres {
  const connections = hostUrls(url).map((connectionString) => ({
    connectionString,
    connectionTimeoutMillis: CONNECT_MS,
    keepAlive: true,
    application_name: 'tooldex',
    types: { getTypeParser: numbersFor(pg.types) },
  }))
  const ended = (error: Error): void => logger.debug({ error: error.message }, 'a connection to PostgreSQL ended')
  const open = (max: number, alsoClose: () => Promise<void>) => {
    const pools = connections.map((connection) => {
      const limits = { max, query_timeout: QUERY_MS, idleTimeoutMillis: 30_000 }
      const pool = new pg.Pool({ ...connection, ...limits })
      pool.on('error', ended)
      // Without a listener, a connection lost between two queries would end the process. The next query reports the error.
      pool.on('connect', (client) => client.on('error', ended))
      return pool
    })
    const hosts = new PostgresHosts(pools)
    const pool = { connect: () => hosts.connect(), end: () => hosts.end(), options: pools[0]?.options ?? {} }
    const kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
    const database = new SqlDatabase({
      dialect: postgresDialect,
      place: placeOf(url),
      durable: kysely,
      quick: kysely,
      bulk: kysely,
      reader: kysely,
      scanner: kysely,
      classifyError: (error) => {
        const failure = classifyPostgresError(error)
        if (failure !== READ_ONLY || pools.length === 1) return failure
        hosts.checkAgain()
        // Another host may be about to take over.
        return { ...failure, kind: 'transient' }
      },
      corruptRemedy: () => 'Restore the database from a backup of PostgreSQL. Nothing was deleted.',
      retryForMs,
      pool: () => hosts.figures,
      close: async () => {
        await Promise.all([hosts.end(), alsoClose()])
      },
    })
    return { hosts, kysely, database }
  }
  const forLimits = open(LIMIT_CONNECTIONS, async () => {})
  const { hosts, kysely, database } = open(MOST_CONNECTIONS, () => forLimits.database.close())
  const notify = async (payload: string): Promise<void> => {
    await sql`select pg_notify(${CHANGE_CHANNEL}, ${payload})`.execute(kysely)
  }
  return {
    database,
    forLimits: forLimits.database,
    listen: (changed) =>
      new ChangeListener({ connect: () => new pg.Client(connections[hosts.current]), notify, changed, logger }),
    takeTurns: (name, onTurn) =>
      new WriterLock({
        connect: () => new pg.Client({ ...connections[hosts.current], query_timeout: QUERY_MS }),
        name,
        onTurn,
      }),
  }
}

type TypeParsers = typeof pg.types

function numbersFor(types: TypeParsers): TypeParsers['getTypeParser'] {
  return ((id: number, format?: 'text' | 'binary') =>
    id === INT8 ? Number : types.getTypeParser(id, format as 'text')) as TypeParsers['getTypeParser']
}

const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 5_000
/** A notification to ourselves shows that notifications arrive. */
const PROBE = 'probe '
const PROBE_MS = 3_000

/** The dependencies of {@link ChangeListener}. */
interface ChangeListenerOptions {
  readonly connect: () => Client
  /** Sends a notification on another connection. */
  readonly notify: (payload: string) => Promise<void>
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
  #isProven = false

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
    const probe = PROBE + randomUUID()
    client.on('notification', ({ payload = '' }) => {
      if (payload === probe) this.#isProven = true
      if (!payload.startsWith(PROBE)) this.#options.changed()
    })
    client.on('error', (error) => this.#again(client, error))
    client.on('end', () => this.#again(client))
    try {
      await client.connect()
      await client.query(`listen ${CHANGE_CHANNEL}`)
      this.#pauseMs = FIRST_PAUSE_MS
      // Changes before `listen` were not notified.
      this.#options.changed()
      if (!this.#isProven) this.#prove(client, probe)
    } catch (error) {
      this.#again(client, error)
    }
  }

  /** A pooler that changes the connection with every transaction accepts `listen` and never passes a notification on. */
  #prove(client: Client, probe: string): void {
    const { notify, logger } = this.#options
    notify(probe).catch(() => {})
    setTimeout(() => {
      if (this.#hasEnded || this.#isProven || this.#client !== client) return
      this.#isProven = true
      logger.warn(
        {},
        'change notifications of PostgreSQL do not arrive, as behind PgBouncer in transaction mode; changes of other gateways are found by polling, twice a second. For notifications, use session mode or the address of PostgreSQL itself',
      )
    }, PROBE_MS).unref()
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
