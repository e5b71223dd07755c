import { randomBytes } from 'node:crypto'
import { type CreateTableBuilder, sql } from 'kysely'
import type { SqlDialect, Sql } from './sql-dialect.ts'

/** A step from one schema version to the next. Never changed after its release. */
export interface Migration {
  /** Starts at 1, without gaps. */
  readonly version: number
  readonly name: string
  /**
   * The oldest schema version whose programs may go on serving afterwards. Absent: the same as before, because the migration
   * only adds (docs/explain/store.md#upgrades).
   */
  readonly oldest?: number
  readonly up: (transaction: Sql, dialect: SqlDialect) => Promise<void>
}

/** All migrations, in order. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, name: 'first tables', up: firstTables },
  { version: 2, name: 'failures by who and where', up: failureIndexes },
  { version: 3, name: 'what clients loaded', up: contextCosts },
  { version: 4, name: 'inputs of servers', up: serverInputs },
  { version: 5, name: 'secrets in arguments and URLs', up: secretArguments },
  { version: 6, name: 'chained audit entries', up: auditChain },
  { version: 7, name: 'what searches learnt', up: learnedUses },
  { version: 8, name: 'approved definitions', oldest: 8, up: approvedDefinitions },
  { version: 9, name: 'limits of all replicas', up: sharedLimits },
  { version: 10, name: 'feed of changes', up: changeFeed },
  { version: 11, name: 'replicas and what they own', up: replicasAndOwned },
  { version: 12, name: 'times of changes', up: changeTimes },
]

/** The tables of the first release. */
async function firstTables(db: Sql, dialect: SqlDialect): Promise<void> {
  await configuration(db)
  await projectParts(db)
  await learned(db)
  await audit(db, dialect)
  await db.schema
    .createTable('store_state')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('cursor_key', 'text', (column) => column.notNull())
    .execute()
  const cursor_key = randomBytes(32).toString('base64url')
  await db.insertInto('store_state').values({ id: 1, revision: 0, cursor_key }).execute()
}

