import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { testDatabase } from '../../../../../test/kit/test-database.ts'
import type { Store } from '../../model/store.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { openStore } from '../open-store.ts'
import type { StoreUnderTest } from '../store-contract.case.ts'

/** A separate PostgreSQL database. */
export interface PostgresUnderTest extends StoreUnderTest {
  readonly url: string
  readonly dataDir: string
  readonly opened: Store[]
  ask(sql: string): Promise<readonly Record<string, unknown>[]>
}

/** A database with the tables, which all tests of a file copy: making the tables takes longer than a copy. */
let prepared: Promise<string> | undefined

async function prepare(): Promise<string> {
  const { url } = await testDatabase()
  const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-store-'))
  await (await openStore({ dataDir, databaseUrl: url, logger: silentLogger() })).close()
  rmSync(dataDir, { recursive: true })
  return url
}

/** A separate PostgreSQL database, with the tables. */
export async function postgresUnderTest(): Promise<PostgresUnderTest> {
  prepared ??= prepare()
  const { url, drop } = await testDatabase(await prepared)
  const dataDir = mkdtempSync(join(tmpdir(), 'tooldex-store-'))
  const opened: Store[] = []
  const ask = async (sql: string): Promise<readonly Record<string, unknown>[]> => {
    const client = new pg.Client({ connectionString: url })
    await client.connect()
    const { rows } = await client.query<Record<string, unknown>>(sql).finally(() => client.end())
    return rows
  }
  return {
    url,
    dataDir,
    opened,
    ask,
    run: ask,
    async open(options = {}) {
      const store = await openStore({ dataDir, databaseUrl: url, logger: silentLogger(), pollMs: 1_000, ...options })
      opened.push(store)
      return store
    },
    async dump() {
      const tables = await ask(`select tablename from pg_tables where schemaname = 'public'`)
      const rows = []
      for (const { tablename } of tables) rows.push(await ask(`select * from "${String(tablename)}"`))
      return JSON.stringify(rows)
    },
    async end() {
      for (const store of opened) await store.close()
      await drop()
      rmSync(dataDir, { recursive: true })
    },
  }
}
