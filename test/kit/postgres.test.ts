import { cpSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { npmPackage, postgresFromNpm, startPostgres } from './postgres.ts'

const TIME_LIMIT_MS = 60_000

it('runs the PostgreSQL from npm as unpacked, without its install script', {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const root = mkdtempSync(join(tmpdir(), 'tooldex-unpacked-'))
  try {
    cpSync(npmPackage(), root, { recursive: true, filter: (path) => !lstatSync(path).isSymbolicLink() })
    const programs = postgresFromNpm(root)
    expect(
      readdirSync(join(root, 'native', 'lib'), { withFileTypes: true }).some((file) => file.isSymbolicLink()),
    ).toBe(true)
    const server = await startPostgres(programs)
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    const { rows } = await client.query<{ version: string }>('select version()')
    await client.end()
    expect(rows[0]?.version).toMatch(/^PostgreSQL 1[0-9]/)
    await server.stop()
    await expect(new pg.Client({ connectionString: server.url }).connect()).rejects.toThrow('ECONNREFUSED')
  } finally {
    rmSync(root, { recursive: true })
  }
})

it('answers nothing while it is frozen, on no connection, and goes on when it is resumed', {
  timeout: TIME_LIMIT_MS,
}, async () => {
  const server = await startPostgres()
  const client = new pg.Client({ connectionString: server.url, query_timeout: 1_000 })
  await client.connect()
  await client.query('select 1')
  server.freeze()
  await expect(client.query('select 2')).rejects.toThrow('timeout')
  const another = new pg.Client({ connectionString: server.url, connectionTimeoutMillis: 1_000 })
  await expect(another.connect()).rejects.toThrow('timeout')
  server.resume()
  const later = new pg.Client({ connectionString: server.url })
  await later.connect()
  expect((await later.query('select 3 as three')).rows).toEqual([{ three: 3 }])
  for (const each of [client, later]) await each.end()
  await server.stop()
})
