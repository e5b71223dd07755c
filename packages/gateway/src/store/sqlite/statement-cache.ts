import type { DatabaseSync, StatementSync } from 'node:sqlite'

const MOST_STATEMENTS = 100

/** A statement, and whether it answers with rows. */
export interface PreparedStatement {
  readonly statement: StatementSync
  readonly answersRows: boolean
}

/** Keeps the statements that were used last. */
export class StatementCache {
  readonly #database: DatabaseSync
  readonly #statements = new Map<string, PreparedStatement>()

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  prepare(sql: string): PreparedStatement {
    const known = this.#statements.get(sql)
    const prepared = known ?? this.#prepare(sql)
    // The order of a Map is that of insertion: the first is the one that was not used for longest.
    if (known !== undefined) this.#statements.delete(sql)
    this.#statements.set(sql, prepared)
    if (this.#statements.size > MOST_STATEMENTS) this.#forgetOldest()
    return prepared
  }

  #prepare(sql: string): PreparedStatement {
    const statement = this.#database.prepare(sql)
    return { statement, answersRows: statement.columns().length > 0 }
  }

  #forgetOldest(): void {
    for (const sql of this.#statements.keys()) {
      this.#statements.delete(sql)
      return
    }
  }
}
