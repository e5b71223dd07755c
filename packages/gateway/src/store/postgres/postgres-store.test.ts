import fc from 'fast-check'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../../model/store.ts'
import type { StoredState } from '../../model/stored-state.ts'
import { silentLogger } from '../../telemetry/logger.ts'
import { describeAuditChain } from '../audit/audit-chain-contract.case.ts'
import { describeAudit } from '../audit/audit-contract.case.ts'
import { callOf } from '../audit/audit-samples.case.ts'
import { describeCosts } from '../costs-contract.case.ts'
import { describeFeed } from '../feed-contract.case.ts'
import { describePins } from '../pins-contract.case.ts'
import { MIGRATIONS } from '../migrations.ts'
import { openStore } from '../open-store.ts'
import { describeReplicas } from '../replicas-contract.case.ts'
import { describeUses } from '../uses-contract.case.ts'
import { describeStore, TIME_LIMIT_MS } from '../store-contract.case.ts'
import { serverOf } from '../stored-samples.case.ts'
import { classifyPostgresError } from './postgres-errors.ts'
import { hostUrls, placeOf, PostgresHosts } from './postgres-hosts.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres-under-test.case.ts'
import { TcpProxy } from './tcp-proxy.case.ts'

describeStore('PostgreSQL', postgresUnderTest)
describeAudit('PostgreSQL', postgresUnderTest)
describeAuditChain('PostgreSQL', postgresUnderTest)
describeCosts('PostgreSQL', postgresUnderTest)
describeFeed('PostgreSQL', postgresUnderTest)
describePins('PostgreSQL', postgresUnderTest)
describeUses('PostgreSQL', postgresUnderTest)
describeReplicas('PostgreSQL', postgresUnderTest)

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
    expect(store.figures()).toMatchObject({ isReachable: true, pool: { waiting: 0 } })
    road.block()
    expect(store.current().servers.map(({ id }) => id)).toEqual(['s'])
    await expect(store.change((changes) => changes.putServer(serverOf('t')))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    })
    await expect(store.audit.append([callOf()])).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    const asked = performance.now()
    expect(await store.check()).toMatchObject({ ok: false, kind: 'postgres' })
    expect(performance.now() - asked).toBeLessThan(5_000)
    expect(store.figures().isReachable).toBe(false)
    expect(store.figures().failures).toBeGreaterThan(0)
    const others = await place.open()
    await others.change((changes) => changes.putServer(serverOf('meanwhile')))
    road.open()
    await expect.poll(() => store.current().servers.map(({ id }) => id)).toEqual(['s', 'meanwhile'])
    await store.change((changes) => changes.putServer(serverOf('t')))
    expect((await others.refresh()).servers.map(({ id }) => id)).toEqual(['s', 'meanwhile', 't'])
    expect(await store.check()).toMatchObject({ ok: true })
    expect(store.figures().isReachable).toBe(true)
  })

  it('counts how long transactions wait for a connection', async () => {
    const { pool: before } = store.figures()
    await Promise.all(Array.from({ length: 20 }, () => store.audit.append([callOf()])))
    const { pool } = store.figures()
    expect(pool?.acquired).toBeGreaterThanOrEqual((before?.acquired ?? 0) + 20)
    expect(pool?.waitedMs).toBeGreaterThan(before?.waitedMs ?? 0)
    expect((pool?.busy ?? 0) + (pool?.idle ?? 0)).toBeLessThanOrEqual(5)
  })
})

describe('hostUrls', () => {
  it.each([
    ['postgres://u:p@h/d?sslmode=require', ['postgres://u:p@h/d?sslmode=verify-full']],
    ['postgres://h/d?sslmode=prefer&x=1', ['postgres://h/d?sslmode=verify-full&x=1']],
    ['postgres://h/d?sslmode=no-verify', ['postgres://h/d?sslmode=no-verify']],
    ['postgres://h/d?uselibpqcompat=true&sslmode=require', ['postgres://h/d?uselibpqcompat=true&sslmode=require']],
    ['postgres://u@h1:1,h2:2/d', ['postgres://u@h1:1/d', 'postgres://u@h2:2/d']],
    [
      'postgresql://h1,h2/d?port=5433&sslmode=require',
      ['postgresql://h1:5433/d?sslmode=verify-full', 'postgresql://h2:5433/d?sslmode=verify-full'],
    ],
    ['postgres://u@/d?host=a,b&port=1,2', ['postgres://u@a:1/d', 'postgres://u@b:2/d']],
    [
      'postgres://u@x/d?host=::1,/run/pg&target_session_attrs=read-write',
      ['postgres://u@[::1]/d', 'postgres://u@/d?host=%2Frun%2Fpg'],
    ],
    ['postgres:///d?host=/run/pg', ['postgres:///d?host=/run/pg']],
  ])('reads %s', (url, urls) => {
    expect(hostUrls(url)).toEqual(urls)
  })

  it.each([
    'postgres://u:secret-word@h:port/d',
    'postgres://h1,,h2/d',
    'mysql://h/d',
    'postgres://h/d?target_session_attrs=standby',
  ])('refuses %s, with a remedy and without the password', (url) => {
    const told = (() => {
      try {
        return String(hostUrls(url))
      } catch (error) {
        return error instanceof Error ? error.message : ''
      }
    })()
    expect(told).toMatch(/cannot be used: .*\. Write it as postgres:/)
    expect(told).not.toContain('secret-word')
  })

  it('reads any list of hosts that it would write', () => {
    const host = fc.record({ name: fc.domain(), port: fc.integer({ min: 1, max: 65_535 }) })
    fc.assert(
      fc.property(fc.array(host, { minLength: 2, maxLength: 4 }), (hosts) => {
        const listed = hosts.map(({ name, port }) => `${name}:${port}`)
        expect(hostUrls(`postgres://u@${listed.join(',')}/d`)).toEqual(listed.map((each) => `postgres://u@${each}/d`))
        const query = `host=${hosts.map(({ name }) => name).join(',')}&port=${hosts.map(({ port }) => port).join(',')}`
        expect(hostUrls(`postgres://u@/d?${query}`)).toEqual(listed.map((each) => `postgres://u@${each}/d`))
      }),
    )
  })
})

