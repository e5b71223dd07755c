import { type ColumnDefinitionBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import type { Tables } from './tables.ts'

/** A connection, or a transaction on it. */
export type Sql = Kysely<Tables>

/** Where the two databases want other words. All of them are in here. */
export interface SqlDialect {
  readonly kind: 'sqlite' | 'postgres'
  /** Keeps others from migrating at the same time; until the transaction ends. */
  lockMigrations(transaction: Sql): Promise<void>
  /** Adds `id`, a number that grows by itself. */
  addGrowingId<Name extends string>(table: CreateTableBuilder<Name>): CreateTableBuilder<Name, 'id'>
  /** Tells other gateways when the transaction is committed. */
  announce(transaction: Sql, revision: number): Promise<void>
  /** Adds rows in one statement. Each is a list of values in the order of `AUDIT_COLUMNS`. */
  insertAudit(transaction: Sql, rows: readonly (readonly unknown[])[]): Promise<void>
}

/** The columns of an audit row, in the order in which values are given. */
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
] as const

/** The name under which PostgreSQL passes on that something changed. */
export const CHANGE_CHANNEL = 'tooldex_change'

const MIGRATION_LOCK = 7_420_001
const auditColumns = sql.join(AUDIT_COLUMNS.map((name) => sql.ref(name)))

/** What SQLite wants. */
export const sqliteDialect: SqlDialect = {
  kind: 'sqlite',
  lockMigrations: async () => {},
  addGrowingId: (table) => table.addColumn('id', 'integer', growing),
  announce: async () => {},
  insertAudit: async (transaction, rows) => {
    const values = sql.join(AUDIT_COLUMNS.map((_name, at) => sql.raw(`value ->> ${at}`)))
    await sql`insert into audit_entries (${auditColumns}) select ${values} from json_each(${JSON.stringify(rows)})`.execute(
      transaction,
    )
  },
}

/** What PostgreSQL wants. */
export const postgresDialect: SqlDialect = {
  kind: 'postgres',
  lockMigrations: async (transaction) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK})`.execute(transaction)
  },
  addGrowingId: (table) => table.addColumn('id', 'bigserial', (column) => column.primaryKey()),
  announce: async (transaction, revision) => {
    await sql`select pg_notify(${CHANGE_CHANNEL}, ${String(revision)})`.execute(transaction)
  },
  insertAudit: async (transaction, rows) => {
    const types: Partial<Record<string, string>> = { at: '::bigint', duration_ms: '::double precision' }
    const values = AUDIT_COLUMNS.map((name, at) => sql.raw(`(entry.value ->> ${at})${types[name] ?? ''}`))
    await sql`insert into audit_entries (${auditColumns}) select ${sql.join(values)}
      from json_array_elements(${JSON.stringify(rows)}::json) with ordinality as entry (value, place) order by entry.place`.execute(
      transaction,
    )
  },
}

function growing(column: ColumnDefinitionBuilder): ColumnDefinitionBuilder {
  return column.primaryKey().autoIncrement()
}
