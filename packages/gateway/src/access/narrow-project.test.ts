import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { definitionOf } from '../catalog/fake-pool.case.ts'
import { principalOf, projectOf as sketch, snapshotOf } from '../catalog/snapshot.case.ts'
import { DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { Project } from '../model/project.ts'
import { eligibleTools } from './eligible-tools.ts'
import { defaultProject, narrowProject, projectOf, unassignedServerIds } from './projects.ts'

function modelOf(serverIds: readonly string[], projects: readonly Project[]): GatewayModel {
  const servers = serverIds.map((id) => definitionOf(id))
  const all = [defaultProject(servers, projects), ...projects]
  return {
    servers,
    serverTools: new Map(),
    projects: new Map(all.map((project) => [project.id, project])),
    endpoints: new Map(),
    tokens: new Map(),
  }
}

const model = modelOf(
  ['a', 'b', 'c', 'd'],
  [sketch('work', ['b', 'a']), sketch('home', ['b', 'c'], { 'b:t': { allowed: false } })],
)
const narrow = (projectId: string, wanted: unknown, principal = principalOf()) =>
  narrowProject(projectId, { projectId: wanted }, principal, model)

describe('the default project', () => {
  it('has the servers that are in no other project', () => {
    expect(projectOf(model, DEFAULT_PROJECT).serverIds).toEqual(['d'])
    expect(unassignedServerIds(model.servers, model.projects.values())).toEqual(['d'])
  })

  it('can be requested; unknown projects are not found', () => {
    expect(() => projectOf(model, '__proto__')).toThrow(expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }))
  })
})

describe('narrowProject', () => {
  it.each([undefined, null, {}, [], 'text', { projectId: undefined }])(
    'leaves the project alone for _meta %j',
    (meta) => {
      expect(narrowProject('work', meta, principalOf(), model)).toBe(model.projects.get('work'))
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

  it('[R37] gives the same answer for a missing project and for one of other tokens', () => {
    const messages = ['home', 'nowhere'].map((wanted) => {
      try {
        return narrow('work', wanted, principalOf({ projects: new Set(['work']) }))
      } catch (error) {
        return (error as Error).message.replace(wanted, '…')
      }
    })
    expect(messages[0]).toBe(messages[1])
    expect(() => narrow('work', 'home', principalOf({ projects: new Set(['work']) }))).toThrow(
      expect.objectContaining({ code: 'PROJECT_NOT_FOUND' }),
    )
  })

  it.each([1, true, {}, ['work']])('rejects the project id %j', (wanted) => {
    expect(() => narrow('work', wanted)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }))
  })

  it('[R41] never widens the project, for any value', () => {
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
        (p, q, want, at, may) => {
          const random = modelOf(['a', 'b', 'c', 'd'], [sketch('p', p), sketch('q', q, { 'a:t': { allowed: false } })])
          const principal = may === null ? principalOf() : principalOf({ projects: new Set(may) })
          const before = eligibleTools(principal, projectOf(random, at), new Map(), catalog)
          let narrowed: Project
          try {
            narrowed = narrowProject(at, { projectId: want }, principal, random)
          } catch {
            return
          }
          const after = eligibleTools(principal, narrowed, new Map(), catalog)
          for (const key of after.keys) expect(before.keys.has(key)).toBe(true)
        },
      ),
      { numRuns: 500 },
    )
  })
})