describe('a database address with several hosts', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  beforeAll(async () => {
    place = await postgresUnderTest()
  }, TIME_LIMIT_MS)
  afterAll(() => place.end(), TIME_LIMIT_MS)

  it('uses the host that can be written to, and moves on when it is gone', async () => {
    const [one, two] = [await TcpProxy.to(place.url), await TcpProxy.to(place.url)]
    const port = (url: string): string => new URL(url).port
    const address = place.url.replace(/@([^/]+)/, `@127.0.0.1:1,127.0.0.1:${port(one.url)},127.0.0.1:${port(two.url)}`)
    const store = await openStore({
      ...{ dataDir: place.dataDir, databaseUrl: address, logger: silentLogger(), pollMs: 50, retryForMs: 5_000 },
    })
    await store.change((changes) => changes.putServer(serverOf('s')))
    one.block()
    await store.change((changes) => changes.putServer(serverOf('t')))
    expect((await store.check()).place).toContain(`127.0.0.1:${port(one.url)},127.0.0.1:${port(two.url)}`)
    expect(store.current().servers.map(({ id }) => id)).toEqual(['s', 't'])
    await store.close()
    await Promise.all([one.close(), two.close()])
  })

  it('passes over a host that is read-only, also one that becomes so', async () => {
    const name = new URL(place.url).pathname.slice(1)
    const reader = new URL(place.url)
    reader.searchParams.set('options', '-c default_transaction_read_only=on')
    const pools = [reader.href, place.url].map((connectionString) => new pg.Pool({ connectionString, max: 2 }))
    const hosts = new PostgresHosts(pools)
    const client = await hosts.connect()
    const { rows } = await client.query<{ name: string; ro: string }>(
      `select current_database() as name, current_setting('transaction_read_only') as ro`,
    )
    expect([rows[0], hosts.current]).toEqual([{ name, ro: 'off' }, 1])
    await client.query('set default_transaction_read_only = on')
    client.release()
    expect(await hosts.connect()).toBe(client)
    client.release()
    hosts.checkAgain()
    await expect(hosts.connect()).rejects.toMatchObject({ code: '25006' })
    await hosts.end()
  })
})

describe('PostgreSQL behind a pooler that passes on no notifications', { timeout: TIME_LIMIT_MS }, () => {
  it('is found out, told once, and polled', async () => {
    const place = await postgresUnderTest()
    const road = await TcpProxy.to(place.url, { withoutNotifications: true })
    const told: string[] = []
    const logger = { ...silentLogger(), warn: (_: unknown, message?: string) => void told.push(message ?? '') }
    const store = await openStore({
      dataDir: place.dataDir,
      databaseUrl: road.url,
      logger: logger as never,
      pollMs: 50,
    })
    const other = await place.open()
    await other.change((changes) => changes.putServer(serverOf('s')))
    await expect.poll(() => store.current().servers.map(({ id }) => id)).toEqual(['s'])
    await expect
      .poll(() => told, { timeout: 10_000 })
      .toEqual([expect.stringContaining('PgBouncer in transaction mode')])
    await store.close()
    await place.end()
    await road.close()
  })
})

describe('errors of TLS', () => {
  const told = (code: string, message = 'x', more: object = {}) =>
    classifyPostgresError(Object.assign(new Error(message), { code, ...more }))

  it.each([
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'sslrootcert'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'sslrootcert'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'name'],
    ['CERT_HAS_EXPIRED', 'Renew'],
  ])('%s has a sentence with a remedy', (code, remedy) => {
    expect(told(code)).toMatchObject({ kind: 'permanent', remedy: expect.stringContaining(remedy) })
  })

  it('tell a server without TLS, one that requires it, and a missing file', () => {
    expect(classifyPostgresError(new Error('The server does not support SSL connections')).reason).toContain(
      'does not offer TLS',
    )
    const refused = 'no pg_hba.conf entry for host "10.0.0.1", user "u", database "d", no encryption'
    expect(told('28000', refused, { severity: 'FATAL' }).remedy).toContain('sslmode')
    expect(told('ENOENT', 'no such file', { syscall: 'open' }).remedy).toContain('sslrootcert')
    expect(told('ENOENT', 'no socket', { syscall: 'connect' }).kind).toBe('transient')
  })
})

describe('an error of PostgreSQL', () => {
  it('tells a database that does not exist from a user that is refused', () => {
    const reasonOf = (code: string) =>
      classifyPostgresError(Object.assign(new Error('x'), { code, severity: 'FATAL' })).reason
    expect([reasonOf('3D000'), reasonOf('28P01')]).toEqual([
      'PostgreSQL has no database of this name',
      'PostgreSQL refuses this user',
    ])
  })
})

describe('placeOf', () => {
  it('has neither user nor password', () => {
    expect(placeOf('postgres://user:secret@db.test:5433/name?sslmode=require')).toBe('postgres://db.test:5433/name')
    expect(placeOf('postgres:///name?host=/run/postgresql')).toBe('postgres:///run/postgresql/name')
    expect(placeOf('postgres://user:secret@h1:1,h2:2/name')).toBe('postgres://h1:1,h2:2/name')
    expect(placeOf('::')).toBe('postgres://')
  })
})
