import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { principalOf, projectOf, snapshotOf } from '../catalog/snapshot.case.ts'
import type { ServerState } from '../model/server.ts'
import { EligibilityCache } from './eligibility-cache.ts'
import { eligibleTools } from './eligible-tools.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'

const STATES: readonly ServerState[] = ['starting', 'running', 'idle', 'stopped', 'failed', 'needs-login', 'held']
const NONE: ServerToolPermissions = new Map()
const keysOf = (...given: Parameters<typeof eligibleTools>): string[] =>
  eligibleTools(...given).list.map(({ key }) => key)

describe('eligibleTools', () => {
  const catalog = snapshotOf([
    { id: 'a', tools: ['x', 'y', { name: 'r', annotations: { readOnlyHint: true } }] },
    { id: 'b', tools: ['x'] },
    { id: 'c', tools: ['z'] },
  ])
  const project = projectOf('p', ['b', 'a'])

  it('[R20] are those of the servers of the project, in its order', () => {
    expect(keysOf(principalOf(), project, NONE, catalog)).toEqual(['b:x', 'a:x', 'a:y', 'a:r'])
  })

  it('[R17] are none if the token is for other projects, and only those of its servers', () => {
    expect(keysOf(principalOf({ projects: new Set(['q']) }), project, NONE, catalog)).toEqual([])
    expect(keysOf(principalOf({ projects: new Set() }), project, NONE, catalog)).toEqual([])
    expect(keysOf(principalOf({ projects: new Set(['p']) }), project, NONE, catalog)).toHaveLength(4)
    expect(keysOf(principalOf({ servers: new Set(['b', 'c']) }), project, NONE, catalog)).toEqual(['b:x'])
  })

  it('are those annotated as read-only for a read-only token', () => {
    expect(keysOf(principalOf({ readOnly: true }), project, NONE, catalog)).toEqual(['a:r'])
    const doubtful = snapshotOf([{ id: 'a', tools: [{ name: 't', annotations: { readOnlyHint: 'true' } }] }])
    expect(keysOf(principalOf({ readOnly: true }), project, NONE, doubtful)).toEqual([])
  })

  it('[R18] do not include tools that the server denies; a missing entry allows', () => {
    const permissions = new Map([['a', { x: false, y: true }]])
    expect(keysOf(principalOf(), project, permissions, catalog)).toEqual(['b:x', 'a:y', 'a:r'])
    const odd = snapshotOf([{ id: 'a', tools: ['__proto__', 'constructor', 'toString'] }])
    expect(keysOf(principalOf(), project, new Map([['a', {}]]), odd)).toHaveLength(3)
    const forbidding = new Map([
      ['a', JSON.parse('{"__proto__":false,"constructor":false}') as Record<string, boolean>],
    ])
    expect(keysOf(principalOf(), project, forbidding, odd)).toEqual(['a:toString'])
  })

  it('[M11] do not include tools that the project denies; other flags deny nothing', () => {
    const strict = projectOf('p', ['a', 'b'], {
      'a:x': { allowed: false },
      'a:y': { pinned: true, deferLoading: false },
    })
    expect(keysOf(principalOf(), strict, NONE, catalog)).toEqual(['a:y', 'a:r', 'b:x'])
  })

  it.each(STATES)('[R19] depend on the server state %s', (state) => {
    const there = keysOf(principalOf(), project, NONE, snapshotOf([{ id: 'a', state, tools: ['t'] }]))
    expect(there).toEqual(['running', 'idle', 'starting'].includes(state) ? ['a:t'] : [])
  })

  it('have consistent keys, scope, servers and project, and are immutable', () => {
    const eligible = eligibleTools(principalOf(), project, NONE, catalog)
    const keys = eligible.list.map(({ key }) => key)
    expect(keys.map((key) => eligible.get(key)?.key)).toEqual(keys)
    expect(eligible.size).toBe(keys.length)
    expect([...eligible.scope.ids()]).toEqual(keys)
    expect(eligible.scope).toBe(eligible.scope)
    expect(eligible.servers.map(({ id }) => id)).toEqual(['b', 'a'])
    expect(eligible.project).toBe(project)
    expect(() => (eligible.list as unknown[]).push('more')).toThrow(TypeError)
  })
})

const id = fc.constantFrom<string[]>('s0', 's1', 's2', '__proto__')
const toolName = fc.constantFrom<string[]>('t0', 't1', '__proto__', 'constructor')
const permission = fc.constantFrom(true, false, undefined)

