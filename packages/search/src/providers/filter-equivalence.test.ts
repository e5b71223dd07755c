import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchAnswer, SearchProvider } from './search-provider.ts'
import type { ToolFilter } from '../tool/tool-filter.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { ToolScope } from '../tool/tool-scope.ts'
import { Bm25Provider } from './bm25/bm25-provider.ts'
import { EmbeddingsProvider } from './embeddings/embeddings-provider.ts'
import { HybridProvider } from './hybrid/hybrid-provider.ts'
import { toyEmbedder } from './meaning/toy-embedder.case.ts'

const WORDS =
  'create make delete issue bug ticket file folder list read readFile pull_request search web configuration 作成 ファイル'.split(
    ' ',
  )
const ALIKE = new Map([
  ['bug', 'issue'],
  ['gripe', 'issue'],
  ['folder', 'file'],
])

const text = (most: number): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...WORDS), { maxLength: most }).map((words) => words.join(' '))

const tool: fc.Arbitrary<IndexedTool> = fc
  .record({
    name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }).map((words) => words.join('_')),
    namespace: fc.constantFrom('github', 'files', 'web search'),
    namespaceDescription: fc.constantFrom('all about files', 'issue tracker'),
    description: text(8),
    inputSchema: text(3).map((description) => ({ properties: { path: { description } } })),
    tags: fc.array(fc.constantFrom('files', 'bug'), { maxLength: 1 }),
  })
  .map((fields) => ({ ...fields, id: `${fields.namespace}:${fields.name}` }))

const catalog = fc.uniqueArray(tool, { selector: ({ id }) => id, maxLength: 9 })
const EXPRESSIONS = ['creat*', 'issue NOT bug', 'server:github AND file', '"pull request"', 'NOT file']
const query = fc.oneof(
  { weight: 4, arbitrary: text(5) },
  fc.constantFrom(...EXPRESSIONS, 'name:(read OR list)', 'gripe'),
  fc.constantFrom(
    'creat isue',
    'delet a fodler',
    'configuraton gripe',
    'read the file. then create an issue about it. make a bug ticket now.',
  ),
)

const search = (provider: SearchProvider, queries: readonly string[], within?: ToolFilter): Promise<SearchAnswer> =>
  provider.search({ queries, maxResults: 6, explain: true, ...(within === undefined ? {} : { within }) })

/** One for all: it remembers what it has embedded. */
const TOY = toyEmbedder('toy', ALIKE)

describe.each([
  ['bm25', 10_000, () => new Bm25Provider()],
  ['hybrid', 600, () => new HybridProvider([TOY])],
  ['embeddings', 600, () => new EmbeddingsProvider([TOY])],
] as [string, number, () => SearchProvider][])('%s', (_, runs, make) => {
  const holding = (tools: readonly IndexedTool[]): SearchProvider => {
    const provider = make()
    provider.apply({ added: tools, changed: [], removed: [] })
    return provider
  }

  it('[R24] searches a part of the tools as an index that holds only that part, to the last bit', async () => {
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
        const provider = holding(tools)
        // What an earlier search of all tools has left behind must not show.
        await search(provider, queries)
        expect(await search(provider, queries, within)).toEqual(await search(holding(part), queries))
      }),
      { numRuns: runs },
    )
  }, 120_000)

  it('[R24] keeps no trace of tools that came and went', async () => {
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
      { numRuns: runs / 5 },
    )
  }, 60_000)
})
