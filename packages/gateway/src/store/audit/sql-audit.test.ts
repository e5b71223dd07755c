import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate } from '../migrate.ts'
import type { SqlDatabase } from '../sql-database.ts'
import { Backups } from '../sqlite/backups.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { type SqliteUnderTest, sqliteUnderTest } from '../sqlite/sqlite-under-test.case.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { callOf, searchOf } from './audit-samples.case.ts'
import { SqlAudit } from './sql-audit.ts'

describe('SqlAudit', { timeout: TIME_LIMIT_MS }, () => {
  let place: SqliteUnderTest
  let database: SqlDatabase
  let hasty: SqlAudit
  beforeEach(async () => {
    place = await sqliteUnderTest()
    database = await openSqlite(place.path, { backups: new Backups(join(place.dataDir, 'backups')), retryForMs: 5_000 })
    await migrate(database, { now: () => 5 })
    // Each query takes a second.
    let elapsed = 0
    hasty = new SqlAudit({ database, cursorKey: 'k', now: () => 5, elapsed: () => (elapsed += 1_000) })
  })
  afterEach(async () => {
    await database.close()
    await place.end()
  })

  it('returns a partial page after the time limit, and continues where it stopped', async () => {
    const many = Array.from({ length: 3_000 }, (_, at) =>
      callOf({ at, tokenId: at % 2 === 0 ? 'a' : 'b', projectId: at % 2 === 0 || at < 9 ? 'x' : 'y' }),
    )
    await hasty.append(many)
    const filter = { tokenId: 'b', projectId: 'x' }
    const found: number[] = []
    let empty = 0
    for (let cursor: string | undefined; ; ) {
      const page = await hasty.page(filter, { limit: 3, ...(cursor !== undefined && { cursor }) })
      found.push(...page.entries.map(({ at }) => at))
      cursor = page.nextCursor
      if (cursor === undefined) break
      if (page.entries.length === 0) empty += 1
    }
    expect(found).toEqual([7, 5, 3, 1])
    expect(empty).toBeGreaterThan(1)
  })

  it('returns full pages if an index covers the filter, regardless of time', async () => {
    await hasty.append(Array.from({ length: 1_500 }, (_, at) => callOf({ at, tokenId: 'a' })))
    for (const filter of [{}, { tokenId: 'a' }, { kind: 'call' }, { serverId: 's', kind: 'call' }] as const) {
      const { entries, nextCursor } = await hasty.page(filter, { limit: 1_000 })
      expect([entries.length, typeof nextCursor]).toEqual([1_000, 'string'])
    }
  })

  it('uses the index of the most selective condition', async () => {
    // Server and token have many entries; those of the project are all old.
    const recent = Array.from({ length: 3_000 }, (_, at) => callOf({ at: 10_000 + at, tokenId: 'a', serverId: 's' }))
    const old = Array.from({ length: 1_200 }, (_, at) => callOf({ at, tokenId: 'b', projectId: 'x' }))
    await hasty.append([...old, callOf({ at: 5_000, tokenId: 'a', serverId: 's', projectId: 'x' }), ...recent])
    const { entries } = await hasty.page({ tokenId: 'a', serverId: 's', projectId: 'x' }, { limit: 1 })
    expect(entries.map(({ at }) => at)).toEqual([5_000])
  })

  it('answers contradicting filters without a query', async () => {
    await hasty.append([searchOf({ at: 1 }), callOf({ at: 2, serverId: 's' })])
    const filter = { serverId: 's', kind: 'search' } as const
    await database.close()
    expect(await hasty.page(filter, { limit: 1 })).toEqual({ entries: [] })
    expect(await hasty.sums(filter, 1)).toEqual([])
  })
})
