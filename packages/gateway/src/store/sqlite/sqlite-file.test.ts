import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../model/store.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { callOf } from '../audit/audit-samples.case.ts'
import { KeyFile, Keyring } from '../secrets/keyring.ts'
import { SqlStore } from '../sql-store.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { serverOf } from '../stored-samples.case.ts'
import { Backups } from './backups.ts'
import { openSqlite } from './open-sqlite.ts'
import { type SqliteUnderTest, sqliteUnderTest } from './sqlite-under-test.case.ts'

/** A store with a limited file size, and a thread with little memory. */
async function openWithin(place: SqliteUnderTest) {
  const database = await openSqlite(place.path, {
    backups: new Backups(join(place.dataDir, 'backups')),
    retryForMs: 5_000,
    memoryMb: 12,
  })
  const full = await SqlStore.open({
    ...{ database, logger: silentLogger(), now: Date.now, cursorKey: '' },
    keyring: new Keyring(new KeyFile(join(place.dataDir, 'secret.key'))),
    watch: () => () => {},
  })
  place.opened.push(full)
  /** Limits the number of pages of all connections. */
  const limitPages = async (pages: number): Promise<void> => {
    for (const isQuick of [true, false]) {
      await database.write((db) => sql.raw(`pragma max_page_count = ${pages}`).execute(db), { isQuick })
    }
  }
  return { full, limitPages, database }
}

/** Larger than the memory of the thread. */
const TOO_MUCH = sql`with recursive n (i) as (select 1 union all select i + 1 from n where i < 30000)
  select i, hex(randomblob(500)) from n`

