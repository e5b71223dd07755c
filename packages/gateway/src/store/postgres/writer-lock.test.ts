import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Store, Turn } from '../../model/store.ts'
import { TIME_LIMIT_MS } from '../store-contract.case.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres-under-test.case.ts'

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
  const until = (line: string) => vi.waitFor(() => expect(told).toContain(line), 10_000)

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
    await vi.waitFor(() => expect(told.filter((line) => line.endsWith('index true')).length).toBe(1), 10_000)
    await Promise.all([second.close(), third.close(), other.close()])
    expect(await place.ask(`select * from pg_locks where locktype = 'advisory'`)).toEqual([])
  })
})
