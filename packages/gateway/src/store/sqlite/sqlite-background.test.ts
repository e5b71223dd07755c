import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WalSync } from './open-sqlite.ts'
import { SqliteBackground, ThreadEnded } from './sqlite-background.ts'
import { classifySqliteError } from './sqlite-errors.ts'
import { SqliteFile } from './sqlite-file.ts'

const WAL = ['journal_mode = wal']
let folder: string
let path: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-sqlite-'))
  path = join(folder, 'some.db')
  writeFileSync(path, '')
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('a SQLite file', () => {
  it('has no thread before the first slow statement', async () => {
    const file = new SqliteFile({ path, here: { writer: WAL }, background: { bulk: [] } })
    expect(file.open()).toBe(true)
    await file.run('writer', 'create table t (x)')
    expect(file.hasThread).toBe(false)
    expect(await file.run('bulk', 'insert into t values (?), (?)', [1, 2])).toMatchObject({ changes: 2 })
    expect(file.hasThread).toBe(true)
    expect((await file.run('writer', 'select count(*) as n from t')).rows).toEqual([{ n: 2 }])
    await file.close()
    expect(file.hasThread).toBe(false)
    await expect(file.run('writer', 'select 1')).rejects.toThrow(ThreadEnded)
    await expect(file.run('bulk', 'select 1')).rejects.toThrow(ThreadEnded)
  })
})

describe('a connection in both threads', () => {
  it('starts in the main thread while there is no worker, and uses the worker for the next transaction', async () => {
    const file = new SqliteFile({ path, here: { writer: WAL, scanner: [] }, background: { scanner: [] } })
    file.open()
    await file.run('writer', 'create table t (x)')
    // A temporary table belongs to one connection: a count that restarts shows a new connection.
    const look = async (): Promise<unknown> => {
      await file.run('scanner', 'begin')
      await file.run('scanner', 'create temp table if not exists mine (x)')
      await file.run('scanner', 'insert into mine values (1)')
      const { rows } = await file.run('scanner', 'select count(*) as n from mine')
      await file.run('scanner', 'commit')
      return rows
    }
    expect(await look()).toEqual([{ n: 1 }])
    expect(await look()).toEqual([{ n: 2 }])
    expect(file.hasThread).toBe(true)
    await expect.poll(look).toEqual([{ n: 1 }])
    expect(await look()).toEqual([{ n: 2 }])
    await file.close()
  })
})

describe('the thread of a SQLite file', () => {
  it('ends when idle, and starts again on demand', async () => {
    const background = new SqliteBackground({ path, connections: { bulk: WAL } }, { idleMs: 5 })
    await background.run('bulk', 'create table t (x)', [])
    await expect.poll(() => background.isRunning).toBe(false)
    await background.run('bulk', 'insert into t values (7)', [])
    expect((await background.run('bulk', 'select x from t', [])).rows).toEqual([{ x: 7 }])
    await background.close()
  })

  it('reports errors of SQLite, and continues', async () => {
    const background = new SqliteBackground({ path, connections: { bulk: WAL } })
    await expect(background.run('bulk', 'select * from nowhere', [])).rejects.toMatchObject({
      code: 'ERR_SQLITE_ERROR',
    })
    expect((await background.run('bulk', 'select 1 as x', [])).rows).toEqual([{ x: 1 }])
    await background.close()
  })

  it('retries to open a file', async () => {
    const background = new SqliteBackground({ path, connections: { bulk: WAL } })
    rmSync(path)
    await expect(background.run('bulk', 'select 1 as x', [])).rejects.toThrow(/no such file/)
    writeFileSync(path, '')
    expect((await background.run('bulk', 'select 1 as x', [])).rows).toEqual([{ x: 1 }])
    await background.close()
  })
})

describe('a commit', () => {
  it('is synced to disk with the write-ahead log', async () => {
    const file = new SqliteFile({ path, here: { writer: WAL }, background: {} })
    file.open()
    await file.run('writer', 'create table t (x)')
    await expect(new WalSync(path).sync()).resolves.toBeUndefined()
    await file.close()
  })

  it('needs no sync without a write-ahead log', async () => {
    await expect(new WalSync(join(folder, 'other.db')).sync()).resolves.toBeUndefined()
  })

  it('fails with an I/O error if the sync fails', async () => {
    const failure: unknown = await new WalSync(join(path, 'inside-a-file')).sync().catch((error: unknown) => error)
    expect(classifySqliteError(failure)).toMatchObject({ kind: 'permanent', reason: 'the disk reports an error' })
  })
})
