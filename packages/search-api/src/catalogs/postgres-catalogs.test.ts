import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type TestDatabase, testDatabase } from '../../../../test/kit/test-database.ts'
import { PostgresCatalogs } from './postgres-catalogs.ts'

const catalog = (bytes: number) => ({ packed: Buffer.alloc(bytes, 1), tools: 3 })
const key = (hash: string, project = 'work') => ({ project, hash })

describe('PostgresCatalogs', () => {
  let database: TestDatabase
  let pool: pg.Pool
  beforeAll(async () => {
    database = await testDatabase()
    pool = new pg.Pool({ connectionString: database.url })
  }, 60_000)
  beforeEach(() => pool.query('drop table if exists tooldex_search_catalogs'))
  afterAll(async () => {
    await pool.end()
    await database.drop()
  })

  const open = (bounds = { perProject: 3, bytes: 10_000, unusedDays: 7 }) => new PostgresCatalogs(pool, bounds)
  const hashes = async (): Promise<string[]> => {
    const { rows } = await pool.query<{ hash: string }>('select hash from tooldex_search_catalogs order by hash')
    return rows.map(({ hash }) => hash)
  }
  const age = (hash: string, days: number) =>
    pool.query(`update tooldex_search_catalogs set used_at = now() - $2 * interval '1 day' where hash = $1`, [
      hash,
      days,
    ])

  it('keeps catalogs by project and hash, for any text', async () => {
    const catalogs = open()
    const projects = ['work', 'home', '\u0000', '\ud800', '"', '']
    for (const [nth, project] of projects.entries()) await catalogs.save(key('a', project), catalog(nth + 1))
    for (const [nth, project] of projects.entries()) {
      expect((await catalogs.load(key('a', project)))?.packed).toHaveLength(nth + 1)
    }
    expect(await catalogs.load(key('b'))).toBeUndefined()
  })

  it('removes what was not used for long; loading and touching are uses', async () => {
    const catalogs = open({ perProject: 9, bytes: 10_000, unusedDays: 7 })
    const old = ['loaded', 'touched', 'unused']
    for (const hash of old) await catalogs.save(key(hash), catalog(1))
    for (const hash of old) await age(hash, 8)
    await catalogs.load(key('loaded'))
    await catalogs.touch(key('touched'))
    await catalogs.save(key('new'), catalog(1))
    expect(await hashes()).toEqual(['loaded', 'new', 'touched'])
  })

  it('removes the least recently used beyond its bounds, of a project and of all', async () => {
    const catalogs = open()
    await catalogs.save(key('other', 'home'), catalog(1))
    await age('other', 6)
    for (const [nth, hash] of ['1', '2', '3', '4'].entries()) {
      await catalogs.save(key(hash), catalog(1))
      await age(hash, 5 - nth)
    }
    expect(await hashes()).toEqual(['2', '3', '4', 'other'])
    await catalogs.save(key('large', 'home'), catalog(9_999))
    expect(await hashes()).toEqual(['4', 'large'])
  })
})
