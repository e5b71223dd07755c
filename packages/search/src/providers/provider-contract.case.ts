/**
 * The contract of `SearchProvider` as a test suite. A provider is done when
 * `describeSearchProvider('name', () => new Provider())` passes beside it.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../test/kit/processor-time.ts'
import type { SearchAnswer, SearchHit, SearchProvider, SearchRequest } from './search-provider.ts'
import type { IndexedTool } from '../tool/tool.ts'
import { ToolScope } from '../tool/tool-scope.ts'
import {
  BAD_QUERIES,
  changeOf,
  filtersFor,
  HOSTILE_NAMES,
  ODD_FIELDS,
  QUERIES,
  SEVERAL_QUERIES,
  TOOL_SET,
  TOOLS,
  tool,
  withHistory,
} from './provider-contract-inputs.case.ts'

/** Parts of the contract that a provider may be excused from, each with the reason. */
export type ContractPart =
  /** The same tools and request give the same answer, independent of earlier changes. */
  | 'determinism'
  /** Searching within a subset equals searching an index of that subset. */
  | 'filter-equivalence'
  /** Only tools that have the words are found. An embedding provider finds neighbours, too. */
  | 'words-decide'
  /** The exact name or key comes first. A remote provider may rank otherwise. */
  | 'exact-first'
  /** The explanation names word and field. A provider that ranks by meaning has no words to name. */
  | 'explanation'
  /** Each of several queries has its best tool on top. */
  | 'fusion'

/** Why a provider is excused from which parts; the reason shows in the test's title. */
export type ContractDeviations = Partial<Readonly<Record<ContractPart, string>>>

// The limit is 50 ms on a quiet machine. Here only the order of magnitude is checked, which is what tells linear from
// quadratic, and only the time that the processor spent on it: tests share the machine with others.
const QUICK_MS = 250

const RUNS = 100