/** Random inputs. */
const world = fc.record({
  servers: fc.uniqueArray(
    fc.record({
      id,
      state: fc.constantFrom(...STATES),
      tools: fc.uniqueArray(
        fc.record({
          name: toolName,
          annotations: fc.record({ readOnlyHint: fc.constantFrom(true, false, undefined) }),
        }),
        { selector: ({ name }) => name },
      ),
    }),
    { selector: (server) => server.id },
  ),
  projectServers: fc.array(id),
  projectTools: fc.array(fc.tuple(id, toolName, permission)),
  serverTools: fc.array(fc.tuple(id, toolName, permission)),
  projects: fc.option(fc.uniqueArray(fc.constantFrom('p', 'q')), { nil: undefined }),
  tokenServers: fc.option(fc.uniqueArray(id), { nil: undefined }),
  readOnly: fc.boolean(),
})
type World = typeof world extends fc.Arbitrary<infer T> ? T : never

function given(one: World): [Principal, Project, ServerToolPermissions, CatalogSnapshot] {
  const entries = one.projectTools.map(([server, tool, allowed]) => [
    `${server}:${tool}`,
    allowed === undefined ? { pinned: true } : { allowed },
  ])
  const permissions = new Map<string, Record<string, boolean>>()
  for (const [server, tool, allowed] of one.serverTools) {
    const ofServer = permissions.get(server) ?? (Object.create(null) as Record<string, boolean>)
    if (allowed !== undefined) ofServer[tool] = allowed
    permissions.set(server, ofServer)
  }
  const principal = principalOf({
    readOnly: one.readOnly,
    ...(one.projects === undefined ? {} : { projects: new Set(one.projects) }),
    ...(one.tokenServers === undefined ? {} : { servers: new Set(one.tokenServers) }),
  })
  const project = { ...projectOf('p', one.projectServers), tools: new Map(entries as never) as Project['tools'] }
  return [principal, project, permissions, snapshotOf(one.servers as never)]
}

/** A direct reference implementation. */
function isEligible(one: World, serverId: string, name: string): boolean {
  const server = one.servers.find((candidate) => candidate.id === serverId)
  const tool = server?.tools.find((candidate) => candidate.name === name)
  const last = (entries: World['serverTools']) =>
    entries.filter(([s, t, allowed]) => s === serverId && t === name && allowed !== undefined).at(-1)?.[2]
  const lastEntry = one.projectTools.filter(([s, t]) => s === serverId && t === name).at(-1)?.[2]
  return (
    server !== undefined &&
    tool !== undefined &&
    (server.state === 'running' || server.state === 'idle' || server.state === 'starting') &&
    one.projectServers.includes(serverId) &&
    (one.projects === undefined || one.projects.includes('p')) &&
    (one.tokenServers === undefined || one.tokenServers.includes(serverId)) &&
    (!one.readOnly || tool.annotations.readOnlyHint === true) &&
    last(one.serverTools) !== false &&
    lastEntry !== false
  )
}

describe('eligible tools of any model', () => {
  it('[R17] are exactly those that every rule allows', () => {
    fc.assert(
      fc.property(world, (one) => {
        const expected = one.servers.flatMap((server) =>
          server.tools.filter(({ name }) => isEligible(one, server.id, name)).map(({ name }) => `${server.id}:${name}`),
        )
        expect(keysOf(...given(one)).toSorted()).toEqual(expected.toSorted())
      }),
      { numRuns: 2_000 },
    )
  })

  it('are the same from the cache, after any other requests', () => {
    fc.assert(
      fc.property(
        fc.array(world, { minLength: 2, maxLength: 4 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(), fc.nat())),
        (worlds, picks) => {
          const cache = new EligibilityCache()
          const all = worlds.map(given)
          const pick = (at: number) => all[at % all.length] as (typeof all)[number]
          for (const [a, b, c, d] of picks) {
            const args = [pick(a)[0], pick(b)[1], pick(c)[2], pick(d)[3]] as const
            const remembered = cache.eligibleTools(...args)
            expect(remembered.list).toEqual(eligibleTools(...args).list)
            expect(remembered.project).toBe(args[1])
            expect(cache.eligibleTools(...args)).toBe(remembered)
          }
        },
      ),
      { numRuns: 200 },
    )
  })
})

describe('EligibilityCache', () => {
  it('misses after any change of its inputs, including permissions', () => {
    const cache = new EligibilityCache()
    const catalog = snapshotOf([{ id: 'a', tools: ['t'] }])
    const [principal, project] = [principalOf(), projectOf('p', ['a'])]
    const first = cache.eligibleTools(principal, project, NONE, catalog)
    expect(cache.eligibleTools(principal, project, new Map([['a', { t: false }]]), catalog).list).toEqual([])
    expect(cache.eligibleTools(principal, { ...project, serverIds: [] }, NONE, catalog).list).toEqual([])
    expect(cache.eligibleTools({ ...principal, servers: new Set() }, project, NONE, catalog).list).toEqual([])
    expect(cache.eligibleTools(principal, project, NONE, snapshotOf([])).list).toEqual([])
    expect(cache.eligibleTools(principal, project, NONE, catalog).list).toEqual(first.list)
  })
})