describe('the SQLite file', { timeout: TIME_LIMIT_MS }, () => {
  let place: SqliteUnderTest
  let store: Store
  beforeEach(async () => {
    place = await sqliteUnderTest()
    store = await place.open()
  }, TIME_LIMIT_MS)
  afterEach(() => place.end(), TIME_LIMIT_MS)

  const put = (id: string): Promise<void> => store.change((changes) => changes.putServer(serverOf(id)))
  const ids = (of: Store): string[] => of.current().servers.map(({ id }) => id)
  const holdLock = (): Disposable => {
    const other = new DatabaseSync(place.path)
    other.exec('begin immediate')
    return { [Symbol.dispose]: () => other.close() }
  }

  it('and the files beside it are readable by their owner only', async () => {
    await put('s')
    for (const name of readdirSync(place.dataDir).filter((file) => file.startsWith('tooldex.db'))) {
      expect(statSync(join(place.dataDir, name)).mode & 0o777, name).toBe(0o600)
    }
  })

  it('waits for the lock of another process without blocking the event loop', async () => {
    const lock = holdLock()
    const change = put('s')
    let ticks = 0
    const counting = setInterval(() => ticks++, 1)
    await expect.poll(() => ticks).toBeGreaterThan(20)
    clearInterval(counting)
    expect(ids(store)).toEqual([])
    expect((await store.audit.page({}, { limit: 1 })).entries).toEqual([])
    lock[Symbol.dispose]()
    await change
    expect(ids(store)).toEqual(['s'])
  })

  it('rejects audit entries that it cannot write now', async () => {
    const lock = holdLock()
    await expect(store.audit.append([callOf()])).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { place: place.path, reason: 'another program locks the database' },
    })
    lock[Symbol.dispose]()
    await store.audit.append([callOf()])
  })

  it('opens while another process holds the lock', async () => {
    await put('s')
    using _lock = holdLock()
    expect(ids(await place.open())).toEqual(['s'])
  })

  it('refuses a change while the disk is full, and accepts it afterwards', async () => {
    await put('s')
    const { full, limitPages } = await openWithin(place)
    await limitPages(1)
    const large = serverOf('large', { args: Array.from({ length: 5_000 }, () => 'x'.repeat(100)) })
    await expect(full.change((changes) => changes.putServer(large))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: 'the disk is full' },
    })
    expect(ids(full)).toEqual(['s'])
    await full.change((changes) => changes.putSetting('small', 1))
    await limitPages(1_000_000)
    await full.change((changes) => changes.putServer(large))
    expect(ids(await place.open())).toEqual(['s', 'large'])
  })

  it('continues after its thread crashed, without losing commits or keeping open transactions', async () => {
    const { full, database } = await openWithin(place)
    await full.change((changes) => changes.putServer(serverOf('before')))
    const half = database.write(
      async (db) => {
        await sql`insert into settings (name, value) values ('half', '1')`.execute(db)
        await TOO_MUCH.execute(db)
      },
      { isBulk: true },
    )
    const waiting = full.audit.append([callOf()])
    await expect(half).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      details: { reason: 'the database thread failed' },
    })
    await waiting
    await full.change((changes) => changes.putServer(serverOf('after')))
    const again = await place.open()
    expect(ids(again)).toEqual(['before', 'after'])
    expect(again.current().settings.has('half')).toBe(false)
    expect((await again.audit.page({}, { limit: 5 })).entries).toHaveLength(1)
  })

  it('does not continue a transaction in the next thread', async () => {
    const { database } = await openWithin(place)
    const writing = database.write(
      async (db) => {
        await expect(TOO_MUCH.execute(db)).rejects.toThrow('The database thread failed')
        await sql`insert into settings (name, value) values ('alone', '1')`.execute(db)
      },
      { isBulk: true },
    )
    await expect(writing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const { rows } = await database.scan((db) => sql`select name from settings`.execute(db))
    expect(rows).toEqual([])
  })

  it('refuses a damaged file, names the newest backup, and deletes nothing', async () => {
    for (let at = 0; at < 300; at++) await store.change((changes) => changes.putSetting(`name-${at}`, 'x'.repeat(200)))
    const backup = await new Backups(join(place.dataDir, 'backups')).make(place.path, Date.now())
    await store.close()
    const whole = readFileSync(place.path)
    // Keeps the first page, which has the header.
    const damaged = Buffer.concat([whole.subarray(0, 4_096), Buffer.alloc(whole.length - 4_096, 0x5a)])
    for (const bytes of [damaged, Buffer.from('not a database, but longer than its header would be '.repeat(40))]) {
      writeFileSync(place.path, bytes)
      await expect(place.open()).rejects.toMatchObject({
        code: 'STORE_CORRUPT',
        message: expect.stringContaining(backup.path),
      })
      expect(readFileSync(place.path)).toEqual(bytes)
    }
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.path}${suffix}`, { force: true })
    copyFileSync(backup.path, place.path)
    expect((await place.open()).current().settings.size).toBe(300)
  })

  it('refuses a database of a newer release without changing it', async () => {
    await put('s')
    await store.close()
    const newer = new DatabaseSync(place.path)
    newer.exec(`insert into store_migrations values (99, 'of the future', 1); pragma wal_checkpoint(truncate)`)
    newer.close()
    const before = readFileSync(place.path)
    await expect(place.open()).rejects.toMatchObject({ code: 'STORE_TOO_NEW', message: expect.stringContaining('99') })
    expect(readFileSync(place.path)).toEqual(before)
  })

  it('initialises an empty file, which an interrupted first start leaves behind', async () => {
    await store.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.path}${suffix}`, { force: true })
    writeFileSync(place.path, '')
    expect(ids(await place.open())).toEqual([])
  })

  it('waits for the disk outside of the event loop while it makes a backup', async () => {
    await put('s')
    const backups = new Backups(join(place.dataDir, 'backups'))
    const making = backups.make(place.path, Date.now())
    // A copy that a loss of power may still damage is no backup.
    expect(backups.list()).toEqual([])
    const { path } = await making
    expect(backups.list().map((backup) => backup.path)).toEqual([path])
  })

  it('makes backups of the configuration, readable by the owner only, and keeps five', async () => {
    await store.change((changes) => changes.putServer(serverOf('s', { env: { KEY: 'canary-77' } })))
    await store.audit.append([callOf({ requestId: 'not-in-a-backup' })])
    const backups = new Backups(join(place.dataDir, 'backups'))
    for (let day = 1; day <= 7; day++) await backups.make(place.path, Date.UTC(2027, 0, day))
    const kept = backups.list()
    expect(kept.map(({ path }) => path.match(/2027-01-\d\d/)?.[0])).toEqual(
      [7, 6, 5, 4, 3].map((day) => `2027-01-0${day}`),
    )
    const [newest] = kept
    expect(statSync(newest?.path ?? '').mode & 0o777).toBe(0o600)
    const bytes = readFileSync(newest?.path ?? '', 'latin1')
    expect(bytes).not.toContain('canary-77')
    expect(bytes).not.toContain('not-in-a-backup')
    expect((await store.check()).latestBackupAt).toBeGreaterThan(0)
    expect(existsSync(join(place.dataDir, 'backups'))).toBe(true)
    await store.close()
    for (const suffix of ['', '-wal', '-shm']) rmSync(`${place.path}${suffix}`, { force: true })
    copyFileSync(newest?.path ?? '', place.path)
    const restored = await place.open()
    expect(restored.current().servers).toEqual([serverOf('s', { env: { KEY: 'canary-77' } })])
    await restored.audit.append([callOf()])
    expect((await restored.audit.page({}, { limit: 5 })).entries).toHaveLength(1)
  })
})
