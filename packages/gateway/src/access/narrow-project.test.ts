import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definitionOf } from '../catalog/fake-pool.case.ts'
import { principalOf, projectOf as sketch, snapshotOf } from '../catalog/snapshot.case.ts'
import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { Project } from '../model/project.ts'
import { eligibleTools } from './eligible-tools.ts'
import { defaultProject, projectOf, unassignedServerIds, wantedProject } from './projects.ts'

function modelOf(serverIds: readonly string[], projects: readonly Project[]): GatewayModel {
  const servers = serverIds.map((id) => definitionOf(id))
  const all = [defaultProject(servers, projects), ...projects]
  return {
    servers,
    serverTools: new Map(),
    trust: new Map(),
    projects: new Map(all.map((project) => [project.id, project])),
    endpoints: new Map(),
    tokens: new Map(),
  }
}

const model = modelOf(
  ['a', 'b', 'c', 'd'],
  [sketch('work', ['b', 'a']), sketch('home', ['b', 'c'], { 'b:t': { allowed: false } })],
)
const endpointOf = (projectId: string, more: Partial<Endpoint> = {}): Endpoint => ({
  ...{ id: projectId, projectId, disclosure: {}, auth: 'token', transparent: false },
  ...more,
})
/** Through an endpoint that is not the default one. */
const narrow = (projectId: string, wanted: unknown, principal = principalOf()) =>
  wantedProject(endpointOf(projectId, { id: 'e' }), { projectId: wanted }, principal, model)
/** Through the default endpoint. */
const choose = (wanted: unknown, principal = principalOf(), more: Partial<Endpoint> = {}) =>
  wantedProject(endpointOf(DEFAULT_PROJECT, more), { projectId: wanted }, principal, model)

describe('the default project', () => {
  it('has the servers that are in no other project', () => {
    expect(projectOf(model, DEFAULT_PROJECT).serverIds).toEqual(['d'])
    expect(unassignedServerIds(model.servers, model.projects.values())).toEqual(['d'])
  })

  it('can be requested; unknown projects are not found', () => {
    expect(() => projectOf(model, '__proto__')).toThrow(expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }))
  })
})

describe('wantedProject', () => {
  it.each([undefined, null, {}, [], 'text', { projectId: undefined }])(
    'leaves the project alone for _meta %j',
    (meta) => {
      expect(wantedProject(endpointOf('work'), meta, principalOf(), model)).toBe(model.projects.get('work'))
    },
  )

  it('[R21] resolves empty and __unassigned__ to the servers that are in no project, and never to more', () => {
    for (const wanted of ['', '__unassigned__', null, ' ']) {
      expect(narrow('work', wanted).serverIds).toEqual([])
      expect(narrow(DEFAULT_PROJECT, wanted)).toBe(model.projects.get(DEFAULT_PROJECT))
    }
  })

  it('[R21] keeps the tools that are in both projects and denied by neither', () => {
    const narrowed = narrow('work', 'home')
    expect(narrowed.serverIds).toEqual(['b'])
    expect(narrowed.id).toBe('work')
    const catalog = snapshotOf([{ id: 'b', tools: ['t', 'u'] }])
    expect(eligibleTools(principalOf(), narrowed, new Map(), catalog).list.map(({ key }) => key)).toEqual(['b:u'])
    expect(narrow('home', 'work').serverIds).toEqual(['b'])
    expect(narrow('work', 'work')).toBe(model.projects.get('work'))
  })

  it('[R21] selects a project on the default endpoint, if the token may use it', () => {
    expect(choose('work')).toBe(model.projects.get('work'))
    expect(choose('home', principalOf({ projects: new Set(['default', 'home']) }))).toBe(model.projects.get('home'))
    const stranger = choose('home', principalOf({ projects: new Set(['default', 'work']) }))
    expect(stranger).toMatchObject({ id: DEFAULT_PROJECT, serverIds: [], emptied: expect.stringContaining('"home"') })
  })

  it.each<Partial<Endpoint>>([{ auth: 'none' }, { transparent: true }])('[R21] selects nothing through %j', (more) => {
    expect(choose('work', principalOf(), more)).toMatchObject({ id: DEFAULT_PROJECT, serverIds: [] })
  })

  it('[R21] says why nothing is left', () => {
    expect(narrow('work', '')).toMatchObject({ serverIds: [], emptied: 'Every server here belongs to a project' })
    expect(narrow('work', 'default').emptied).toBe('No server here is in the project "default"')
    expect(narrow('work', 'x'.repeat(5_000)).emptied).toHaveLength(
      'There is no project "" that you may use'.length + 40,
    )
    expect(narrow('work', 'home').emptied).toBeUndefined()
  })

  it('[R37] gives the same answer for a missing project and for one of other tokens', () => {
    const owner = principalOf({ projects: new Set(['work', 'default']) })
    for (const ask of [(id: string) => narrow('work', id, owner), (id: string) => choose(id, owner)]) {
      const [forbidden, missing] = ['home', 'nowhere'].map((id) => ({
        ...ask(id),
        emptied: ask(id).emptied?.replace(id, '…'),
      }))
      expect(forbidden).toEqual(missing)
      expect(forbidden?.serverIds).toEqual([])
    }
  })

  it.each([1, true, {}, ['work']])('rejects the project id %j', (wanted) => {
    expect(() => narrow('work', wanted)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
  })

  it('[R41] never widens the project, or selects one of the token, for any value', () => {
    const ids = fc.subarray(['a', 'b', 'c', 'd'])
    const catalog = snapshotOf(['a', 'b', 'c', 'd'].map((id) => ({ id, tools: ['t'] })))
    const wanted = fc.constantFrom('', '__unassigned__', 'default', 'p', 'q', 'x', null, undefined)
    fc.assert(
      fc.property(
        ids,
        ids,
        wanted,
        fc.constantFrom('p', 'default'),
        fc.option(fc.subarray(['p', 'q', 'default'])),
        fc.boolean(),
        (p, q, want, at, may, isDefault) => {
          const random = modelOf(['a', 'b', 'c', 'd'], [sketch('p', p), sketch('q', q, { 'a:t': { allowed: false } })])
          const principal = may === null ? principalOf() : principalOf({ projects: new Set(may) })
          const endpoint = endpointOf(at, { id: isDefault ? DEFAULT_PROJECT : 'e' })
          const wanted = wantedProject(endpoint, { projectId: want }, principal, random)
          const isOwn = isDefault && wanted.id !== at && (may === null || may.includes(wanted.id))
          const before = eligibleTools(principal, projectOf(random, isOwn ? wanted.id : at), new Map(), catalog)
          const after = eligibleTools(principal, wanted, new Map(), catalog)
          for (const { key } of after.list) expect(before.has(key)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
