import { FOUND_FROM, NONE_BELOW } from '../providers/verdict.ts'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Bm25Provider } from '../providers/bm25/bm25-provider.ts'
import { LexicalProvider } from '../providers/lexical/lexical-provider.ts'
import { RecordingProvider } from './recording-provider.case.ts'
import type { SearchProvider } from '../providers/search-provider.ts'
import { ToolScope } from '../tool/tool-scope.ts'
import type { OpenIndex } from './tool-index-contract.case.ts'

const TOOLS = [
  {
    name: 'create_issue',
    description: 'Creates an issue. Then tells its number.',
    inputSchema: { type: 'object', properties: { secret_parameter: { type: 'string' } } },
    outputSchema: { type: 'object' },
    annotations: { readOnlyHint: false },
    _meta: { a: 1 },
  },
  { name: 'close_issue' },
  { name: 'list_pulls', description: 'Lists pull requests.' },
]

async function setUp(open: OpenIndex, provider: SearchProvider = new RecordingProvider()) {
  const index = await open({ provider })
  await index.registerToolsFromMCP('github', TOOLS, { description: 'Code hosting', tags: ['dev'] })
  await index.registerToolsFromMCP('web', [{ name: 'fetch' }])
  return index
}

const idsOf = ({ results }: { results: readonly { id: string }[] }) => results.map((match) => match.id)

