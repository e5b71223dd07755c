import { describe, expect, it } from 'vitest'
import type { Principal } from '../model/principal.ts'
import type { Project } from '../model/project.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { snapshotOf } from '../catalog/snapshot.case.ts'
import { eligibleTools } from './eligible-tools.ts'
import { explainAccess, firstObstacle } from './explain-access.ts'
import { wantedProject } from './projects.ts'

const ALL: Principal = { tokenId: 't', name: 't', readOnly: false }
const catalog = snapshotOf([{ id: 's', tools: ['read', 'write', 'drop'] }])
const project = (more: Partial<Project>): Project => ({
  ...{ id: 'p', name: 'P', serverIds: ['s'], tools: new Map(), disclosure: {} },
  ...more,
})
const named = (...entries: [string, boolean][]): Project['tools'] =>
  new Map(entries.map(([key, allowed]) => [key as ToolKey, { allowed }]))
const keysOf = (principal: Principal, of: Project): string[] => [
  ...eligibleTools(principal, of, new Map(), catalog).scope.ids(),
]

describe('an allow-list', () => {
  it('[U17] of a project has the tools that it allows by name, and no others', () => {
    const only = project({ allow: 'only', tools: named(['s:read', true], ['s:write', false]) })
    expect(keysOf(ALL, only)).toEqual(['s:read'])
    expect(keysOf(ALL, project({ allow: 'only' }))).toEqual([])
    expect(keysOf(ALL, project({ allow: 'all', tools: named(['s:drop', false]) }))).toEqual(['s:read', 's:write'])
  })

  it('[U17] of a token narrows every project', () => {
    const token: Principal = { ...ALL, tools: new Set(['s:write', 's:drop', 'other:read']) }
    expect(keysOf(token, project({}))).toEqual(['s:write', 's:drop'])
    expect(keysOf(token, project({ allow: 'only', tools: named(['s:read', true], ['s:drop', true]) }))).toEqual([
      's:drop',
    ])
    expect(keysOf({ ...ALL, tools: new Set() }, project({}))).toEqual([])
  })

  it('[U17] is the first obstacle that an explanation names', () => {
    const basis = { projects: new Map(), serverTools: new Map(), catalog, troubleOf: () => undefined, now: 0 }
    const obstacle = (principal: Principal, of: Project) =>
      firstObstacle(explainAccess('s:read', { ...basis, principal, project: of }))
    expect(obstacle(ALL, project({ allow: 'only' }))).toMatchObject({
      question: 'Is the tool allowed?',
      remedy: 'Allow it in the project',
    })
    expect(obstacle({ ...ALL, tools: new Set(['s:write']) }, project({}))).toMatchObject({
      question: 'May the token use the tool?',
      remedy: 'Add "s:read" to the token',
    })
  })

  it('[U17] of a project that a client selects narrows the other project', () => {
    const own = project({ tools: named(['s:drop', false]) })
    const other = project({ id: 'q', allow: 'only', tools: named(['s:read', true], ['s:drop', true]) })
    const model = {
      ...{ servers: [], serverTools: new Map(), trust: new Map(), endpoints: new Map(), tokens: new Map() },
      projects: new Map([own, other].map((each) => [each.id, each])),
    }
    const endpoint = { id: 'e', projectId: 'p', disclosure: {}, auth: 'token', transparent: false } as const
    expect(keysOf(ALL, wantedProject(endpoint, { projectId: 'q' }, ALL, model))).toEqual(['s:read'])
  })
})
