import type { Sql } from '../flavour.ts'

/** What clients loaded into contexts, summed up by the day. */
export async function contextCosts(db: Sql): Promise<void> {
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
