import { describe, expect, it } from 'vitest'
import { type ToolFilter, allows, namedIds, readFilter, toScope } from './tool-filter.ts'
import { ToolScope } from './tool-scope.ts'

const TOOLS = [
  { id: 'github:create_issue', namespace: 'github', name: 'create_issue' },
  { id: '__proto__', name: '__proto__' },
]
const FILTERS: [string, ToolFilter][] = [
  ['set', new Set(['__proto__'])],
  ['scope', new ToolScope(['__proto__'])],
  ['predicate', (tool) => tool.namespace === undefined],
]
const through = (within: ToolFilter | undefined) => TOOLS.filter((tool) => allows(within, tool)).map((tool) => tool.id)

describe('allows', () => {
  it.each(FILTERS)('lets through what a %s names', (_kind, within) => {
    expect(through(within)).toEqual(['__proto__'])
  })

  it('lets everything through without a filter and nothing with an empty one', () => {
    expect(through(undefined)).toEqual(TOOLS.map((tool) => tool.id))
    expect(through(new Set())).toEqual([])
  })

  it.each([1, 'yes', {}, Promise.resolve(true)])('takes only true for true, so not %j', (answer) => {
    expect(through((() => answer) as unknown as ToolFilter)).toEqual([])
  })
})

describe('toScope', () => {
  it.each(FILTERS)('freezes a %s', (_kind, within) => {
    expect([...toScope(within, TOOLS).ids()]).toEqual(['__proto__'])
  })

  it('keeps a scope itself, which providers know by identity', () => {
    const scope = new ToolScope(['a'])
    expect(toScope(scope, TOOLS)).toBe(scope)
  })

  it('does not follow the set that it was made of', () => {
    const within = new Set(['__proto__'])
    const scope = toScope(within, TOOLS)
    within.clear()
    expect(scope.size).toBe(1)
  })
})

describe('namedIds', () => {
  it('gives the ids of sets and scopes, and nothing for a predicate', () => {
    const named = FILTERS.map(([, within]) => namedIds(within)).map((ids) => ids && [...ids])
    expect(named).toEqual([['__proto__'], ['__proto__'], undefined])
  })
})

describe('readFilter', () => {
  it.each(FILTERS)('takes a %s as it is', (_kind, within) => expect(readFilter(within)).toBe(within))

  it.each([null, [], ['github:create_issue'], 'github', { has: () => true }])('refuses %j', (within) => {
    expect(() => readFilter(within as unknown as ToolFilter)).toThrow(
      expect.objectContaining({ code: 'INVALID_ARGUMENTS' }),
    )
  })
})
