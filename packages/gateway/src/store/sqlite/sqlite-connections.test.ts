import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { StatementCache } from './sqlite-connections.ts'

it('caches the most recently used statements, and prepares the others again', () => {
  const database = new DatabaseSync(':memory:')
  const cache = new StatementCache(database)
  const [often, once] = [cache.prepare('select 1 as n'), cache.prepare('select 2 as n')]
  for (let n = 0; n < 150; n++) {
    expect(cache.prepare(`select ${n + 10} as n`).statement.get()).toMatchObject({ n: n + 10 })
    expect(cache.prepare('select 1 as n')).toBe(often)
  }
  expect(cache.prepare('select 2 as n')).not.toBe(once)
  expect(cache.prepare('create table t (x)').answersRows).toBe(false)
  database.close()
})
