import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CatalogSnapshot } from '../catalog/catalog.ts'
import { principalOf, projectOf, type ServerSketch, serverOf } from '../catalog/snapshot.case.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ServerToolPermissions } from '../model/project.ts'
import { EligibilityCache } from './eligibility-cache.ts'
import { fitsToken, forbidderOf, isAvailable, isReadOnly, serversWithin } from './eligible-tools.ts'
import { ToolBitmap } from './tool-positions.ts'

describe('ToolBitmap', () => {
  it('has what a set of positions has', () => {
    const position = fc.nat(199)
    const step = fc.oneof(
      fc.record({ how: fc.constantFrom('add' as const, 'delete' as const), position }),
      fc.record({ how: fc.constant('addRange' as const), position, length: fc.nat(100) }),
    )
    fc.assert(
      fc.property(fc.array(step), fc.uniqueArray(position), (steps, others) => {
        const [bitmap, plain] = [new ToolBitmap(300), new Set<number>()]
        for (const each of steps) {
          if (each.how === 'addRange') {
            bitmap.addRange({ start: each.position, end: each.position + each.length })
            for (let at = 0; at < each.length; at++) plain.add(each.position + at)
          } else {
            bitmap[each.how](each.position)
            plain[each.how](each.position)
          }
        }
        const other = new ToolBitmap(300)
        for (const each of others) other.add(each)
        const both = bitmap.and(other)
        for (let at = 0; at < 300; at++) {
          expect(bitmap.has(at)).toBe(plain.has(at))
          expect(both.has(at)).toBe(plain.has(at) && others.includes(at))
        }
        expect(bitmap.count()).toBe(plain.size)
      }),
    )
  })
})

const SERVERS = ['s0', 's1', 's2', '__proto__']
const NAMES = ['read', 'write', 'a:b', 'toString', '__proto__']
const KEYS = SERVERS.flatMap((id) => NAMES.map((name) => `${id}:${name}`))

const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
/** Up to 80 tools, so that the tools of a server begin and end anywhere in a word of the bitmap. */
const tools = fc
  .tuple(
    fc.nat(80),
    fc.uniqueArray(fc.record({ name: fc.constantFrom(...NAMES), readOnly: fc.boolean() }), {
      selector: ({ name }) => name,
    }),
  )
  .map(([more, named]) => [
    ...Array.from({ length: more }, (_, nth) => ({ name: `t${nth}`, readOnly: nth % 3 === 0 })),
    ...named,
  ])
const server = fc.record({
  id: fc.constantFrom(...SERVERS),
  state: fc.constantFrom('running' as const, 'idle' as const, 'failed' as const),
  tools,
})
const project = fc.record({
  servers: fc.subarray(SERVERS, { minLength: 1 }),
  allow: fc.constantFrom('all' as const, 'only' as const, 'all' as const),
  tools: fc.dictionary(
    fc.constantFrom(...KEYS, 's0:t1', 's1:t33'),
    fc.record({ allowed: fc.boolean() }, { requiredKeys: [] }),
  ),
})
const permissions = fc.dictionary(
  fc.constantFrom(...SERVERS),
  fc.dictionary(fc.constantFrom(...NAMES, 't2'), fc.boolean()),
)
const token = fc.record({
  servers: optional(fc.subarray(SERVERS)),
  tools: optional(fc.subarray([...KEYS, 's0:t1'])),
  readOnly: fc.boolean(),
})
const delta = fc.oneof(
  fc.record({ change: fc.constant('server' as const), server }),
  fc.record({ change: fc.constant('gone' as const), id: fc.constantFrom(...SERVERS) }),
  fc.record({ change: fc.constant('project' as const), project }),
  fc.record({ change: fc.constant('permissions' as const), permissions }),
  fc.record({ change: fc.constant('token' as const), token }),
)

const projectIn = ({
  servers,
  allow,
  tools: own,
}: typeof project extends fc.Arbitrary<infer T> ? T : never): Project => ({
  ...projectOf('p', servers, own),
  allow,
})
const principalIn = ({
  servers,
  tools: only,
  readOnly,
}: typeof token extends fc.Arbitrary<infer T> ? T : never): Principal =>
  principalOf({
    readOnly,
    ...(servers && { servers: new Set(servers) }),
    ...(only && { tools: new Set(only) as unknown as NonNullable<Principal['tools']> }),
  })
const sketchOf = ({
  id,
  state,
  tools: list,
}: typeof server extends fc.Arbitrary<infer T> ? T : never): ServerSketch => ({
  id,
  state,
  tools: list.map(({ name, readOnly }) => ({ name, annotations: { readOnlyHint: readOnly } })),
})

describe('eligible tools as a bitmap', () => {
  it('[R17] [U19] are those that the decision for each single tool allows, after any changes', () => {
    const given = fc.record({
      project,
      permissions,
      token,
      servers: fc.uniqueArray(server, { selector: ({ id }) => id }),
    })
    fc.assert(
      fc.property(
        given,
        fc.array(delta, { maxLength: 8 }),
        fc.subarray(SERVERS),
        fc.boolean(),
        (start, deltas, some, readOnly) => {
          const cache = new EligibilityCache()
          let [of, principal] = [projectIn(start.project), principalIn(start.token)]
          let serverTools: ServerToolPermissions = new Map(Object.entries(start.permissions))
          let servers = start.servers.map((each) => serverOf(sketchOf(each)))
          let catalog = snapshotIn(servers)
          const check = (): void => {
            const eligible = cache.eligibleTools(principal, of, serverTools, catalog)
            const plain = serversWithin(principal, of, catalog)
              .filter(isAvailable)
              .flatMap((each) => [...each.tools.values()])
              .filter((tool) => fitsToken(principal, tool) && forbidderOf(tool, of, serverTools) === undefined)
            expect(eligible.list).toEqual(plain)
            expect(eligible.size).toBe(plain.length)
            for (const key of [...KEYS, ...catalog.tools.keys(), 's9:read', 'read']) {
              expect(eligible.get(key)).toBe(plain.find((tool) => tool.key === key))
            }
            const selected = plain.filter((tool) => some.includes(tool.serverId) && (!readOnly || isReadOnly(tool)))
            expect(eligible.select({ serverIds: new Set(some), readOnly }).list).toEqual(selected)
          }
          check()
          for (const each of deltas) {
            if (each.change === 'project') of = projectIn(each.project)
            else if (each.change === 'permissions') serverTools = new Map(Object.entries(each.permissions))
            else if (each.change === 'token') principal = principalIn(each.token)
            else {
              const id = each.change === 'server' ? each.server.id : each.id
              const changed = each.change === 'server' ? [serverOf(sketchOf(each.server))] : []
              servers = [...servers.filter((known) => known.id !== id), ...changed]
              catalog = snapshotIn(servers)
            }
            check()
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

function snapshotIn(servers: CatalogSnapshot['servers']): CatalogSnapshot {
  const all = servers.flatMap((each) => [...each.tools.values()])
  return { version: 1, servers, tools: new Map(all.map((tool) => [tool.key, tool])) }
}
