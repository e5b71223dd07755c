import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { Store } from '../../model/store.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { openStore } from '../open-store.ts'
import type { StoreUnderTest } from '../store-contract.case.ts'

/** A SQLite store in its own folder. */
export interface SqliteUnderTest extends StoreUnderTest {
  readonly dataDir: string
  readonly path: string
  /** Registers a store to be closed at the end. */
  readonly opened: Store[]
}

/** A SQLite store in its own folder. */
export async function sqliteUnderTest(): Promise<SqliteUnderTest> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-store-'))
  const path = join(dataDir, 'tooldex.db')
  const opened: Store[] = []
  return {
    dataDir,
    path,
    opened,
    async open(options = {}) {
      const store = await openStore({ dataDir, logger: silentLogger(), pollMs: 5, ...options })
      opened.push(store)
      return store
    },
    async run(sql) {
      const database = new DatabaseSync(path)
      database.exec(sql)
      database.close()
    },
    async dump() {
      const database = new DatabaseSync(path, { readOnly: true })
      const tables = database.prepare(`select name from sqlite_schema where type = 'table'`).all()
      const rows = tables.map(({ name }) => database.prepare(`select * from "${String(name)}"`).all())
      database.close()
      return JSON.stringify(rows)
    },
    async end() {
      for (const store of opened) await store.close()
      rmSync(dataDir, { recursive: true })
    },
  }
}
