import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/kit/test-database.ts'
import { openPostgresVectors, PostgresVectors } from './postgres-vectors.ts'

const vectorOf = (value: number): Int8Array => new Int8Array([value, -value, 127, -128])

describe('openPostgresVectors', () => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await testDatabase()
  }, 60_000)
  afterAll(() => database.drop())

  it('shares vectors among processes that start at the same moment', async () => {
    const opened = await Promise.all([1, 2, 3, 4].map(() => openPostgresVectors(database.url)))
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
    const opened = await openPostgresVectors(database.url)
    await opened.vectors.save('one', new Map([['same', vectorOf(1)]]))
    await opened.vectors.save('other', new Map([['same', vectorOf(2)]]))
    await opened.vectors.save('one', new Map([['same', vectorOf(9)]]))
    expect((await opened.vectors.load('one', ['same'])).get('same')).toEqual(vectorOf(1))
    expect((await opened.vectors.load('other', ['same'])).get('same')).toEqual(vectorOf(2))
    expect(await opened.vectors.load('third', ['same'])).toEqual(new Map())
    await opened.close()
  })

  it('fails if no database listens', async () => {
    const opened = await openPostgresVectors('postgres://nobody@127.0.0.1:1/none')
    await expect(opened.vectors.load('one', ['same'])).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await opened.close()
  })
})