/** Runs the contract against a provider; `make` gives a new one without tools. */
export function describeSearchProvider(
  name: string,
  make: () => SearchProvider,
  deviations: ContractDeviations = {},
): void {
  const holding = (tools: readonly IndexedTool[]): SearchProvider => {
    const provider = make()
    provider.apply(changeOf({ added: tools }))
    return provider
  }

  /** A deviation stays visible as a test of its own: that there is a reason. */
  const part = (which: ContractPart, title: string, expectation: () => Promise<void>): void => {
    const reason = deviations[which]
    if (reason === undefined) it(title, () => expectation())
    else it(`deviates from "${title}": ${reason}`, () => expect(reason.trim()).not.toBe(''))
  }

  describe(`${name} keeps the SearchProvider contract`, () => {
    describe('answers', () => {
      it.each([[[]], [['']], [[' ', '\t\n', '\u3000']]])('finds nothing for blank queries %j', async (queries) => {
        expect((await holding(TOOLS).search(ask(queries))).hits).toEqual([])
      })

      it('finds nothing without tools', async () => {
        expect((await make().search(ask('create'))).hits).toEqual([])
      })

      it('ignores blank and repeated queries among others', async () => {
        const provider = holding(TOOLS)
        expect(await provider.search(ask([' ', 'issue', 'issue']))).toEqual(await provider.search(ask('issue')))
      })

      it.each([0, 1, 2, 3])('gives at most %i hits when asked for that many', async (maxResults) => {
        const { hits } = await holding(TOOLS).search(ask('issue', { maxResults }))
        expect(hits).toHaveLength(maxResults)
      })

      it('names the strategy that answered and, unasked, no degradation', async () => {
        const provider = holding(TOOLS)
        const answer = await provider.search(ask('issue'))
        expect(answer.answeredBy).toBe(provider.strategy)
        expect(answer.degraded).toBeUndefined()
      })

      it('[R13] [T9] ranks best first, ties by id, with relevance from 0 to 1', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, QUERIES, async (tools, queries) => {
            expectWellFormed(await holding(tools).search(ask(queries)), tools)
          }),
          { numRuns: RUNS },
        )
      })

      it('[R13] calls no tool more relevant than one that is ranked before it for the same query', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, QUERIES, async (tools, queries) => {
            const provider = holding(tools)
            for (const query of queries) {
              const relevances = (await provider.search(ask(query))).hits.map((hit) => hit.relevance)
              expect(relevances).toEqual(relevances.toSorted((a, b) => b - a))
            }
          }),
          { numRuns: RUNS },
        )
      })

      part('determinism', 'begins a longer answer with the shorter one', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, QUERIES, fc.integer({ min: 1, max: 6 }), async (tools, queries, maxResults) => {
            const provider = holding(tools)
            const { hits } = await provider.search(ask(queries))
            expect((await provider.search(ask(queries, { maxResults }))).hits).toEqual(hits.slice(0, maxResults))
          }),
          { numRuns: RUNS },
        )
      })

      it('rejects with the reason of an aborted signal', async () => {
        const reason = new Error('the caller has gone')
        await expect(holding(TOOLS).search(ask('issue', { signal: AbortSignal.abort(reason) }))).rejects.toBe(reason)
      })
    })

    describe('ranking', () => {
      part('exact-first', 'ranks the tool first whose key or name is the query', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, async (tools) => {
            const provider = holding(tools)
            for (const wanted of tools) {
              expect((await provider.search(ask(wanted.id))).hits[0]?.id).toBe(wanted.id)
              const byName = (await provider.search(ask(wanted.name))).hits[0]?.id
              expect(tools.filter((one) => one.name === wanted.name).map((one) => one.id)).toContain(byName)
            }
          }),
          { numRuns: RUNS / 4 },
        )
      })

      part('fusion', '[R14] has the best tool of each query among the first', async () => {
        const provider = holding(TOOLS)
        const { hits } = await provider.search(ask(SEVERAL_QUERIES, { maxResults: SEVERAL_QUERIES.length }))
        for (const query of SEVERAL_QUERIES) {
          const best = (await provider.search(ask(query, { maxResults: 1 }))).hits[0]?.id
          expect(best, query).toBeDefined()
          expect(idsOf(hits)).toContain(best)
        }
      })

      part('explanation', '[R15] explains by word and field when asked, and only then', async () => {
        const provider = holding(TOOLS)
        const { hits } = await provider.search(ask('ticket', { explain: true }))
        const explanation = hits.find((hit) => hit.id === 'github:create_issue')?.explanation
        expect(explanation?.matches).toContainEqual({ word: 'ticket', fields: ['description'] })
        expect(explanation?.text).toMatch(/ticket.*description/)
        const unasked = (await provider.search(ask('ticket'))).hits
        expect(unasked.some((hit) => 'explanation' in hit)).toBe(false)
        expect(hits.map(({ explanation: _, ...hit }) => hit)).toEqual(unasked)
      })
    })

    describe('changes', () => {
      it('never finds a removed tool', async () => {
        const provider = holding(TOOLS)
        provider.apply(changeOf({ removed: TOOLS.filter((one) => one.namespace === 'github') }))
        const { hits } = await provider.search(ask('issue'))
        expect(idsOf(hits).filter((id) => id.startsWith('github:'))).toEqual([])
      })

      part('words-decide', 'finds a changed tool by its new text only', async () => {
        const provider = holding([...TOOLS, tool('garden:plant', 'Plants a walnut')])
        provider.apply(changeOf({ changed: [tool('garden:plant', 'Plants a chestnut')] }))
        expect(idsOf((await provider.search(ask('chestnut'))).hits)).toEqual(['garden:plant'])
        expect(idsOf((await provider.search(ask('walnut'))).hits)).not.toContain('garden:plant')
      })

      it('takes over an empty change and a search between changes', async () => {
        const provider = make()
        provider.apply(changeOf({}))
        expect((await provider.search(ask('issue'))).hits).toEqual([])
        provider.apply(changeOf({ added: TOOLS }))
        expect((await provider.search(ask('issue'))).hits).not.toEqual([])
      })

      part('determinism', '[T9] answers the same for any order and history of changes', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, TOOL_SET, fc.nat(), QUERIES, async (tools, others, rotation, queries) => {
            const request = ask(queries, { explain: true })
            const expected = await holding(tools).search(request)
            expect(await withHistory(make(), tools, others, rotation).search(request)).toEqual(expected)
          }),
          { numRuns: RUNS },
        )
      })

      part('determinism', 'answers the same question the same way', async () => {
        const provider = holding(TOOLS)
        const first = await provider.search(ask(SEVERAL_QUERIES))
        expect(JSON.stringify(await provider.search(ask(SEVERAL_QUERIES)))).toBe(JSON.stringify(first))
      })
    })

    describe('filters', () => {
      const sameAsAlone = async (tools: readonly IndexedTool[], chosen: readonly IndexedTool[], queries: string[]) => {
        const provider = holding(tools)
        const expected = await holding(chosen).search(ask(queries, { explain: true }))
        for (const within of filtersFor(chosen)) {
          expect(await provider.search(ask(queries, { explain: true, within }))).toEqual(expected)
        }
      }

      part('filter-equivalence', 'searches a subset as if there were nothing else', async () => {
        await fc.assert(
          fc.asyncProperty(TOOL_SET, fc.array(fc.boolean()), QUERIES, async (tools, mask, queries) => {
            await sameAsAlone(
              tools,
              tools.filter((_, index) => mask[index] ?? false),
              queries,
            )
          }),
          { numRuns: RUNS },
        )
      })

      it('finds nothing within an empty set, nor by ids that do not exist', async () => {
        const provider = holding(TOOLS)
        for (const within of filtersFor([])) expect((await provider.search(ask('issue', { within }))).hits).toEqual([])
        expect((await provider.search(ask('issue', { within: new Set(['no:such']) }))).hits).toEqual([])
      })

      it('reads a set anew at every search', async () => {
        const provider = holding(TOOLS)
        const within = new Set(['github:create_issue'])
        expect(idsOf((await provider.search(ask('issue', { within }))).hits)).toEqual(['github:create_issue'])
        within.clear()
        expect((await provider.search(ask('issue', { within }))).hits).toEqual([])
      })

      it('follows changes of the tools behind a scope', async () => {
        const provider = holding(TOOLS)
        const within = new ToolScope(['github:create_issue', 'github:late'])
        await provider.search(ask('issue', { within }))
        const removed = TOOLS.filter((one) => one.id === 'github:create_issue')
        provider.apply(changeOf({ added: [tool('github:late', 'Late issue')], removed }))
        expect(idsOf((await provider.search(ask('issue', { within }))).hits)).toEqual(['github:late'])
      })
    })

    describe('bad input', () => {
      it.each(BAD_QUERIES)('answers %s quickly', async (_title, query) => {
        const provider = holding(TOOLS)
        const answer = await quickly(() => provider.search(ask([query, 'issue'], { explain: true })))
        expectWellFormed(answer, TOOLS)
      })

      it('answers ten thousand queries at once quickly', async () => {
        const provider = holding(TOOLS)
        const queries = Array.from({ length: 10_000 }, (_, index) => `issue ${index}`)
        expectWellFormed(await quickly(() => provider.search(ask(queries))), TOOLS)
      })

      it.each(HOSTILE_NAMES)('takes %s for a name like any other', async (hostile) => {
        const unusual = [tool(hostile, `Does ${hostile}`), tool(`${hostile}:${hostile}`, 'Unusual')]
        const provider = holding([...unusual, ...TOOLS])
        expectWellFormed(await provider.search(ask([hostile, 'issue'], { explain: true })), [...unusual, ...TOOLS])
        provider.apply(changeOf({ removed: unusual }))
        expect(await provider.search(ask('issue'))).toEqual(await holding(TOOLS).search(ask('issue')))
      })

      part('exact-first', 'finds tools with hostile names by these names', async () => {
        const provider = holding([...HOSTILE_NAMES.map(([hostile]) => tool(hostile, 'Unusual')), ...TOOLS])
        for (const [hostile] of HOSTILE_NAMES) {
          expect((await provider.search(ask(hostile))).hits[0]?.id).toBe(hostile)
        }
      })

      it.each(ODD_FIELDS)('takes a tool with %s', async (_title, fields) => {
        const unusual: IndexedTool = { id: 'edge:walnut', namespace: 'edge', name: 'walnut', ...fields }
        const provider = await quickly(async () => holding([...TOOLS, unusual]))
        const answer = await quickly(() => provider.search(ask(['walnut', 'issue', '(a+)+$'], { explain: true })))
        expectWellFormed(answer, [...TOOLS, unusual])
        expect(idsOf((await provider.search(ask('walnut'))).hits)).toContain('edge:walnut')
      })
    })
  })
}

