import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { describeAuditChain } from '../audit/audit-chain-contract.case.ts'
import { describeAudit } from '../audit/audit-contract.case.ts'
import { callOf } from '../audit/audit-samples.case.ts'
import { describeCosts } from '../costs-contract.case.ts'
import { describePins } from '../pins-contract.case.ts'
import { MIGRATIONS } from '../migrations.ts'
import { openStore } from '../open-store.ts'
import { describeUses } from '../uses-contract.case.ts'
import { describeStore, TIME_LIMIT_MS } from '../store-contract.case.ts'
import { serverOf } from '../stored-samples.case.ts'
import { placeOf } from './open-postgres.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres-under-test.case.ts'
import { TcpProxy } from './tcp-proxy.case.ts'

describeStore('PostgreSQL', postgresUnderTest)
describeAudit('PostgreSQL', postgresUnderTest)
describeAuditChain('PostgreSQL', postgresUnderTest)
describeCosts('PostgreSQL', postgresUnderTest)
describePins('PostgreSQL', postgresUnderTest)
describeUses('PostgreSQL', postgresUnderTest)

describe('the PostgreSQL database', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let store: Store
  beforeEach(async () => {
    place = await postgresUnderTest()
    store = await place.open()
  }, TIME_LIMIT_MS)
  afterEach(() => place.end(), TIME_LIMIT_MS)

  const cutConnections = () =>
    place.ask(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()',
    )

  it('notifies other gateways at once, without polling', async () => {
    const patient = await openStore({
      ...{ dataDir: place.dataDir, databaseUrl: place.url, logger: silentLogger(), pollMs: 1_000_000 },
    })
    place.opened.push(patient)
    const listening = async () =>
      (await place.ask(`select 1 from pg_stat_activity where query like 'listen%' and datname = current_database()`))
        .length
    await expect.poll(listening).toBeGreaterThanOrEqual(2)
    const notified = new Promise<StoredState>((resolve) => void patient.onChange(resolve))
    await store.change((changes) => changes.putServer(serverOf('s')))
    expect((await notified).servers.map(({ id }) => id)).toEqual(['s'])
  })

  it('answers from memory while connections are cut, and recovers by itself', async () => {
    await store.change((changes) => changes.putServer(serverOf('s')))
    await cutConnections()
    expect(store.current().servers.map(({ id }) => id)).toEqual(['s'])
    await store.change((changes) => changes.putServer(serverOf('t')))
    expect(store.current().servers.map(({ id }) => id)).toEqual(['s', 't'])
  })

  it('creates the tables once when several gateways start at the same time', async () => {
    await place.ask('drop schema public cascade; create schema public')
    await Promise.all([place.open(), place.open(), place.open()])
    expect(await place.ask('select version from store_migrations')).toEqual(
      MIGRATIONS.map(({ version }) => ({ version })),
    )
  })

  it('refuses a database of a newer release without changing it', async () => {
    await place.ask(`insert into store_migrations values (99, 'of the future', 1)`)
    await expect(place.open()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
  })

  it('shows its address without user and password, and reports a refused user', async () => {
    const unknownUser = place.url.replace('tooldex@', 'nobody:secret-word@')
    const opening = openStore({ dataDir: place.dataDir, databaseUrl: unknownUser, logger: silentLogger() })
    await expect(opening).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.not.stringContaining('secret-word'),
    })
    expect((await store.check()).place).toBe(place.url.replace('tooldex@', ''))
  })
})

describe('a PostgreSQL that becomes unavailable', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let road: TcpProxy
  let store: Store
  beforeEach(async () => {
    place = await postgresUnderTest()
    road = await TcpProxy.to(place.url)
    const { dataDir } = place
    store = await openStore({
      ...{ dataDir, databaseUrl: road.url, logger: silentLogger(), pollMs: 20, retryForMs: 300 },
    })
    place.opened.push(store)
    await store.change((changes) => changes.putServer(serverOf('s')))
  }, TIME_LIMIT_MS)
  afterEach(async () => {
    await place.end()
    await road.close()
  }, TIME_LIMIT_MS)

  it('is replaced by memory for reads, times out for changes, and is used again by itself', async () => {
    road.block()
    expect(store.current().servers.map(({ id }) => id)).toEqual(['s'])
    await expect(store.change((changes) => changes.putServer(serverOf('t')))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    await expect(store.audit.append([callOf()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(await store.check()).toMatchObject({ ok: false, kind: 'postgres' })
    const others = await place.open()
    await others.change((changes) => changes.putServer(serverOf('meanwhile')))
    road.open()
    await expect.poll(() => store.current().servers.map(({ id }) => id)).toEqual(['s', 'meanwhile'])
    await store.change((changes) => changes.putServer(serverOf('t')))
    expect((await others.refresh()).servers.map(({ id }) => id)).toEqual(['s', 'meanwhile', 't'])
    expect(await store.check()).toMatchObject({ ok: true })
  })
})

describe('placeOf', () => {
  it('has neither user nor password', () => {
    expect(placeOf('postgres://user:secret@db.test:5433/name?sslmode=require')).toBe('postgres://db.test:5433/name')
    expect(placeOf('postgres:///name?host=/run/postgresql')).toBe('postgres:///run/postgresql/name')
    expect(placeOf('::')).toBe('postgres://')
  })
})
