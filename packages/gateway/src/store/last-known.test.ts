import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../model/store.ts'
import { silentLogger } from '../telemetry/logger.ts'
import { callOf } from './audit/audit-samples.case.ts'
import { openStore, type OpenStoreOptions } from './open-store.ts'
import { type PostgresUnderTest, postgresUnderTest } from './postgres/postgres-under-test.case.ts'
import { TcpProxy } from './postgres/tcp-proxy.case.ts'
import { TIME_LIMIT_MS } from './store-contract.case.ts'
import { endpointOf, projectOf, serverOf, tokenOf } from './stored-samples.case.ts'

describe('A start while PostgreSQL is away', { timeout: TIME_LIMIT_MS }, () => {
  let place: PostgresUnderTest
  let road: TcpProxy
  let opened: Store[]
  beforeEach(async () => {
    place = await postgresUnderTest()
    road = await TcpProxy.to(place.url)
    opened = []
  }, TIME_LIMIT_MS)
  afterEach(async () => {
    for (const store of opened) await store.close()
    await road.close()
    await place.end()
  }, TIME_LIMIT_MS)

  const open = async (over: Partial<OpenStoreOptions> = {}): Promise<Store> => {
    const store = await openStore({
      ...{ dataDir: place.dataDir, databaseUrl: road.url, logger: silentLogger(), pollMs: 50, retryForMs: 500 },
      ...{ mayStartBehind: true, ...over },
    })
    opened.push(store)
    return store
  }
  const folder = (): string => join(place.dataDir, 'last-known')
  const fill = async (store: Store): Promise<void> => {
    await store.change(async (changes) => {
      await changes.putServer(serverOf('s', { env: { KEY: 'canary-8812' } }))
      await changes.putProject(projectOf('p', { servers: ['s'] }))
      await changes.putEndpoint(endpointOf('e', { project: 'p' }))
      for (let at = 0; at < 250; at++) await changes.putToken(tokenOf(`t${at}`, { hash: `hash ${at}`, name: `T${at}` }))
      await changes.putSetting('theme', { dark: true })
    })
  }

  it('serves the state that it last knew, refuses changes, and catches up when the database is back', async () => {
    const before = await open()
    await fill(before)
    const pin = { kind: 'tool', name: 'one', approved: { hash: 'h', how: 'first-seen', at: 1, changes: 0 } } as const
    await before.pins.record([{ serverId: 's', pin, expected: null, definition: '{}' }])
    const known = before.current()
    await before.close()

    road.block()
    const store = await open()
    expect(store.current()).toEqual(known)
    expect(await store.pins.load('s')).toEqual([pin])
    expect(store.figures()).toMatchObject({ isReachable: false, isBehind: true })
    const refused = expect.objectContaining({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('last known state'),
    })
    await expect(store.change((changes) => changes.putServer(serverOf('x')))).rejects.toEqual(refused)
    await expect(store.audit.append([callOf()])).rejects.toEqual(refused)
    expect(await store.check()).toMatchObject({
      ok: false,
      problems: [expect.stringContaining('started without its database'), expect.anything()],
    })

    const elsewhere = await place.open()
    await elsewhere.change((changes) => changes.putServer(serverOf('meanwhile')))
    await elsewhere.change((changes) => changes.removeToken('t7'))
    road.open()
    await expect.poll(() => store.figures(), { timeout: 20_000 }).toMatchObject({ isReachable: true, isBehind: false })
    expect(store.current()).toEqual(elsewhere.current())
    await store.change((changes) => changes.putServer(serverOf('x')))
    await store.audit.append([callOf()])
    expect(await store.check()).toMatchObject({ ok: true })
  })

  it('keeps no secret in clear, and only its owner can read it', async () => {
    const store = await open()
    await fill(store)
    await store.close()
    expect(statSync(folder()).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder())).toEqual(['state'])
    for (const name of readdirSync(folder())) {
      expect(statSync(join(folder(), name)).mode & 0o777).toBe(0o600)
      expect(/canary-8812|"tokens"/.test(readFileSync(join(folder(), name), 'utf8'))).toBe(false)
    }
  })

  it.each([
    ['cut', (text: string) => text.slice(0, -200)],
    ['of lines in another order', (text: string) => text.split('\n').toSorted().join('\n')],
    ['without its last line', (text: string) => text.slice(0, text.lastIndexOf('\n'))],
    ['empty', () => ''],
  ])('is refused if the file is %s', async (_, damage) => {
    const store = await open()
    await fill(store)
    await store.close()
    const file = join(folder(), 'state')
    writeFileSync(file, damage(readFileSync(file, 'utf8')))
    road.block()
    await expect(open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('is refused without the key that encrypted it, and to commands that do not serve', async () => {
    const store = await open()
    await fill(store)
    await store.close()
    road.block()
    await expect(open({ mayStartBehind: false })).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    rmSync(join(place.dataDir, 'secret.key'))
    await expect(open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  })

  it('does not begin if the database answers that it cannot be used', async () => {
    const store = await open()
    await store.close()
    await place.ask(`insert into store_migrations values (99, 'of the future', 1)`)
    await expect(open()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
  })
})
