import { allowedByRule, traitsOf } from '@tooldex/search/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { descriptionsOf, ownWordsOf, searchedId, serverOfSearched } from '../catalog/search-index/indexed-tools.ts'
import { principalOf, projectOf, serverOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { eligibleTools } from './eligible-tools.ts'

const NAMES = ['read', 'write', 'toString', 'a:b']
const SERVERS = ['s0', 's1', 's10']
const KEYS = SERVERS.flatMap((id) => NAMES.map((name) => `${id}:${name}`))

const tool = fc.record({ name: fc.constantFrom(...NAMES), readOnly: fc.boolean() })
const permissions = fc.dictionary(fc.constantFrom(...NAMES), fc.boolean())
const optional = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined })
const asked = fc.record({
  lists: fc.tuple(...SERVERS.map(() => fc.uniqueArray(tool, { selector: ({ name }) => name }))),
  states: fc.tuple(...SERVERS.map(() => fc.constantFrom('running' as const, 'idle' as const, 'failed' as const))),
  inProject: fc.subarray(SERVERS),
  own: fc.dictionary(
    fc.constantFrom(...KEYS),
    fc.record(
      { allowed: fc.boolean(), name: fc.constantFrom('mine', 'ours'), description: fc.constantFrom('one', 'two') },
      { requiredKeys: [] },
    ),
  ),
  allow: fc.constantFrom('all' as const, 'only' as const),
  serverTools: fc.tuple(...SERVERS.map(() => permissions)),
  mine: optional(fc.subarray(SERVERS)),
  mineOnly: optional(fc.subarray(KEYS)),
  readOnly: fc.boolean(),
  isOther: fc.boolean(),
  selected: fc.record(
    { serverIds: fc.subarray(SERVERS).map((ids) => new Set(ids)), readOnly: fc.boolean() },
    { requiredKeys: [] },
  ),
})

describe('the rule of eligible tools', () => {
  it('allows exactly these, each with the words of its project', () => {
    fc.assert(
      fc.property(asked, (given) => {
        const sketches = SERVERS.map((id, at) => ({
          id,
          state: given.states[at] ?? 'running',
          tools: (given.lists[at] ?? []).map(({ name, readOnly }) => ({
            name,
            annotations: { readOnlyHint: readOnly },
          })),
        }))
        const project = { ...projectOf('p', given.inProject, given.own), allow: given.allow }
        const other = projectOf('q', SERVERS, { 's0:read': { description: 'three' } })
        const principal = principalOf({
          readOnly: given.readOnly,
          ...(given.mine && { servers: new Set(given.mine) }),
          ...(given.mineOnly && { tools: new Set(given.mineOnly) }),
          ...(given.isOther && { projects: new Set(['q']) }),
        })
        const serverTools = new Map(SERVERS.map((id, at) => [id, given.serverTools[at] ?? {}]))
        const all = eligibleTools(principal, project, serverTools, snapshotOf(sketches))
        const descriptions = descriptionsOf([project, other])
        const indexed = sketches.flatMap((sketch) =>
          [...serverOf(sketch).tools.values()].flatMap(({ key, definition }) =>
            [undefined, ...(descriptions.get(key) ?? [])].map((words) => ({ id: searchedId(key, words), definition })),
          ),
        )
        for (const eligible of [all, all.select(given.selected)]) {
          const isAllowed = allowedByRule(eligible.rule)
          const allowed = indexed.flatMap(({ id, definition }) =>
            isAllowed({ id, server: serverOfSearched(id), traits: traitsOf(definition) }) ? id : [],
          )
          const expected = eligible.list.map(({ key }) => searchedId(key, ownWordsOf(project.tools.get(key))))
          expect(allowed.toSorted()).toEqual(expected.toSorted())
        }
      }),
      { numRuns: 1_000 },
    )
  })
})