/** The columns that all configured entries have. */
function entry(db: Sql, name: string): CreateTableBuilder<string, string> {
  return db.schema
    .createTable(name)
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('position', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
}

async function configuration(db: Sql): Promise<void> {
  await entry(db, 'servers')
    .addColumn('config', 'text', (column) => column.notNull())
    .addColumn('tool_permissions', 'text')
    .addColumn('env', 'text')
    .addColumn('headers', 'text')
    .addColumn('auth', 'text')
    .execute()
  await entry(db, 'projects')
    .addColumn('name', 'text')
    .addColumn('says_optimization', 'integer', (column) => column.notNull())
    .addColumn('optimization', 'text')
    .addColumn('lists_servers', 'integer', (column) => column.notNull())
    .addColumn('lists_tools', 'integer', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .execute()
  await entry(db, 'endpoints')
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('config', 'text', (column) => column.notNull())
    .execute()
  await entry(db, 'tokens')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('projects', 'text')
    .addColumn('servers', 'text')
    .addColumn('read_only', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint')
    .addColumn('last_used_at', 'bigint')
    .execute()
  await db.schema
    .createTable('settings')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('value', 'text', (column) => column.notNull())
    .execute()
}

async function projectParts(db: Sql): Promise<void> {
  const part = (name: string): CreateTableBuilder<string, string> =>
    db.schema
      .createTable(name)
      .addColumn('project_id', 'text', (column) => column.notNull().references('projects.id').onDelete('cascade'))
      .addColumn('position', 'integer', (column) => column.notNull())
  await part('project_servers')
    .addColumn('server_id', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_servers_key', ['project_id', 'position'])
    .execute()
  await part('project_tools')
    .addColumn('tool_key', 'text', (column) => column.notNull())
    .addColumn('allowed', 'integer')
    .addColumn('defer_loading', 'integer')
    .addColumn('pinned', 'integer')
    .addColumn('name', 'text')
    .addColumn('description', 'text')
    .addColumn('config', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('project_tools_key', ['project_id', 'position'])
    .execute()
}

async function learned(db: Sql): Promise<void> {
  await db.schema
    .createTable('logins')
    .addColumn('server_id', 'text', (column) => column.primaryKey())
    .addColumn('login', 'text', (column) => column.notNull())
    .addColumn('updated_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('tool_snapshots')
    .addColumn('server_id', 'text', (column) => column.primaryKey())
    .addColumn('origin', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('instructions', 'text')
    .addColumn('lists', 'text', (column) => column.notNull())
    .addColumn('saved_at', 'bigint', (column) => column.notNull())
    .execute()
}

async function audit(db: Sql, dialect: SqlDialect): Promise<void> {
  await dialect
    .addAutoIncrementId(db.schema.createTable('audit_entries'))
    .addColumn('at', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('request_id', 'text', (column) => column.notNull())
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('server_id', 'text')
    .addColumn('tool_key', 'text')
    .addColumn('outcome', 'text', (column) => column.notNull())
    .addColumn('duration_ms', 'double precision', (column) => column.notNull())
    .addColumn('details', 'text', (column) => column.notNull())
    .execute()
  const filters = ['kind', 'request_id', 'token_id', 'project_id', 'endpoint_id', 'server_id', 'tool_key']
  for (const name of filters) {
    // Includes the columns of the most frequent filters, so that a scan reads the index only.
    const columns = [...new Set([name, 'at', 'id', 'kind', 'outcome'])]
    await db.schema.createIndex(`audit_by_${name}`).on('audit_entries').columns(columns).execute()
  }
  await db.schema.createIndex('audit_by_time').on('audit_entries').columns(['at', 'id', 'kind', 'outcome']).execute()
  await db.schema
    .createIndex('audit_by_failure')
    .on('audit_entries')
    .columns(['at', 'id', 'outcome', 'kind', 'token_id', 'project_id', 'endpoint_id', 'server_id', 'tool_key'])
    .where(sql.ref('outcome'), '<>', sql.lit('ok'))
    .execute()
  await db.schema
    .createTable('audit_batches')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
}

const FILTERS = ['token_id', 'project_id', 'endpoint_id', 'server_id', 'tool_key'] as const

/** Indexes of failures, which are rare: without them a filter for failures scans all entries. */
async function failureIndexes(db: Sql): Promise<void> {
  for (const name of FILTERS) {
    await db.schema
      .createIndex(`audit_failures_by_${name}`)
      .on('audit_entries')
      .columns([name, 'at', 'id', 'outcome', 'kind'])
      .where(sql.ref('outcome'), '<>', sql.lit('ok'))
      .execute()
  }
}

/** The tokens that clients loaded into their contexts, by day. */
async function contextCosts(db: Sql): Promise<void> {
  await db.schema
    .createTable('context_costs')
    .addColumn('day', 'bigint', (column) => column.notNull())
    .addColumn('client_key', 'text', (column) => column.notNull())
    .addColumn('endpoint_id', 'text', (column) => column.notNull())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('client_name', 'text')
    .addColumn('since', 'bigint', (column) => column.notNull())
    .addColumn('lists', 'bigint', (column) => column.notNull())
    .addColumn('searches', 'bigint', (column) => column.notNull())
    .addColumn('if_all_were_listed', 'bigint', (column) => column.notNull())
    .addColumn('of_lists', 'bigint', (column) => column.notNull())
    .addColumn('of_searches', 'bigint', (column) => column.notNull())
    .addColumn('of_schemas', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('context_costs_key', ['day', 'client_key'])
    .execute()
}

/** The values that people entered for the references of a server, encrypted. */
async function serverInputs(db: Sql): Promise<void> {
  await db.schema.alterTable('servers').addColumn('inputs', 'text').execute()
}

/** Encrypted arguments and URLs. The store moves existing secrets when it opens, because it has the key. */
async function secretArguments(db: Sql): Promise<void> {
  for (const name of ['args', 'url']) await db.schema.alterTable('servers').addColumn(name, 'text').execute()
}

/** Entries are chained from here on; older ones stay outside of the chain. */
async function auditChain(db: Sql): Promise<void> {
  await db.schema.alterTable('audit_entries').addColumn('seq', 'bigint').execute()
  await db.schema.alterTable('audit_entries').addColumn('hash', 'text').execute()
  await db.schema.alterTable('audit_entries').addColumn('queries', 'text').execute()
  await db.schema
    .createIndex('audit_with_queries')
    .on('audit_entries')
    .columns(['at', 'id'])
    .where(sql.ref('queries'), 'is not', null)
    .execute()
  await db.schema
    .createTable('audit_chain')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('start_seq', 'bigint', (column) => column.notNull())
    .addColumn('start_hash', 'text', (column) => column.notNull())
    .execute()
  await db.insertInto('audit_chain').values({ id: 1, seq: 0, hash: '', start_seq: 0, start_hash: '' }).execute()
}

/** The tools that were used after queries, by project and caller. */
async function learnedUses(db: Sql): Promise<void> {
  await db.schema
    .createTable('learned_uses')
    .addColumn('use_key', 'text', (column) => column.primaryKey())
    .addColumn('project_id', 'text', (column) => column.notNull())
    .addColumn('query', 'text', (column) => column.notNull())
    .addColumn('tool_key', 'text', (column) => column.notNull())
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('weight', 'double precision', (column) => column.notNull())
    .addColumn('used_at', 'bigint', (column) => column.notNull())
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createIndex('learned_by_project')
    .on('learned_uses')
    .columns(['project_id', 'revision', 'used_at'])
    .execute()
  await db.schema
    .createIndex('learned_by_caller')
    .on('learned_uses')
    .columns(['project_id', 'token_id', 'revision'])
    .execute()
  await db.schema.createIndex('learned_by_time').on('learned_uses').columns(['used_at']).execute()
  await db.schema
    .createTable('learned_state')
    .addColumn('id', 'integer', (column) => column.primaryKey())
    .addColumn('latest', 'bigint', (column) => column.notNull())
    .addColumn('forgotten', 'bigint', (column) => column.notNull())
    .execute()
  await db.insertInto('learned_state').values({ id: 1, latest: 0, forgotten: 0 }).execute()
}

/** Definitions that may be served, with their texts, and the tools that a token is limited to. */
async function approvedDefinitions(db: Sql): Promise<void> {
  await db.schema
    .createTable('pins')
    .addColumn('server_id', 'text', (column) => column.notNull())
    .addColumn('pin_hash', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('hash', 'text')
    .addColumn('how', 'text')
    .addColumn('decided_by', 'text')
    .addColumn('decided_at', 'bigint')
    .addColumn('changes', 'bigint', (column) => column.notNull())
    .addColumn('claims', 'text')
    .addColumn('definition', 'text')
    .addColumn('previous', 'text')
    .addColumn('blocked_hash', 'text')
    .addColumn('blocked_by', 'text')
    .addColumn('blocked_at', 'bigint')
    .addPrimaryKeyConstraint('pins_key', ['server_id', 'pin_hash'])
    .execute()
  await db.schema.alterTable('tokens').addColumn('tools', 'text').execute()
}

/** Rate limits, and what each replica has open. A crash of PostgreSQL may empty them: limits then begin anew. */
async function sharedLimits(db: Sql, dialect: SqlDialect): Promise<void> {
  const scratch = (name: string): CreateTableBuilder<string, string> => {
    const table = db.schema.createTable(name)
    return dialect.kind === 'postgres' ? table.modifyFront(sql`unlogged`) : table
  }
  await scratch('limit_buckets')
    .addColumn('key', 'text', (column) => column.primaryKey())
    .addColumn('per_minute', 'double precision', (column) => column.notNull())
    .addColumn('wanted', 'double precision', (column) => column.notNull())
    .addColumn('returned', 'double precision', (column) => column.notNull())
    .addColumn('granted', 'double precision', (column) => column.notNull())
    .addColumn('tokens', 'double precision', (column) => column.notNull())
    .addColumn('at', 'double precision', (column) => column.notNull())
    .execute()
  await scratch('replica_reports')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('report', 'text', (column) => column.notNull())
    .addColumn('seen_at', 'double precision', (column) => column.notNull())
    .execute()
}

/** The changes that gateways follow, and the index that finds the last position without a scan of all tokens. */
async function changeFeed(db: Sql): Promise<void> {
  await db.schema
    .createTable('state_changes')
    .addColumn('revision', 'bigint', (column) => column.notNull())
    .addColumn('seq', 'bigint', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('entry_id', 'text', (column) => column.notNull())
    .addColumn('how', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('state_changes_key', ['revision', 'seq'])
    .execute()
  await db.schema.createIndex('tokens_by_position').on('tokens').columns(['position']).execute()
}

/** The gateways on this database, and the sessions that another one than the first has taken over. */
async function replicasAndOwned(db: Sql): Promise<void> {
  await db.schema
    .createTable('replicas')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('url', 'text', (column) => column.notNull())
    .addColumn('is_leaving', 'integer', (column) => column.notNull())
    .addColumn('seen_at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema
    .createTable('owned')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('owner_id', 'text')
    .addColumn('has_ended', 'integer', (column) => column.notNull())
    .addColumn('state', 'text')
    .addColumn('until', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('owned_by_time').on('owned').columns(['until']).execute()
}

/** When a change was made, by the clock of the database. */
async function changeTimes(db: Sql): Promise<void> {
  await db.schema.alterTable('state_changes').addColumn('at', 'bigint').execute()
}