/** Searching and listing. */
export function searchContract(open: OpenIndex): void {
  describe('search', () => {
    it('[T2] returns summaries and never a schema', async () => {
      const index = await setUp(open)
      const { results } = await index.search('create_issue')
      expect(results).toEqual([
        {
          id: 'github:create_issue',
          name: 'create_issue',
          namespace: 'github',
          shortDescription: 'Creates an issue.',
          tags: ['dev'],
          relevance: 1,
          score: 1,
        },
      ])
      expect((await index.getTool('github:create_issue')).tool).toMatchObject(TOOLS[0] as object)
    })

    it.each([
      ['lexical', () => new LexicalProvider()],
      ['bm25', () => new Bm25Provider()],
      ['recording', () => new RecordingProvider()],
    ])('[T12] asks the provider that it was given: %s', async (strategy, provider) => {
      const index = await setUp(open, provider())
      const answer = await index.search('issue')
      expect(answer.answeredBy).toBe(strategy)
      expect(idsOf(answer).sort()).toEqual(['github:close_issue', 'github:create_issue'])
    })

    it('[T12] hands over queries without blank ones, context, scope and explanation, and passes on what degraded', async () => {
      const provider = new RecordingProvider()
      const index = await setUp(open, provider)
      const within = new ToolScope(['github:close_issue'])
      const signal = new AbortController().signal
      const answer = await index.search(['issue', ' ', 'close'], {
        context: 'triage',
        within,
        explain: true,
        signal,
        maxResults: 3,
      })
      expect(provider.requests).toEqual([
        { queries: ['issue', 'close'], maxResults: 3, context: 'triage', within, explain: true, signal },
      ])
      expect(answer.results[0]?.explanation?.text).toBe('matched 2')

      const degraded = { strategy: 'cloud', reason: 'timeout' }
      provider.search = async () => ({ hits: [], answeredBy: 'bm25', embedder: 'table', degraded })
      const none = { results: [], answeredBy: 'bm25', verdict: 'none', embedder: 'table', degraded }
      expect(await index.search('x')).toEqual(none)
    })

    it('[U12] gives a verdict by the relevance of the best hit, also of one that is left out, and none where nothing was asked', async () => {
      const provider = new RecordingProvider()
      const index = await setUp(open, provider)
      const verdict = async (relevance: number, query = 'x') => {
        const hits = [{ id: 'github:close_issue', score: 1, relevance }]
        provider.search = async () => ({ hits, answeredBy: 'bm25' })
        return (await index.search(query, { minRelevance: 0.99 })).verdict
      }
      expect(await verdict(FOUND_FROM)).toBe('found')
      expect(await verdict(NONE_BELOW)).toBe('unsure')
      expect(await verdict(NONE_BELOW - 0.01)).toBe('none')
      expect(await verdict(1, ' ')).toBeUndefined()
    })

    it.each(['', '  \n', [], ['', ' ']].map((query) => ({ query })))(
      '[T9] lists the first tools by id for the query $query, without asking the provider',
      async ({ query }) => {
        const provider = new RecordingProvider()
        const index = await setUp(open, provider)
        const all = ['github:close_issue', 'github:create_issue', 'github:list_pulls', 'web:fetch']
        const answer = await index.search(query, { minRelevance: 0.5 })
        expect(idsOf(answer)).toEqual(all)
        expect(answer.results.every((match) => match.relevance === 0 && match.score === 0)).toBe(true)
        expect(answer.answeredBy).toBe('none')
        expect(idsOf(await index.search(query, { maxResults: 2 }))).toEqual(all.slice(0, 2))
        expect(idsOf(await index.search(query, { within: new Set(['web:fetch', 'gone']) }))).toEqual(['web:fetch'])
        expect(idsOf(await index.search(query, { within: (tool) => tool.name > 'd' }))).toEqual(all.slice(2).concat())
        expect(provider.requests).toEqual([])
      },
    )

    it('[T9] is in id order after any changes', async () => {
      const names = fc.uniqueArray(fc.constantFrom('a', 'B', 'b:c', 'é', '_', 'z', '😀'))
      await fc.assert(
        fc.asyncProperty(names, names, async (before, after) => {
          const index = await open({ provider: new RecordingProvider() })
          await index.sync(
            's',
            before.map((name) => ({ name })),
          )
          await index.search('')
          await index.sync(
            's',
            after.map((name) => ({ name })),
          )
          expect(idsOf(await index.search(''))).toEqual(after.map((name) => `s:${name}`).sort())
        }),
      )
    })

    it.each([
      [undefined, 10],
      [3.9, 3],
      [0, 1],
      [-5, 1],
      [0.5, 1],
      [Number.NaN, 10],
      [Number.POSITIVE_INFINITY, 100],
      [Number.NEGATIVE_INFINITY, 1],
      [1e9, 100],
      ['7', 10],
      [null, 10],
    ])('[T9] takes maxResults %s as %s', async (maxResults, count) => {
      const provider = new RecordingProvider()
      const index = await open({ provider })
      await index.registerToolsFromMCP(
        's',
        Array.from({ length: 200 }, (_, i) => ({ name: `tool${i}` })),
      )
      const options = { maxResults: maxResults as number }
      expect((await index.search('', options)).results).toHaveLength(count)
      expect((await index.search('tool', options)).results).toHaveLength(count)
      expect(provider.requests[0]?.maxResults).toBe(count)
    })

    it('leaves out what is under minRelevance', async () => {
      const index = await setUp(open)
      const queries = ['issue', 'create']
      expect(idsOf(await index.search(queries))).toEqual(['github:create_issue', 'github:close_issue'])
      expect(idsOf(await index.search(queries, { minRelevance: 0.6 }))).toEqual(['github:create_issue'])
      expect(idsOf(await index.search(queries, { minRelevance: Number.NaN }))).toHaveLength(2)
    })

    it('leaves out unknown and repeated hits, tools outside the scope and invalid relevance', async () => {
      const provider = new RecordingProvider()
      const index = await setUp(open, provider)
      const hits = ['gone', 'web:fetch', 'github:close_issue', 'github:close_issue', 'github:list_pulls']
      provider.search = async () => ({
        hits: hits.map((id, i) => ({ id, score: 1, relevance: [9, 9, 7, 7, Number.NaN][i] as number })),
        answeredBy: 'unusual',
      })
      for (const within of [
        new Set(['github:close_issue', 'github:list_pulls', 'gone']),
        new ToolScope(['github:close_issue', 'github:list_pulls']),
        (tool: { namespace?: string }) => tool.namespace === 'github',
      ]) {
        const { results } = await index.search('x', { within })
        expect(results.map((match) => [match.id, match.relevance])).toEqual([
          ['github:close_issue', 1],
          ['github:list_pulls', 0],
        ])
      }
    })

    it('leaves out a tool that was removed while the provider was thinking', async () => {
      const provider = new RecordingProvider()
      const index = await setUp(open, provider)
      const search = provider.search.bind(provider)
      provider.search = async (request) => {
        const answer = await search(request)
        await index.sync('web', [])
        return answer
      }
      expect(idsOf(await index.search('fetch'))).toEqual([])
    })

    it('rejects with the reason of an aborted signal', async () => {
      const index = await setUp(open)
      const reason = new Error('enough')
      await expect(index.search('x', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    })

    it.each([
      ['query', 42, {}],
      ['query', null, {}],
      ['query', ['a', 1], {}],
      ['within', 'a', { within: ['github:close_issue'] }],
      ['within', 'a', { within: null }],
      ['within', '', { within: {} }],
      ['context', 'a', { context: 7 }],
    ])('[T3] refuses a bad %s by code', async (field, query, options) => {
      const index = await setUp(open)
      const refusal = { code: 'INVALID_ARGUMENTS', details: { field } }
      await expect(index.search(query as string, options as never)).rejects.toMatchObject(refusal)
      await expect(index.searchPage(query as string, options as never)).rejects.toMatchObject(refusal)
    })
  })

  describe('listNamespaces', () => {
    it('is sorted, and inside a scope names only what has a tool there', async () => {
      const index = await setUp(open)
      await index.registerTool({ name: 'alone' }, { kind: 'local', name: 'alone' })
      await index.registerToolsFromMCP('Zoo', [{ name: 'feed' }])
      expect(await index.listNamespaces()).toEqual(['Zoo', 'github', 'web'])
      expect(await index.listNamespaces({ within: new Set(['web:fetch', 'Zoo:gone', 'alone']) })).toEqual(['web'])
      expect(await index.listNamespaces({ within: new ToolScope(['Zoo:feed']) })).toEqual(['Zoo'])
      expect(await index.listNamespaces({ within: (tool) => tool.name === 'close_issue' })).toEqual(['github'])
      expect(await index.listNamespaces({ within: () => Promise.resolve(true) as never })).toEqual([])
      await expect(index.listNamespaces({ within: [] as never })).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
    })

    it.each([
      ['search', { maxResult: 3 }],
      ['searchPage', { pagesize: 3 }],
    ] as const)('%s refuses an option that does not exist', async (method, options) => {
      const index = await open({})
      const [name] = Object.keys(options)
      await expect(index[method]('x', options as never)).rejects.toMatchObject({
        code: 'INVALID_ARGUMENTS',
        details: {
          field: name,
          reason: expect.stringContaining(`there is no option ${name}, only maxResults, within`),
        },
      })
      const server = { desription: 'typo' } as never
      await expect(index.sync('files', [], server)).rejects.toMatchObject({ details: { field: 'desription' } })
    })
  })
}
