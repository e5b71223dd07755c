import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchAnswer, ToolFilter } from '../../search-provider.ts'
import type { IndexedTool } from '../../tool.ts'
import { ToolScope } from '../../tool-scope.ts'
import { Bm25Provider } from './bm25-provider.ts'

const WORDS =
  'create make delete issue bug ticket file folder list read readFile pull_request search web 作成 ファイル'.split(' ')
const SERVERS = ['github', 'files', 'web search'] as const

const text = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WORDS), { maxLength: most }).map((words) => words.join(' '))

const tool: fc.Arbitrary<IndexedTool> = fc
  .record({
    name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join('_')),
    namespace: fc.constantFrom(...SERVERS),
    namespaceDescription: fc.constantFrom('all about files', 'issue tracker'),
    description: text(8),
    inputSchema: text(3).map((description) => ({ properties: { path: { description } } })),
    tags: fc.array(fc.constantFrom('files', 'bug'), { maxLength: 1 }),
  })
  .map((fields) => ({ ...fields, id: `${fields.namespace}:${fields.name}` }))

const catalog = fc.uniqueArray(tool, { selector: ({ id }) => id, maxLength: 9 })
const query = fc.oneof(
  { weight: 4, arbitrary: text(5) },
  fc.constantFrom(
    'creat*',
    'issue NOT bug',
    'server:github AND file',
    '"pull request"',
    'NOT file',
    'name:(read OR list)',
  ),
  fc.constantFrom(
    'creat isue',
    'delet a fodler',
    'read the file. then create an issue about it. make a bug ticket now.',
  ),
)

const search = (provider: Bm25Provider, queries: readonly string[], within?: ToolFilter): Promise<SearchAnswer> =>
  provider.search({ queries, maxResults: 6, explain: true, ...(within === undefined ? {} : { within }) })

const holding = (tools: readonly IndexedTool[]): Bm25Provider => {
  const provider = new Bm25Provider()
  provider.apply({ added: tools, changed: [], removed: [] })
  return provider
}

describe('search within a part of the tools', () => {
  it('equals the search of an index that holds only that part, to the last bit', async () => {
    const asked = fc.record({
      tools: catalog,
      queries: fc.array(query, { minLength: 1, maxLength: 2 }),
      chosen: fc.func(fc.boolean()),
      form: fc.constantFrom('set', 'predicate', 'scope'),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ tools, queries, chosen, form }) => {
        const part = tools.filter(({ id }) => chosen(id))
        const ids = new Set(part.map(({ id }) => id))
        const within =
          form === 'set' ? ids : form === 'scope' ? new ToolScope(ids) : (one: IndexedTool) => ids.has(one.id)
        expect(await search(holding(tools), queries, within)).toEqual(await search(holding(part), queries))
      }),
      { numRuns: 10_000 },
    )
  }, 120_000)

  it('leaves no trace of tools that came and went', async () => {
    const asked = fc.record({
      before: catalog,
      after: catalog,
      queries: fc.array(query, { minLength: 1, maxLength: 2 }),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ before, after, queries }) => {
        const provider = holding(before)
        const kept = new Set(after.map(({ id }) => id))
        const had = new Set(before.map(({ id }) => id))
        provider.apply({
          added: after.filter(({ id }) => !had.has(id)),
          changed: after.filter(({ id }) => had.has(id)),
          removed: before.filter(({ id }) => !kept.has(id)),
        })
        expect(await search(provider, queries)).toEqual(await search(holding(after), queries))
      }),
      { numRuns: 2_000 },
    )
  }, 60_000)
})
