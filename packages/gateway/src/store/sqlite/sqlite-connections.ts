import { statSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { isIntact } from './integrity.ts'
import { StatementCache } from './statement-cache.ts'

/** A file, and connections with their pragmas by name. */
export interface ConnectionSetup {
  readonly path: string
  readonly connections: Readonly<Record<string, readonly string[]>>
}

/** What a statement came to. */
export interface StatementAnswer {
  readonly rows: readonly unknown[]
  readonly changes?: number
}

/** Whoever waits in here keeps all that use the same thread waiting. Longer waits are made of many attempts. */
const BUSY_TIMEOUT_MS = 1

/** Connections to one file. Node's SQLite answers at once or not at all. */
export class SqliteConnections {
  readonly #setup: ConnectionSetup
  readonly #open = new Map<string, { readonly database: DatabaseSync; readonly statements: StatementCache }>()

  constructor(setup: ConnectionSetup) {
    this.#setup = setup
  }

  /** Opens them, in their order. False where the file does not hold together. */
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
    // SQLite undoes a transaction by itself when the disk is full.
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
