import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'

/** An empty PostgreSQL database, for one test file. */
export interface TestDatabase {
  readonly url: string
  readonly drop: () => Promise<void>
}

/** Makes an empty database in the test run's PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  const answer = await fetch(inject('postgresAddress'))
  const server = await answer.text()
  if (!answer.ok) throw new Error(server)
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
  await ask(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => ask(`drop database ${name} with (force)`) }
}
