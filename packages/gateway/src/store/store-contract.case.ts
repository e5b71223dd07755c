import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Store } from '../model/store.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import type { StoredState } from '../model/stored-state.ts'
import { callOf } from './audit/audit-samples.case.ts'
import { MIGRATIONS, type Migration } from './migrations.ts'
import { changeOf, endpointOf, projectOf, serverOf, tokenOf } from './stored-samples.case.ts'

/** Generous, because a real database on a busy machine is slow. */
export const TIME_LIMIT_MS = 60_000

/** A separate database for a test. */
export interface StoreUnderTest {
  /** Opens a store on it; each call stands for another gateway. */
  open(options?: { readonly secretKey?: string; readonly migrations?: readonly Migration[] }): Promise<Store>
  /** Runs statements beside the stores. */
  run(sql: string): Promise<unknown>
  /** The whole content of the database as text. */
  dump(): Promise<string>
  /** Closes all stores and removes the database. */
  end(): Promise<void>
}

/** The contract of every store. */
export function describeStore(name: string, make: () => Promise<StoreUnderTest>): void {
  describe(`${name} keeps the Store contract`, { timeout: TIME_LIMIT_MS }, () => {
    let place: StoreUnderTest
    let store: Store
    beforeEach(async () => {
      place = await make()
      store = await place.open()
    }, TIME_LIMIT_MS)
    afterEach(() => place.end(), TIME_LIMIT_MS)

    it('starts empty', () => {
      expect(store.current()).toEqual({
        ...{ revision: 0, servers: [], projects: [], endpoints: [], tokens: StoredTokens.of() },
        settings: new Map(),
      })
    })

    it('returns stored entries, also after a restart', async () => {
      await store.change(async (changes) => {
        await changes.putServer(serverOf('s', { env: { B: 'b', A: 'a' }, toolPermissions: { z: false, a: true } }))
        await changes.putServer(serverOf('web', { url: 'https://x.test', headers: { authorization: 'Bearer x' } }))
        await changes.putProject(
          projectOf('p', {
            name: 'P',
            servers: ['web', 's'],
            optimization: null,
            tools: { 's:z': { allowed: false }, 's:a': { pinned: true, deferLoading: false, description: 'D' } },
          }),
        )
        await changes.putEndpoint(endpointOf('e', { project: 'p', exposure: 'limited', maxTools: 3 }))
        await changes.putToken(tokenOf('t', { projects: ['p'], readOnly: true, expiresAt: 9 }))
        await changes.putSetting('theme', { dark: true })
      })
      const kept = store.current()
      expect(kept.revision).toBe(1)
      expect(kept.servers[0]?.config).toEqual(
        serverOf('s', { env: { B: 'b', A: 'a' }, toolPermissions: { z: false, a: true } }).config,
      )
      expect(Object.keys(kept.servers[0]?.config.env ?? {})).toEqual(['B', 'A'])
      expect(Object.keys(kept.projects[0]?.config.tools ?? {})).toEqual(['s:z', 's:a'])
      expect(kept.projects[0]?.config.servers).toEqual(['web', 's'])
      expect([...kept.tokens]).toEqual([tokenOf('t', { projects: ['p'], readOnly: true, expiresAt: 9 })])
      expect(kept.settings.get('theme')).toEqual({ dark: true })
      expect((await place.open()).current()).toEqual(kept)
    })

    it('serves a program of one schema version back, whose changes this one finds', async () => {
      await store.change((changes) => changes.putServer(serverOf('s', { env: { A: 'a' } })))
      const older = await place.open({ migrations: MIGRATIONS.slice(0, -1) })
      expect(older.current()).toEqual(store.current())
      await older.change(async (changes) => {
        await changes.putProject(projectOf('p', { servers: ['s'] }))
        await changes.putToken(tokenOf('t', { projects: ['p'] }))
      })
      await older.audit.append([callOf({ requestId: 'r' })], 'of the older')
      expect(await store.refresh()).toEqual(older.current())
      const { entries } = await store.audit.page({}, { limit: 10 })
      expect(entries.map(({ requestId }) => requestId)).toEqual(['r'])
      await older.close()
      expect((await place.open()).current()).toEqual(store.current())
    })

    it('[R25] distinguishes a project with tool search off from one without the setting', async () => {
      const projects = [
        projectOf('off', { optimization: null }),
        projectOf('silent', {}),
        projectOf('bm25', { optimization: 'bm25' }),
        projectOf('no-servers', { servers: [] }),
      ]
      for (const project of projects) await store.change((changes) => changes.putProject(project))
      const again = (await place.open()).current().projects
      expect(again).toEqual(projects)
      expect(again.map(({ config }) => 'optimization' in config)).toEqual([true, false, true, false])
    })

    it('stores every valid configuration', async () => {
      const others = await place.open()
      await fc.assert(
        fc.asyncProperty(changeOf, async ({ server, project, endpoint, token, setting }) => {
          await store.change(async (changes) => {
            await changes.putServer(server)
            await changes.putProject(project)
            await changes.putEndpoint(endpoint)
            await changes.putToken(token)
            await changes.putSetting('any', setting)
          })
          const state = await others.refresh()
          expect(state.servers.find(({ id }) => id === server.id)).toEqual(server)
          expect(state.projects.find(({ id }) => id === project.id)).toEqual(project)
          expect(state.endpoints.find(({ id }) => id === endpoint.id)).toEqual(endpoint)
          expect(state.tokens.get(token.id)).toEqual(token)
          expect(state.settings.get('any')).toEqual(setting)
          await store.change((changes) => changes.removeToken(token.id))
        }),
        { numRuns: 15 },
      )
    })

    it('replaces in place, removes, and orders servers', async () => {
      const ids = (): string[] => store.current().servers.map(({ id }) => id)
      await store.change(async (changes) => {
        for (const id of ['a', 'b', 'c', 'd']) await changes.putServer(serverOf(id))
      })
      await store.change((changes) => changes.putServer(serverOf('b', { name: 'B' })))
      expect(ids()).toEqual(['a', 'b', 'c', 'd'])
      await store.change((changes) => changes.orderServers(['d', 'missing', 'b', 'd']))
      expect(ids()).toEqual(['d', 'b', 'a', 'c'])
      await store.change((changes) => changes.removeServer('a'))
      await store.change((changes) => changes.putServer(serverOf('a')))
      expect(ids()).toEqual(['d', 'b', 'c', 'a'])
    })

    it('removes a project with its servers and tools, and keeps those of others', async () => {
      const tools = { 's:t': { allowed: false } }
      await store.change(async (changes) => {
        await changes.putProject(projectOf('a', { servers: ['s'], tools }))
        await changes.putProject(projectOf('b', { servers: ['s'], tools }))
        await changes.removeProject('a')
        await changes.putProject(projectOf('a'))
      })
      expect(store.current().projects).toEqual([projectOf('b', { servers: ['s'], tools }), projectOf('a')])
    })

    it('rolls back when the work fails', async () => {
      await store.change((changes) => changes.putServer(serverOf('s')))
      const before = store.current()
      const failing = store.change(async (changes) => {
        await changes.putServer(serverOf('other'))
        await changes.removeServer('s')
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(store.current()).toBe(before)
      expect((await place.open()).current()).toEqual(before)
    })

    it('serialises changes, each based on the previous one', async () => {
      const others = await place.open()
      const add = (at: number): Promise<number> =>
        (at % 2 === 0 ? store : others).change(async (changes) => {
          const count = changes.state.servers.length
          await changes.putServer(serverOf(`s${at}`, { name: String(count) }))
          return count
        })
      const counts = await Promise.all(Array.from({ length: 12 }, (_, at) => add(at)))
      expect(counts.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 12 }, (_, at) => at))
      expect((await store.refresh()).revision).toBe(12)
      expect(store.current()).toEqual(await others.refresh())
    })

    it('notifies listeners before the change resolves, and only of real changes', async () => {
      const notified: [StoredState, StoredState][] = []
      const end = store.onChange((...states) => notified.push(states))
      const previous = store.current()
      await store.change((changes) => changes.putServer(serverOf('s')))
      expect(notified).toEqual([[store.current(), previous]])
      expect(await store.change(({ state }) => state.servers.length)).toBe(1)
      await store.change(() => {})
      end()
      await store.change((changes) => changes.removeServer('s'))
      expect(notified).toHaveLength(1)
      expect(store.current().revision).toBe(2)
    })

    it('sees the changes of other gateways', async () => {
      const others = await place.open()
      const notified = new Promise<StoredState>((resolve) => void store.onChange(resolve))
      await others.change((changes) => changes.putServer(serverOf('s', { env: { KEY: 'v' } })))
      expect((await notified).servers).toEqual([serverOf('s', { env: { KEY: 'v' } })])
      expect(store.current()).toEqual(others.current())
    })

    it('keeps the role of an admin token where programs that know no roles accept it for nothing', async () => {
      const admin = (id: string, role?: 'reader' | 'operator') => tokenOf(id, { kind: 'admin', ...(role && { role }) })
      const tokens = [admin('a'), admin('o', 'operator'), admin('r', 'reader')]
      await store.change(async (changes) => {
        for (const token of tokens) await changes.putToken(token)
      })
      expect([...store.current().tokens]).toEqual(tokens)
      const opened = await place.open()
      expect([...opened.current().tokens]).toEqual(tokens)
      // They accept the kind "admin" for the admin API, and "client" for endpoints.
      expect((await place.dump()).match(/"kind":"(?:admin|client|operator|reader)"/g)?.toSorted()).toEqual([
        ...['"kind":"admin"', '"kind":"operator"', '"kind":"reader"'],
      ])
    })

    it('refuses a token with the secret of another token', async () => {
      await store.change((changes) => changes.putToken(tokenOf('one', { hash: 'h' })))
      await expect(store.change((changes) => changes.putToken(tokenOf('two', { hash: 'h' })))).rejects.toMatchObject({
        code: 'REQUEST_INVALID',
      })
      expect(Array.from(store.current().tokens, ({ id }) => id)).toEqual(['one'])
    })

    it('refuses writes after the end of the transaction', async () => {
      const late = await store.change((changes) => changes)
      await expect(late.putServer(serverOf('s'))).rejects.toThrow('over')
    })

    it('records the last use of tokens without a new revision', async () => {
      await store.change((changes) => changes.putToken(tokenOf('t')))
      store.noteTokenUse('t', 7)
      store.noteTokenUse('t', 5)
      store.noteTokenUse('missing', 5)
      await store.change((changes) => changes.putToken(tokenOf('t', { name: 'renamed' })))
      const { revision } = store.current()
      await store.close()
      const opened = await place.open()
      expect(await opened.lastUses(['t', 'missing', 'unknown'])).toEqual(new Map([['t', 7]]))
      const state = opened.current()
      expect([...state.tokens]).toEqual([tokenOf('t', { name: 'renamed' })])
      expect(state.revision).toBe(revision)
      opened.noteTokenUse('t', 9)
      expect(await opened.lastUses(['t'])).toEqual(new Map([['t', 9]]))
    })

    it('stores secrets encrypted', async () => {
      const canary = 'canary-5b1f9c'
      await store.change((changes) => changes.putServer(serverOf('s', { env: { KEY: canary } })))
      await store.change((changes) => changes.putServer(serverOf('w', { url: 'http://x', headers: { x: canary } })))
      const auth = { type: 'client-credentials', clientId: 'c', clientSecret: canary } as const
      await store.change((changes) => changes.putServer(serverOf('a', { url: 'http://x', auth })))
      expect(store.current().servers.at(-1)?.config.auth).toEqual(auth)
      const args = ['--api-key', canary, `postgres://u:${canary}@h`, 'plain']
      await store.change((changes) => changes.putServer(serverOf('c', { args })))
      const url = `https://u:${canary}@h/mcp?key=${canary}`
      await store.change((changes) => changes.putServer(serverOf('u', { url })))
      expect(
        store
          .current()
          .servers.slice(-2)
          .map(({ config }) => config),
      ).toMatchObject([{ args }, { url }])
      await store.logins.save('s', { tokens: { access_token: canary } })
      expect(await store.logins.load('s')).toEqual({ tokens: { access_token: canary } })
      expect(await place.dump()).not.toContain(canary)
      await store.change((changes) => changes.removeServer('s'))
      expect(await store.logins.load('s')).toBeUndefined()
    })

    it('names servers with unreadable secrets, and keeps those secrets', async () => {
      const kept = serverOf('s', { env: { KEY: 'v' }, args: ['--token', 'secret', 'x'] })
      const first = await place.open({ secretKey: 'the key that encrypts' })
      await first.change((changes) => changes.putServer(kept))
      await first.logins.save('s', { a: 1 })
      const blind = await place.open({ secretKey: 'another key than before' })
      const [seen] = blind.current().servers
      const masked = { env: { KEY: '••••' }, args: ['--token', '••••', 'x'] }
      expect(seen).toEqual({ ...serverOf('s', masked), unreadableSecrets: ['env', 'args'] })
      expect(await blind.logins.load('s')).toBeUndefined()
      const { ok, unreadableSecrets } = await blind.check()
      expect(ok).toBe(false)
      expect(unreadableSecrets.map(({ reason }) => reason)).toEqual([
        'The environment variables KEY, the arguments of the server s cannot be decrypted, so it does not start',
        'The login at the server s cannot be decrypted',
      ])
      expect(unreadableSecrets[0]?.remedy).toContain('tooldex server set s --env KEY=… -- true --token … x')
      expect(unreadableSecrets[1]?.remedy).toContain('tooldex server login s')
      // Another gateway renames it.
      await blind.change((changes) => changes.putServer(serverOf('s', { ...masked, name: 'renamed' })))
      const again = await place.open({ secretKey: 'the key that encrypts' })
      expect(again.current().servers).toEqual([serverOf('s', { ...kept.config, name: 'renamed' })])
      // Values that are entered again, or removed, replace those that cannot be decrypted.
      await blind.change((changes) => changes.putServer(serverOf('s', { args: ['--token', 'new', 'x'] })))
      expect((await place.open({ secretKey: 'another key than before' })).current().servers).toEqual([
        serverOf('s', { args: ['--token', 'new', 'x'] }),
      ])
      expect(await again.logins.load('s')).toEqual({ a: 1 })
    })

    it('encrypts all secrets again', async () => {
      const servers = [serverOf('s', { env: { KEY: 'v' } }), serverOf('w', { url: 'http://x', headers: { x: 'y' } })]
      for (const server of servers) await store.change((changes) => changes.putServer(server))
      await store.logins.save('s', { a: 1 })
      const others = await place.open()
      const before = await place.dump()
      expect(await store.rotateSecrets()).toEqual({ rotated: 3 })
      const sealed = /v1\.[0-9a-f]{12}/g
      expect(new Set((await place.dump()).match(sealed))).not.toEqual(new Set(before.match(sealed)))
      expect(new Set((await place.dump()).match(sealed)).size).toBe(1)
      expect((await place.open()).current().servers).toEqual(servers)
      expect(await others.logins.load('s')).toEqual({ a: 1 })
    })

    it('stores the last lists of servers', async () => {
      const lists = { tools: [{ name: 't\0' }], prompts: [], resources: [], resourceTemplates: [] }
      const one = { origin: 'o', instructions: 'About\0.', lists }
      await store.lastGood.save('s:\ud800', one)
      await store.lastGood.save('s:\ud800', one)
      await store.lastGood.save('other', { origin: 'x', lists })
      await store.lastGood.save('asking', { origin: 'x', lists })
      await store.lastGood.save('asking', { origin: 'x', lists, asksClients: true })
      const again = await place.open()
      expect(await again.lastGood.load('s:\ud800')).toEqual(one)
      expect(await again.lastGood.load('other')).toEqual({ origin: 'x', lists })
      expect(await again.lastGood.load('asking')).toEqual({ origin: 'x', lists, asksClients: true })
      expect(await again.lastGood.load('missing')).toBeUndefined()
      const ids = Array.from({ length: 60 }, (_, at) => (at % 20 === 0 ? 'other' : `missing ${at}`))
      const loaded = await Promise.all(ids.map((id) => again.lastGood.load(id)))
      expect(loaded).toEqual(ids.map((id) => (id === 'other' ? { origin: 'x', lists } : undefined)))
    })

    it('refuses changes once it is closed, and still has its last state', async () => {
      await store.change((changes) => changes.putServer(serverOf('s')))
      await store.close()
      await store.close()
      const refused = { code: 'STORE_UNAVAILABLE' }
      await expect(store.change((changes) => changes.removeServer('s'))).rejects.toMatchObject(refused)
      await expect(store.audit.append([callOf()])).rejects.toMatchObject(refused)
      await expect(store.audit.page({}, { limit: 1 })).rejects.toMatchObject(refused)
      expect(store.current().servers).toEqual([serverOf('s')])
    })

    it('reports its health', async () => {
      expect(await store.check()).toMatchObject({ ok: true, problems: [], schemaVersion: MIGRATIONS.length })
    })
  })
}
