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
 * Applies missing migrations, each in its own transaction: after an interruption the next start continues.
 * @throws GatewayError STORE_TOO_NEW for a database of a newer release, which is not changed
 */
export async function migrate(
  database: SqlDatabase,
  { now, migrations = MIGRATIONS }: { readonly now: () => number; readonly migrations?: readonly Migration[] },
): Promise<number> {
  const newest = migrations.at(-1)?.version ?? 0
  const version = await schemaVersion(database)
  if (version > newest) throw tooNew(database.place, version, newest)
  for (const migration of migrations.slice(version)) await apply(database, migration, now())
  return newest
}

async function apply(database: SqlDatabase, { version, name, up }: Migration, applied_at: number): Promise<void> {
  await database.write(async (transaction) => {
    await database.dialect.lockMigrations(transaction)
    await transaction.schema
      .createTable('store_migrations')
      .ifNotExists()
      .addColumn('version', 'integer', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('applied_at', 'bigint', (column) => column.notNull())
      .execute()
    // Another gateway may have applied it since.
    if ((await appliedVersion(transaction)) >= version) return
    await up(transaction, database.dialect)
    await transaction.insertInto('store_migrations').values({ version, name, applied_at }).execute()
  })
}

async function appliedVersion(db: Sql): Promise<number> {
  const row = await db
    .selectFrom('store_migrations')
    .select(({ fn }) => fn.max('version').as('version'))
    .executeTakeFirst()
  return row?.version ?? 0
}

function tooNew(place: string, version: number, newest: number): GatewayError {
  return new GatewayError('STORE_TOO_NEW', {
    place,
    reason: `${place} has schema version ${version}, but this release supports versions up to ${newest}`,
    remedy: 'Start the newer release that wrote it, or use another data folder. Nothing was changed.',
  })
}
