import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { principalOf, projectOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { eligibleTools } from './eligible-tools.ts'
import { explainAccess, firstObstacle } from './explain-access.ts'

const ids = ['a', 'b'] as const
const subset = fc.option(fc.subarray(['a', 'b', 'c']), { nil: undefined })
const state = fc.constantFrom('running', 'idle', 'starting', 'stopped', 'failed', 'needs-login', 'held')

describe('explainAccess', () => {
  it('agrees with eligibleTools for any input', () => {
    const world = fc.record({
      states: fc.tuple(state, state),
      servers: fc.subarray([...ids]),
      tokenServers: subset,
      tokenProjects: fc.option(fc.subarray(['p', 'q']), { nil: undefined }),
      readOnly: fc.boolean(),
      annotated: fc.boolean(),
      byServer: fc.boolean(),
      byProject: fc.option(fc.boolean(), { nil: undefined }),
      key: fc.constantFrom('a:x', 'a:y', 'b:x', 'b:gone', 'c:x', 'nonsense', ':', ''),
    })
    fc.assert(
      fc.property(world, (drawn) => {
        const catalog = snapshotOf(
          ids.map((id, index) => ({
            id,
            state: drawn.states[index as 0 | 1],
            tools: ['x', { name: 'y', annotations: { readOnlyHint: drawn.annotated } }],
          })) as never,
        )
        const project = projectOf('p', drawn.servers, {
          'a:y': drawn.byProject === undefined ? {} : { allowed: drawn.byProject },
        })
        const serverTools = new Map([['a', { x: drawn.byServer }]])
        const principal = principalOf({
          readOnly: drawn.readOnly,
          ...(drawn.tokenServers !== undefined && { servers: new Set(drawn.tokenServers) }),
          ...(drawn.tokenProjects !== undefined && { projects: new Set(drawn.tokenProjects) }),
        })
        const steps = explainAccess(drawn.key, {
          principal,
          project,
          projects: new Map(),
          serverTools,
          catalog,
          troubleOf: () => undefined,
          now: 0,
        })
        const eligible = eligibleTools(principal, project, serverTools, catalog)
        expect(steps.every(({ ok }) => ok)).toBe(eligible.has(drawn.key))
        for (const { ok, remedy } of steps) expect(remedy === undefined).toBe(ok)
      }),
      { numRuns: 500 },
    )
  })

  it('explains expiry and the error of a server', () => {
    const catalog = snapshotOf([{ id: 'a', state: 'failed', tools: ['x'] }])
    const steps = explainAccess('a:x', {
      principal: principalOf({ expiresAt: 5 }),
      project: projectOf('p', ['a']),
      projects: new Map(),
      serverTools: new Map(),
      catalog,
      troubleOf: () => ({ lastError: { message: 'no such file' } }),
      now: 5,
    })
    expect(firstObstacle(steps)?.question).toBe('Is the token valid?')
    expect(steps.at(-1)).toMatchObject({ ok: false, answer: 'It is failed: no such file' })
  })
  it('names projects and servers as people call them', () => {
    const catalog = snapshotOf([{ id: 'a', name: 'Notes', tools: ['x'] }])
    const steps = explainAccess('a:x', {
      principal: principalOf({ projects: new Set(['other', 'gone']), servers: new Set(['a']) }),
      project: projectOf('p', ['a']),
      projects: new Map([['other', { name: 'Other team' }]]),
      serverTools: new Map(),
      catalog,
      troubleOf: () => undefined,
      now: 0,
    })
    expect(steps.map(({ answer }) => answer)).toEqual(
      expect.arrayContaining([
        'It is for "Other team", "gone"',
        'It is for "Notes"',
        expect.stringContaining('has "Notes"'),
      ]),
    )
  })
})
