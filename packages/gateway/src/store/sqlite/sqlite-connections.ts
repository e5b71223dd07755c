import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite'

/** A file and its connections: the pragmas of each, by name. */
export interface ConnectionSetup {
  readonly path: string
  readonly connections: Readonly<Record<string, readonly string[]>>
}

/** The result of a statement. */
export interface StatementAnswer {
  readonly rows: readonly unknown[]
  readonly changes?: number
}

/** Waiting blocks the whole thread, so longer waits are made of many attempts. */
const BUSY_TIMEOUT_MS = 1

/** Synchronous connections to one file. */
export class SqliteConnections {
  readonly #setup: ConnectionSetup
  readonly #open = new Map<string, { readonly database: DatabaseSync; readonly statements: StatementCache }>()

  constructor(setup: ConnectionSetup) {
    this.#setup = setup
  }

  /** Opens the connections in their order. Returns false if the file is damaged. */
  open({ isChecked }: { readonly isChecked: boolean }): boolean {
    const { path, connections } = this.#setup
    const isNew = statSync(path).size === 0
    for (const [name, pragmas] of Object.entries(connections)) {
      const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true })
      const isFirst = this.#open.size === 0
      this.#open.set(name, { database, statements: new StatementCache(database) })
      if (isFirst && isChecked && !isNew && !isIntact(database, path)) return false
      for (const pragma of pragmas) database.exec(`pragma ${pragma}`)
    }
    return true
  }

  /** Runs one statement. */
  run(name: string, sql: string, parameters: readonly unknown[]): StatementAnswer {
    const connection = this.#open.get(name)
    if (connection === undefined) throw new Error('The connection is closed')
    // SQLite rolls a transaction back by itself when the disk is full.
    if (sql === 'rollback' && !connection.database.isTransaction) return { rows: [] }
    const { statement, answersRows } = connection.statements.prepare(sql)
    const values = parameters as readonly SQLInputValue[]
    if (answersRows) return { rows: statement.all(...values) }
    return { rows: [], changes: Number(statement.run(...values).changes) }
  }

  close(): void {
    for (const { database } of this.#open.values()) database.close()
    this.#open.clear()
  }
}

const MOST_STATEMENTS = 100

/** A prepared statement, and whether it returns rows. */
interface PreparedStatement {
  readonly statement: StatementSync
  readonly answersRows: boolean
}

/** An LRU cache of prepared statements. */
export class StatementCache {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, PreparedStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  prepare(sql: string): PreparedStatement {
    const known = this.#statements.get(sql)
    const prepared = known ?? this.#prepare(sql)
    // A Map keeps insertion order, so its first entry is the least recently used one.
    if (known !== undefined) this.#statements.delete(sql)
    this.#statements.set(sql, prepared)
    if (this.#statements.size > MOST_STATEMENTS) this.#evictOldest()
    return prepared
  }

  #prepare(sql: string): PreparedStatement {
    const statement = this.#database.prepare(sql)
    return { statement, answersRows: statement.columns().length > 0 }
  }

  #evictOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql)
      return
    }
  }
}

/** A larger file is not checked as a whole, because the check delays the start. */
const READ_WHOLE_BYTES = 64 * 1024 * 1024

/** Tables that grow with use. The others have the configuration. */
const LARGE_TABLES = ['audit_entries', 'audit_batches', 'tool_snapshots']

/** Whether the file is intact: all of it, or for a large file the tables of the configuration. */
function isIntact(database: DatabaseSync, path: string): boolean {
  if (statSync(path).size <= READ_WHOLE_BYTES) return passesCheck(database, 'pragma quick_check(1)')
  const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all() as { name: string }[]
  const small = tables.filter(({ name }) => !LARGE_TABLES.includes(name) && !name.startsWith('sqlite_'))
  return small.every(({ name }) => passesCheck(database, `pragma quick_check('${name}')`))
}

function passesCheck(database: DatabaseSync, pragma: string): boolean {
  const rows = database.prepare(pragma).all()
  return rows.length === 1 && rows[0]?.['quick_check'] === 'ok'
}
