import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** A larger file is not read whole while somebody waits for the gateway. */
const READ_WHOLE_BYTES = 64 * 1024 * 1024

/** What grows with use. What was decided is in the others. */
const LARGE_TABLES = ['audit_entries', 'audit_batches', 'tool_snapshots']

/** Whether the file holds together: all of it, or, of a large one, everything that was decided. */
export function isIntact(database: DatabaseSync, path: string): boolean {
  if (statSync(path).size <= READ_WHOLE_BYTES) return saysOk(database, 'pragma quick_check(1)')
  const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all() as { name: string }[]
  const small = tables.filter(({ name }) => !LARGE_TABLES.includes(name) && !name.startsWith('sqlite_'))
  return small.every(({ name }) => saysOk(database, `pragma quick_check('${name}')`))
}

function saysOk(database: DatabaseSync, pragma: string): boolean {
  const rows = database.prepare(pragma).all()
  return rows.length === 1 && rows[0]?.['quick_check'] === 'ok'
}
