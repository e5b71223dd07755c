import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { migrate, schemaVersion } from './migrate.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import type { SqlDatabase } from './sql-database.ts'
import { Backups } from './sqlite/backups.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { type SqliteUnderTest, sqliteUnderTest } from './sqlite/sqlite-under-test.case.ts'
import { TIME_LIMIT_MS } from './store-contract.case.ts'

const adding = (version: number, column: string, fail = false): Migration => ({
  version,
  name: column,
  up: async (db) => {
    await db.schema.alterTable('servers').addColumn(column, 'text').execute()
    if (fail) throw new Error('interrupted')
  },
})

describe('migrate', { timeout: TIME_LIMIT_MS }, () => {
  let place: SqliteUnderTest
  let database: SqlDatabase
  beforeEach(async () => {
    place = await sqliteUnderTest()
    database = await openSqlite(place.path, { backups: new Backups(join(place.dataDir, 'backups')), retryForMs: 5_000 })
  })
  afterEach(async () => {
    await database.close()
    await place.end()
  })
  const now = () => 5
  const columns = async (): Promise<string[]> =>
    database.read(async (db) => {
      const { rows } = await sql<{ name: string }>`select name from pragma_table_info('servers')`.execute(db)
      return rows.map(({ name }) => name)
    })

  it('creates the tables once, even with concurrent gateways', async () => {
    const other = await openSqlite(place.path, {
      backups: new Backups(join(place.dataDir, 'backups')),
      retryForMs: 5_000,
    })
    expect(await schemaVersion(database)).toBe(0)
    await Promise.all([migrate(database, { now }), migrate(other, { now }), migrate(database, { now })])
    expect(await schemaVersion(other)).toBe(MIGRATIONS.length)
    const versions = await database.read((db) => db.selectFrom('store_migrations').selectAll().execute())
    expect(versions.map(({ version }) => version)).toEqual(MIGRATIONS.map(({ version }) => version))
    await other.close()
  })

  it('continues after an interruption', async () => {
    const [next, last] = [MIGRATIONS.length + 1, MIGRATIONS.length + 2]
    const interrupted = [...MIGRATIONS, adding(next, 'two'), adding(last, 'three', true)]
    await expect(migrate(database, { now, migrations: interrupted })).rejects.toThrow('interrupted')
    expect(await schemaVersion(database)).toBe(next)
    expect(await columns()).not.toContain('three')
    await migrate(database, { now, migrations: [...MIGRATIONS, adding(next, 'two'), adding(last, 'three')] })
    expect(await columns()).toEqual(expect.arrayContaining(['two', 'three']))
    expect(await schemaVersion(database)).toBe(last)
  })

  it('lets a program serve that the schema allows, and leaves the schema to newer ones', async () => {
    const [next, last] = [MIGRATIONS.length + 1, MIGRATIONS.length + 2]
    const newer = [...MIGRATIONS, adding(next, 'two'), adding(last, 'three')]
    await migrate(database, { now, migrations: newer })
    expect(await migrate(database, { now })).toBe(MIGRATIONS.length)
    expect(await schemaVersion(database)).toBe(last)
    await expect(migrate(database, { now, migrations: MIGRATIONS.slice(0, 7) })).rejects.toMatchObject({
      code: 'STORE_TOO_NEW',
      message: expect.stringContaining(`schema version ${last}`),
    })
  })

  it('refuses a program from the migration on that takes away what it uses', async () => {
    const contracted = { ...adding(MIGRATIONS.length + 1, 'two'), oldest: MIGRATIONS.length + 1 }
    await migrate(database, { now, migrations: [...MIGRATIONS, contracted] })
    await expect(migrate(database, { now })).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
    expect(await migrate(database, { now, migrations: [...MIGRATIONS, contracted] })).toBe(MIGRATIONS.length + 1)
  })

  it('keeps the data of an older version', async () => {
    await migrate(database, { now, migrations: MIGRATIONS.slice(0, 1) })
    const entry = { id: 'old', position: 1, created_at: 1, updated_at: 1 }
    const token = { name: 'Old', kind: 'client', hash: 'h', projects: null, servers: null, read_only: 0 } as const
    await database.write((db) =>
      db
        .insertInto('tokens')
        .values({ ...entry, ...token, expires_at: null, last_used_at: null })
        .execute(),
    )
    await migrate(database, { now })
    const kept = await database.read((db) => db.selectFrom('tokens').select('id').execute())
    expect(kept).toEqual([{ id: 'old' }])
    expect(await schemaVersion(database)).toBe(MIGRATIONS.length)
  })

  it('encrypts secrets in arguments and URLs that an earlier release stored in clear', async () => {
    await migrate(database, { now, migrations: MIGRATIONS.slice(0, 3) })
    const config = (parts: object): string => JSON.stringify({ start: 'eager', era: 'auto', limits: {}, ...parts })
    const args = ['--api-key', 'canary-4411', 'plain']
    const url = 'https://h/mcp?key=canary-4411'
    await database.write(async (db) => {
      const row = (id: string, position: number, parts: object) =>
        sql`insert into servers (id, position, created_at, updated_at, config)
          values (${id}, ${position}, 1, 1, ${config(parts)})`.execute(db)
      await row('program', 1, { command: 'x', args })
      await row('web', 2, { url })
    })
    await database.close()
    expect(filesIn(place.dataDir)).toContain('canary-4411')
    const store = await place.open()
    expect(store.current().servers.map((server) => server.config)).toMatchObject([{ command: 'x', args }, { url }])
    expect(await place.dump()).not.toContain('canary-4411')
    await store.close()
    expect(filesIn(place.dataDir)).not.toContain('canary-4411')
    const again = await place.open()
    expect(again.current().servers.map((server) => server.config)).toMatchObject([{ args }, { url }])
  })
})

/** The bytes of the database and its log. */
function filesIn(folder: string): string {
  const names = readdirSync(folder).filter((name) => name.startsWith('tooldex.db'))
  return names.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
}

describe('MIGRATIONS', () => {
  it('let the version before serve on each, beginning with the release that says so', () => {
    for (const { version, oldest } of MIGRATIONS.slice(8)) {
      expect([version, (oldest ?? version - 1) <= version - 1]).toEqual([version, true])
    }
  })

  it('are numbered from one without gaps', () => {
    expect(MIGRATIONS.map(({ version }) => version)).toEqual(MIGRATIONS.map((_, at) => at + 1))
  })
})
