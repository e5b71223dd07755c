import { connect, type Table } from '@lancedb/lancedb'

/** The table of a stored catalog, to look at or to spoil. */
export async function storedTable(at: string): Promise<Table> {
  return (await connect(at)).openTable('tooldex_catalog')
}

/** The ids of the tools in a stored catalog. */
export async function storedIds(at: string): Promise<string[]> {
  const rows = await (await storedTable(at)).query().where('kind = 0').select(['id']).toArray()
  return rows.map(({ id }) => id as string)
}
