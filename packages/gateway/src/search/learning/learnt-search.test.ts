import { LearnedUses, MOST_USES } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { CatalogIndex } from '../../catalog/search-index/catalog-index.ts'
import { principalOf, projectOf, type ServerSketch, serverOf, snapshotOf } from '../../catalog/snapshot.case.ts'
import { descriptionsOf } from '../../catalog/search-index/indexed-tools.ts'
import { eligibleTools } from '../../access/eligible-tools.ts'
import { resolveSettings } from '../../exposure/resolve-settings.ts'
import type { ProjectTool } from '../../model/project.ts'
import { ToolSearch } from '../tool-search.ts'

const TRACKER: ServerSketch = {
  id: 'tracker',
  tools: [
    { name: 'close_issue', description: 'Closes an issue' },
    { name: 'create_issue', description: 'Opens an issue in a repository' },
    { name: 'report_error', description: 'Reports an error of the tracker itself' },
    { name: 'list_labels', description: 'Lists the labels of a project' },
  ],
}

/** Searches in a project with these uses. */
function searching(uses: LearnedUses, tools: Readonly<Record<string, ProjectTool>> = {}, isPreview = false) {
  const index = new CatalogIndex()
  const project = projectOf('p', ['tracker'], tools)
  index.describe(descriptionsOf([project]))
  index.put(serverOf(TRACKER))
  const eligible = eligibleTools(principalOf(), project, new Map(), snapshotOf([TRACKER]))
  const search = new ToolSearch({
    provider: (strategy) => index.provider(strategy),
    audit: { record: () => {} },
    now: () => 0,
    learnt: { of: () => uses, noteOrder: () => {} },
  })
  const context = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', from: {}, isPreview }
  return async (query: string, strategy: 'bm25' | 'regex' = 'bm25') => {
    const settings = resolveSettings({ strategy }, {})
    const ask = { queries: [query], maxResults: 3, explain: true, whenBlank: 'nothing', detail: 'summary' } as const
    const outcome = await search.search(eligible, settings, ask, { ...context, signal: new AbortController().signal })
    if (outcome.state === 'off') throw new Error('search is off')
    return outcome.found.map(({ tool, explanation = '' }) => [String(tool.key), explanation] as const)
  }
}

const taught = (...queries: readonly string[]): LearnedUses => {
  const uses = new LearnedUses({ now: () => 0 })
  for (const query of queries) {
    for (const by of ['a', 'b', 'c']) uses.learn({ query, toolId: 'tracker:list_labels', by, at: 0 })
  }
  return uses
}

describe('a search that learnt', () => {
  it('finds a tool under the description of the project', async () => {
    const find = searching(taught('which colours are there'), {
      'tracker:list_labels': { description: 'Our own words' },
    })
    expect(await find('which colours do we have')).toEqual([['tracker:list_labels', 'used for "which colours …"']])
  })

  it.each([
    ['tickets of acme-corp/payroll', 'open the tickets', 'tickets …'],
    ['ticket for Bob', 'tickets', 'ticket …'],
    ['チケットを作成する', 'チケット', '…'],
    ['say "open sesame", please', 'please open it', '… "open … please'],
  ])('tells of %j only what %j has', async (past, asked, shown) => {
    const told = async (isPreview: boolean) => {
      const found = new Map(await searching(taught(past, 'which colours are there'), {}, isPreview)(asked))
      return found.get('tracker:list_labels') ?? ''
    }
    expect((await told(false)).startsWith(`used for "${shown}"`)).toBe(true)
    expect((await told(true)).startsWith(`used for "${past.toLowerCase()}"`)).toBe(true)
  })

  it('leaves patterns alone', async () => {
    expect(await searching(taught('issue'))('issue', 'regex')).toEqual(
      await searching(new LearnedUses())('issue', 'regex'),
    )
  })

  it('[U13] is bounded, keeps exact names and sure rankings, and recovers, if a thousand callers teach nonsense', async () => {
    const uses = new LearnedUses({ now: () => 0 })
    const queries = [
      'close_issue',
      'reports an error of the tracker itself',
      'make things right',
      'do it',
      'open an issue',
    ]
    for (let caller = 0; caller < 1_000; caller++) {
      for (let nth = 0; nth < 8; nth++) {
        const query = nth < queries.length ? (queries[nth] ?? '') : `nonsense ${caller} ${nth}`
        uses.learn({ query, toolId: 'tracker:list_labels', by: `caller ${caller}`, at: 0 })
      }
    }
    expect(uses.size).toBeLessThanOrEqual(MOST_USES)
    const find = searching(uses)
    expect((await find('close_issue'))[0]?.[0]).toBe('tracker:close_issue')
    expect((await find('tracker:create_issue'))[0]?.[0]).toBe('tracker:create_issue')
    expect((await find('Reports an error of the tracker itself'))[0]?.[0]).toBe('tracker:report_error')
    uses.forget({ toolId: 'tracker:list_labels' })
    const clean = searching(new LearnedUses())
    for (const query of queries) expect(await find(query)).toEqual(await clean(query))
  })

  it('is not affected by a tool that is gone', async () => {
    const uses = new LearnedUses({ now: () => 0 })
    for (const by of ['a', 'b', 'c']) uses.learn({ query: 'open an issue', toolId: 'tracker:gone', by, at: 0 })
    expect(await searching(uses)('open an issue')).toEqual(await searching(new LearnedUses())('open an issue'))
  })
})
