import {
  type ColumnDefinitionBuilder,
  type Compilable,
  type CreateTableBuilder,
  type Expression,
  type Kysely,
  type RawBuilder,
  sql,
} from 'kysely'
import type { Tables } from './tables.ts'

/** A connection or a transaction. */
export type Sql = Kysely<Tables>

/** A query that can be run, or be a part of another one. */
type ManyRows<Row> = Expression<Row> & Compilable & { execute(): Promise<Row[]> }

/** All differences between the SQL of the two databases. */
export interface SqlDialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Locks out concurrent migrations until the transaction ends. */
  lockMigrations(transaction: Sql): Promise<void>
  /** Adds an auto-incrementing `id`. */
  addAutoIncrementId<Name extends string>(table: CreateTableBuilder<Name>): CreateTableBuilder<Name, 'id'>
  /** Notifies other gateways when the transaction is committed. */
  announce(transaction: Sql, revision: number): Promise<void>
  /** Ends the transaction with an error if it waits long for a lock, or if this process stops in the middle of it. */
  limitWaiting(transaction: Sql): Promise<void>
  /** The time of the database in milliseconds. All gateways on it share it, whatever their own clocks show. */
  readonly now: RawBuilder<number>
  /** The rows of a query with these columns, for many rows: what a driver does for each of them adds up. */
  readMany<Row>(db: Sql, query: ManyRows<Row>, columns: readonly (string & keyof Row)[]): Promise<Row[]>
  /** Inserts rows in one statement. Each row is a list of values in the order of `AUDIT_COLUMNS`. */
  insertAudit(transaction: Sql, rows: readonly (readonly unknown[])[]): Promise<void>
}

/** The columns of an audit row, in the order of its values. */
export const AUDIT_COLUMNS = [
  'at',
  'kind',
  'request_id',
  'token_id',
  'project_id',
  'endpoint_id',
  'server_id',
  'tool_key',
  'outcome',
  'duration_ms',
  'details',
  'seq',
  'hash',
  'queries',
] as const

/** The PostgreSQL channel for change notifications. */
export const CHANGE_CHANNEL = 'tooldex_change'

const MIGRATION_LOCK = 7_420_001
/** In milliseconds: many times what an append takes. */
const LOCK_MS = '5000'
const auditColumns = sql.join(AUDIT_COLUMNS.map((name) => sql.ref(name)))

/** The dialect of SQLite. */
export const sqliteDialect: SqlDialect = {
  kind: 'sqlite',
  lockMigrations: async () => {},
  addAutoIncrementId: (table) => table.addColumn('id', 'integer', autoIncrement),
  announce: async () => {},
  limitWaiting: async () => {},
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  readMany: (_db, query) => query.execute(),
  insertAudit: async (transaction, rows) => {
    const values = sql.join(AUDIT_COLUMNS.map((_name, at) => sql.raw(`value ->> ${at}`)))
    await sql`insert into audit_entries (${auditColumns}) select ${values} from json_each(${JSON.stringify(rows)})`.execute(
      transaction,
    )
  },
}

/** The dialect of PostgreSQL. */
export const postgresDialect: SqlDialect = {
  kind: 'postgres',
  lockMigrations: async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
  },
  addAutoIncrementId: (table) => table.addColumn('id', 'bigserial', (column) => column.primaryKey()),
  announce: async (transaction, revision) => {
    await sql`select pg_notify(${CHANGE_CHANNEL}, ${String(revision)})`.execute(transaction)
  },
  limitWaiting: async (transaction) => {
    await sql`select set_config('lock_timeout', ${LOCK_MS}, true),
      set_config('idle_in_transaction_session_timeout', ${LOCK_MS}, true)`.execute(transaction)
  },
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  readMany: async <Row>(db: Sql, query: Expression<Row>, columns: readonly (string & keyof Row)[]) => {
    const values = sql.join(columns.map((name) => sql.ref(name)))
    const { rows } = await sql<{ all: string | null }>`select json_agg(json_build_array(${values}))::text as "all"
      from (${query}) as read`.execute(db)
    const lists = JSON.parse(rows[0]?.all ?? '[]') as unknown[][]
    return lists.map((list) => {
      const row: Record<string, unknown> = {}
      for (let at = 0; at < columns.length; at++) row[columns[at] ?? ''] = list[at]
      return row as Row
    })
  },
  insertAudit: async (transaction, rows) => {
    const types: Partial<Record<string, string>> = {
      at: '::bigint',
      duration_ms: '::double precision',
      seq: '::bigint',
    }
    const values = AUDIT_COLUMNS.map((name, at) => sql.raw(`(entry.value ->> ${at})${types[name] ?? ''}`))
    await sql`insert into audit_entries (${auditColumns}) select ${sql.join(values)}
      from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as entry (value, place) order by entry.place`.execute(
      transaction,
    )
  },
}

function autoIncrement(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().autoIncrement()
}
