import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../test/kit/test-database.ts'
import { openSearchDatabase } from './open-database.ts'
import { PostgresVectors } from './rank/postgres-vectors.ts'

const vectorOf = (value: number): Int8Array => new Int8Array([value, -value, 127, -128])

describe('openSearchDatabase', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  }, 60_000)
  afterAll(() => database.drop())

  it('shares vectors among processes that start at the same moment', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => openSearchDatabase(database.url)))
    const entries = Array.from({ length: 32 }, (_, at) => [`hash-${at}`, vectorOf(at)] as const)
    await Promise.all(
      opened.map(({ vectors }, nth) => vectors.save('model', new Map(nth % 2 === 0 ? entries : entries.toReversed()))),
    )
    for (const { vectors } of opened) {
      expect(await vectors.load('model', ['hash-3', 'unknown', 'hash-31'])).toEqual(
        new Map([
          ['hash-3', vectorOf(3)],
          ['hash-31', vectorOf(31)],
        ]),
      )
    }
    await Promise.all(opened.map((one) => one.close()))
  })

  it('creates its table once, even if many processes start at the same moment', async () => {
    // Eight connected sessions compete for the table, round after round.
    const pool = new pg.Pool({ connectionString: database.url, max: 8 })
    onTestFinished(() => pool.end())
    await Promise.all(Array.from({ length: 8 }, () => pool.query('select pg_sleep(0.05)')))
    for (let round = 0; round < 30; round++) {
      await pool.query('drop table if exists tooldex_search_vectors')
      const loads = Array.from({ length: 8 }, () => new PostgresVectors(pool).load('model', ['none']))
      expect(await Promise.all(loads)).toEqual(Array.from({ length: 8 }, () => new Map()))
    }
  })

  it('keeps the vectors of different embedders apart, and the first of each', async () => {
    const opened = await openSearchDatabase(database.url)
    await opened.vectors.save('one', new Map([['same', vectorOf(1)]]))
    await opened.vectors.save('other', new Map([['same', vectorOf(2)]]))
    await opened.vectors.save('one', new Map([['same', vectorOf(9)]]))
    expect((await opened.vectors.load('one', ['same'])).get('same')).toEqual(vectorOf(1))
    expect((await opened.vectors.load('other', ['same'])).get('same')).toEqual(vectorOf(2))
    expect(await opened.vectors.load('third', ['same'])).toEqual(new Map())
    await opened.close()
  })

  it('lets one instance at a time do work of a name, and the next one when the first has died', async () => {
    const [one, other] = await Promise.all([openSearchDatabase(database.url), openSearchDatabase(database.url)])
    onTestFinished(async () => {
      await Promise.all([one.close(), other.close()])
    })
    const { promise: begun, resolve: begin } = Promise.withResolvers<AbortSignal>()
    const first = one.alone('catalog', async (lost) => {
      begin(lost)
      await new Promise((_, reject) => {
        lost.addEventListener('abort', () => reject(lost.reason as Error))
      })
    })
    const lost = await begun
    expect(await other.alone('catalog', async () => {})).toBe(false)
    expect(await other.alone('another', async () => {})).toBe(true)
    expect(lost.aborted).toBe(false)
    const ended = first.catch(String)
    // What an instance that dies does to its connections.
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query(`
      select pg_terminate_backend(pid) from pg_locks join pg_database on pg_database.oid = database
      where locktype = 'advisory' and datname = current_database()`)
    await client.end()
    expect(await ended).toBe('Error: the connection that holds the lock of the writer was lost')
    expect(await other.alone('catalog', async () => {})).toBe(true)
  })

  it('fails if no database listens', async () => {
    const opened = await openSearchDatabase('postgres://nobody@127.0.0.1:1/none')
    await expect(opened.vectors.load('one', ['same'])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await opened.close()
  })
})
