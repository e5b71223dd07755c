import { describe, expect, it } from 'vitest'
import type { ToolFilter } from '../search-provider.ts'
import { ToolScope } from '../tool-scope.ts'
import { compileFilter } from './compile-filter.ts'

const tools = [
  { id: 'github:create_issue', namespace: 'github', name: 'create_issue' },
  { id: '__proto__', name: '__proto__' },
]

describe('compileFilter', () => {
  it.each<[string, ToolFilter]>([
    ['set', new Set(['__proto__'])],
    ['scope', new ToolScope(['__proto__'])],
    ['predicate', (tool) => tool.namespace === undefined],
  ])('lets pass what a %s names', (_kind, filter) => {
    expect(tools.filter(compileFilter(filter)).map((tool) => tool.id)).toEqual(['__proto__'])
  })

  it('lets everything pass without a filter and nothing with an empty one', () => {
    expect(tools.filter(compileFilter(undefined))).toEqual(tools)
    expect(tools.filter(compileFilter(new Set()))).toEqual([])
  })
})