function ask(queries: string | readonly string[], more: Partial<SearchRequest> = {}): SearchRequest {
  return { queries: typeof queries === 'string' ? [queries] : queries, maxResults: 100, ...more }
}

const idsOf = (hits: readonly SearchHit[]) => hits.map((hit) => hit.id)

function expectWellFormed({ hits }: SearchAnswer, tools: readonly IndexedTool[]): void {
  const known = new Set(tools.map((one) => one.id))
  expect(new Set(idsOf(hits)).size).toBe(hits.length)
  for (const [index, hit] of hits.entries()) {
    expect(known.has(hit.id)).toBe(true)
    expect(Number.isFinite(hit.score)).toBe(true)
    expect(hit.relevance).toBeGreaterThanOrEqual(0)
    expect(hit.relevance).toBeLessThanOrEqual(1)
    const before = hits[index - 1]
    const inOrder =
      before === undefined || before.score > hit.score || (before.score === hit.score && before.id < hit.id)
    expect(inOrder, `${before?.id} before ${hit.id}`).toBe(true)
  }
}

async function quickly<Value>(work: () => Promise<Value>): Promise<Value> {
  let value: Promise<Value> | undefined
  expect(await processorMs(() => (value = work()))).toBeLessThan(QUICK_MS)
  return value as Promise<Value>
}
