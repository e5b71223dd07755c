import { GatewayError } from '../errors.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import type { SqlDatabase } from './sql-database.ts'
import type { Sql } from './sql-dialect.ts'

/** The schema version; 0 for an empty database. */
export async function schemaVersion(database: SqlDatabase): Promise<number> {
  return database.read(async (db) => {
    const tables = await db.introspection.getTables()
    return tables.some(({ name }) => name === 'store_migrations') ? appliedVersion(db) : 0
  })
}

/**
 * Applies missing migrations, each in its own transaction: after an interruption the next start continues. A newer schema is
 * left as it is; it serves programs of the versions that it names.
 * @throws GatewayError STORE_TOO_NEW if this program may not use a newer schema
 */
export async function migrate(
  database: SqlDatabase,
  { now, migrations = MIGRATIONS }: { readonly now: () => number; readonly migrations?: readonly Migration[] },
): Promise<number> {
  const newest = migrations.at(-1)?.version ?? 0
  const version = await schemaVersion(database)
  if (version > newest) {
    const oldest = await database.read((db) => oldestProgram(db, version))
    if (oldest === undefined || newest < oldest) throw tooNew(database.place, version, newest)
    return newest
  }
  for (const migration of migrations.slice(version)) {
    const oldest = migrations.findLast((each) => each.version <= migration.version && each.oldest !== undefined)?.oldest
    await apply(database, { ...migration, oldest: oldest ?? migration.version }, now())
  }
  return newest
}

async function apply(
  database: SqlDatabase,
  { version, name, oldest, up }: Migration & { readonly oldest: number },
  applied_at: number,
): Promise<void> {
  await database.write(async (transaction) => {
    await database.dialect.lockMigrations(transaction)
    await transaction.schema
      .createTable('store_migrations')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    await transaction.schema
      .createTable('store_schema')
      .ifNotExists()
      .addColumn('id', 'integer', (column) => column.primaryKey())
      .addColumn('version', 'integer', (column) => column.notNull())
      .addColumn('oldest_program', 'integer', (column) => column.notNull())
      .execute()
    // Another gateway may have applied it since.
    if ((await appliedVersion(transaction)) >= version) return
    await up(transaction, database.dialect)
    await transaction.insertInto('store_migrations').values({ version, name, applied_at }).execute()
    const schema = { version, oldest_program: oldest }
    await transaction
      .insertInto('store_schema')
      .values({ id: 1, ...schema })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(schema))
      .execute()
  })
}

async function appliedVersion(db: Sql): Promise<number> {
  const row = await db
    .selectFrom('store_migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst()
  return row?.version ?? 0
}

/** The oldest schema version whose programs may serve; undefined if the release that migrated it did not say so. */
async function oldestProgram(db: Sql, version: number): Promise<number | undefined> {
  const tables = await db.introspection.getTables()
  if (!tables.some(({ name }) => name === 'store_schema')) return undefined
  const row = await db.selectFrom('store_schema').selectAll().executeTakeFirst()
  return row?.version === version ? row.oldest_program : undefined
}

function tooNew(place: string, version: number, newest: number): GatewayError {
  return new GatewayError('STORE_TOO_NEW', {
    place,
    reason: `${place} has schema version ${version}, and this release, of version ${newest}, may not use it`,
    remedy: 'Start the newer release that wrote it, or use another data folder. Nothing was changed.',
  })
}
