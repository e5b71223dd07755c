import pg, { type Client, type Pool, type PoolClient } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Store, Turn } from '../../model/store.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres-under-test.case.ts'
import { WriterLock } from './writer-lock.ts'

/** A connection through a pooler in transaction mode: outside of a transaction, each statement gets any free connection. */
function pooled(pool: Pool): Client {
  let own: PoolClient | undefined
  const query = async (sql: string, values?: unknown[]) => {
    if (sql === 'begin') own = await pool.connect()
    const told = await (own ?? pool).query(sql, values)
    if (sql === 'rollback') {
      own?.release()
      own = undefined
    }
    return told
  }
  const end = async () => {
    own?.release(true)
    own = undefined
  }
  return { query, end, on: () => undefined, connect: async () => undefined } as unknown as Client
}

describe('turns of the gateways on a database', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let stores: readonly Store[]
  beforeAll(async () => {
    place = await postgresUnderTest()
    stores = [await place.open(), await place.open()]
  }, TIME_LIMIT_MS)
  afterAll(() => place.end(), TIME_LIMIT_MS)

  /** What the gateways were told so far, by number. */
  const told: string[] = []
  const takeTurns = (at: number, name = 'index'): Turn => {
    const turn = stores[at]?.takeTurns?.(name, (isOurs) => void told.push(`${at} ${name} ${isOurs}`))
    if (turn === undefined) throw new Error('the store knows no turns')
    return turn
  }
  const until = async (line: string): Promise<void> => {
    await expect.poll(() => told).toContain(line)
  }

  it('one has it, and the next one when it is given back or its connection dies', async () => {
    const first = takeTurns(0)
    await until('0 index true')
    const second = takeTurns(1)
    const other = takeTurns(1, 'another')
    await until('1 another true')
    expect(told).toEqual(['0 index true', '1 another true'])
    await first.close()
    await until('1 index true')
    expect(told.slice(2)).toEqual(['0 index false', '1 index true'])
    told.length = 0
    const third = takeTurns(0)
    const holders = `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
      and objid = (hashtextextended('index', 0) & 4294967295)::oid`
    expect(await place.ask(holders)).toHaveLength(1)
    await until('1 index false')
    await expect.poll(() => told.filter((line) => line.endsWith('index true'))).toHaveLength(1)
    await Promise.all([second.close(), third.close(), other.close()])
    expect(await place.ask(`select * from pg_locks where locktype = 'advisory'`)).toEqual([])
  })

  it('one has it behind a pooler in transaction mode', async () => {
    const pool = new pg.Pool({ connectionString: place.url, max: 3 })
    const has = [false, false]
    const locks = [0, 1].map(
      (at) =>
        new WriterLock({
          ...{ connect: () => pooled(pool), name: 'pooled', everyMs: 10 },
          onTurn: (isOurs) => void (has[at] = isOurs),
        }),
    )
    await expect.poll(() => has).toContain(true)
    const asked = vi.spyOn(pool, 'connect')
    // The other one has asked several times.
    await expect.poll(() => asked.mock.calls.length).toBeGreaterThan(5)
    expect(has.filter(Boolean)).toHaveLength(1)
    const holder = has.indexOf(true)
    await locks[holder]?.close()
    await expect.poll(() => has[1 - holder]).toBe(true)
    await locks[1 - holder]?.close()
    await pool.end()
  })
})
