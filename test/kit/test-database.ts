import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { sharedPart } from './shared.ts'

/** An empty PostgreSQL database, for one test file. */
export interface TestDatabase {
  readonly url: string
  readonly drop: () => Promise<void>
}

/**
 * Makes a database in the test run's PostgreSQL.
 * @param copied the address of the database that it is a copy of; it may have no open connections. Empty by default
 */
export async function testDatabase(copied?: string): Promise<TestDatabase> {
  const server = await sharedPart('postgres')
  const name = `test_${randomBytes(6).toString('hex')}`
  const ask = async (sql: string): Promise<void> => {
    const client = new pg.Client({ connectionString: server })
    await client.connect()
    try {
      await client.query(sql)
    } finally {
      await client.end()
    }
  }
  await ask(`create database ${name}${copied === undefined ? '' : ` template ${new URL(copied).pathname.slice(1)}`}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => ask(`drop database ${name} with (force)`) }
}
