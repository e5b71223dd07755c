import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CatalogIndex } from '../catalog/search-index/catalog-index.ts'
import { principalOf, projectOf, type ServerSketch, serverOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { formatToolKey } from '../model/tool-key.ts'
import { eligibleTools } from './eligible-tools.ts'

const WORDS = 'create delete issue file folder list read pull_request search web'.split(' ')
const text = (most: number) =>
  fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: most }).map((words) => words.join(' '))
const tool = fc.record({
  name: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 2 }).map((words) => words.join('_')),
  description: text(6),
})
const server = fc.record({
  name: fc.constantFrom('github', 'files', 'web search'),
  instructions: text(4),
  state: fc.constantFrom('running' as const, 'idle' as const, 'failed' as const),
  tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 5 }),
})

const indexOf = (sketches: readonly ServerSketch[]): CatalogIndex => {
  const index = new CatalogIndex()
  for (const sketch of sketches) index.put(serverOf(sketch))
  return index
}

describe('searches of a principal', () => {
  it('[R24] equal those of a gateway with only its tools', async () => {
    const asked = fc.record({
      servers: fc.array(server, { maxLength: 4 }),
      mine: fc.uniqueArray(fc.nat(3)),
      forbidden: fc.constantFrom(...WORDS),
      queries: fc.array(fc.oneof(text(3), fc.constantFrom('creat*', 'NOT file', 'server:github AND file', 'isue')), {
        minLength: 1,
        maxLength: 2,
      }),
      strategy: fc.constantFrom('bm25', 'bm25', 'lexical', 'hybrid'),
    })
    await fc.assert(
      fc.asyncProperty(asked, async ({ servers, mine, forbidden, queries, strategy }) => {
        const sketches = servers.map((one, at) => ({ id: `s${at}`, ...one }))
        const project = projectOf(
          'p',
          sketches.map(({ id }) => id),
        )
        const principal = principalOf({ servers: new Set(mine.map((at) => `s${at}`)) })
        const permissions = new Map(sketches.map(({ id }) => [id, { [forbidden]: false }]))
        const eligible = eligibleTools(principal, project, permissions, snapshotOf(sketches))
        const own = sketches.map((one) => ({
          ...one,
          tools: one.tools.filter(({ name }) => eligible.has(formatToolKey(one.id, name))),
        }))
        const request = { queries, maxResults: 5, explain: true }
        const within = await indexOf(sketches)
          .provider(strategy)
          .search({ ...request, within: eligible.scope })
        expect(within).toEqual(await indexOf(own).provider(strategy).search(request))
      }),
      { numRuns: 300 },
    )
  })
})
