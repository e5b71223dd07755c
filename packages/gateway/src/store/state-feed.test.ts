import { join } from 'node:path'
import type { KyselyPlugin } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../model/store.ts'
import { KeyFile, Keyring } from './secrets/keyring.ts'
import { SecretBox } from './secrets/secret-box.ts'
import type { SqlDatabase } from './sql-database.ts'
import { Backups } from './sqlite/backups.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { type SqliteUnderTest, sqliteUnderTest } from './sqlite/sqlite-under-test.case.ts'
import { KEPT_REVISIONS, readState } from './state-feed.ts'
import { TIME_LIMIT_MS } from './store-contract.case.ts'
import { endpointOf, projectOf, serverOf, tokenOf } from './stored-samples.case.ts'

const TOKENS = 3_000

describe('readState', { timeout: TIME_LIMIT_MS }, () => {
  let place: SqliteUnderTest
  let store: Store
  let database: SqlDatabase
  beforeEach(async () => {
    place = await sqliteUnderTest()
    store = await place.open()
    await store.change(async (changes) => {
      for (const id of ['a', 'b', 'c']) {
        await changes.putServer(serverOf(id))
        await changes.putProject(projectOf(id, { servers: [id] }))
        await changes.putEndpoint(endpointOf(id, { project: id }))
      }
      for (let at = 0; at < TOKENS; at++) await changes.putToken(tokenOf(`t${at}`))
    })
    database = await openSqlite(place.path, { backups: new Backups(join(place.dataDir, 'backups')), retryForMs: 5_000 })
  })
  afterEach(async () => {
    await database.close()
    await place.end()
  })

  /** The rows that a gateway reads to follow the changes since a state. */
  const rowsSince = async (known?: ReturnType<Store['current']>): Promise<number> => {
    let rows = 0
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: ({ result }) => {
        rows += result.rows.length
        return Promise.resolve(result)
      },
    }
    const box = new SecretBox(new Keyring(new KeyFile(join(place.dataDir, 'secret.key')), undefined))
    const read = await database.read((db) =>
      readState(db.withPlugin(counter), { box, dialect: database.dialect }, known),
    )
    expect(read).toEqual(store.current())
    return rows
  }

  it('[U19] reads the rows that a change touched, however many others there are', async () => {
    const before = store.current()
    await store.change((changes) => changes.putToken(tokenOf('new')))
    // The revision, the change and the token.
    expect(await rowsSince(before)).toBe(3)
    await store.change((changes) => changes.removeToken('new'))
    expect(await rowsSince(before)).toBe(3)
    await store.change((changes) => changes.putProject(projectOf('b', { servers: ['a', 'b'] })))
    const [revision, changes, project, itsServers] = [1, 3, 1, 2]
    expect(await rowsSince(before)).toBe(revision + changes + project + itsServers)
    expect(await rowsSince()).toBeGreaterThan(TOKENS)
  })

  it('keeps the changes of the last revisions', async () => {
    await place.run(`update store_state set revision = ${KEPT_REVISIONS + 99}`)
    await store.refresh()
    await store.change((changes) => changes.putToken(tokenOf('last')))
    const kept = await database.read((db) => db.selectFrom('state_changes').select('entry_id').execute())
    expect(kept).toEqual([{ entry_id: 'last' }])
  })
})
