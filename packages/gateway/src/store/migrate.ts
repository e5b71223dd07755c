import type { Sql } from './sql-dialect.ts'
import { GatewayError } from '../errors.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import type { SqlDatabase } from './sql-database.ts'

/** The version of the tables; 0 for a database that has none yet. */
export async function schemaVersion(database: SqlDatabase): Promise<number> {
  return database.read(async (db) => {
    const tables = await db.introspection.getTables()
    return tables.some(({ name }) => name === 'store_migrations') ? appliedVersion(db) : 0
  })
}

/**
 * Brings the tables up to date, each step in a transaction of its own: what was interrupted goes on at the next start.
 * @throws GatewayError STORE_TOO_NEW for a database of a later release, which is left as it is
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
    // Another gateway that started at the same time may have been first.
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
    reason: `${place} has version ${version} of the tables, this program knows ${newest}`,
    remedy: 'Start the newer release that wrote it, or give this one another data folder. Nothing was changed.',
  })
}
