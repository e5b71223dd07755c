import { Bm25Provider, type IndexedTool } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { proposeDescriptions } from './proposals.ts'
import type { JudgedQuery } from './queries.ts'
import { rankAll } from './ranker.ts'

const TOOLS: readonly IndexedTool[] = [
  { id: 't:create_issue', name: 'create_issue', namespace: 't', description: 'Creates an issue' },
  { id: 't:delete_file', name: 'delete_file', namespace: 't', description: 'Deletes a file.' },
  { id: 't:list', name: 'list', namespace: 't' },
]

function rankerOver(tools: readonly IndexedTool[]) {
  const provider = new Bm25Provider()
  provider.apply({ added: tools, changed: [], removed: [] })
  return provider
}

async function propose(...rows: readonly (readonly [query: string, key: string])[]) {
  const queries: JudgedQuery[] = rows.map(([query, key]) => ({ queries: [query], relevant: new Set([key]) }))
  const { outcomes } = await rankAll(rankerOver(TOOLS), queries)
  const steps: number[] = []
  const proposals = await proposeDescriptions({
    tools: new Map(TOOLS.map((tool) => [tool.id, tool])),
    outcomes,
    tryWith: (tool, some) => rankAll(rankerOver(TOOLS.map((each) => (each.id === tool.id ? tool : each))), some),
    onStep: (done) => steps.push(done),
  })
  return { proposals, steps }
}

describe('proposeDescriptions', () => {
  it('adds missing words of queries, and measures the effect', async () => {
    const { proposals } = await propose(
      ['please lodge a grievance', 't:create_issue'],
      ['lodge something', 't:create_issue'],
      ['delete a file', 't:delete_file'],
    )
    expect(proposals).toEqual([
      {
        toolKey: 't:create_issue',
        added: ['lodge', 'grievance'],
        description: 'Creates an issue. Also for: lodge, grievance.',
        ofTool: { before: 0, after: 1 },
        ofAll: { before: expect.closeTo(1 / 3), after: 1 },
        unseen: { before: 0, after: 1 },
      },
    ])
  })

  it('measures that words of a single query do not help other queries', async () => {
    const { proposals } = await propose(['lodge', 't:create_issue'], ['grievance', 't:create_issue'])
    expect(proposals).toMatchObject([{ ofTool: { before: 0, after: 1 }, unseen: { before: 0, after: 0 } }])
    expect((await propose(['lodge', 't:create_issue'])).proposals[0]).not.toHaveProperty('unseen')
  })

  it('proposes a description for a tool without one', async () => {
    const { proposals } = await propose(['zebra', 't:list'])
    expect(proposals.map(({ description }) => description)).toEqual(['Also for: zebra.'])
  })

  it('proposes nothing if all queries succeed, or if words would not help', async () => {
    expect(await propose(['delete a file', 't:delete_file'])).toEqual({ proposals: [], steps: [] })
    const { proposals } = await propose(['lodge', 't:create_issue'], ['lodge', 't:delete_file'], ['of the', 't:list'])
    expect(proposals.every(({ ofAll }) => ofAll.after > ofAll.before)).toBe(true)
    expect(proposals.map(({ toolKey }) => toolKey)).not.toContain('t:list')
  })

  it('does not improve one query at the expense of another', async () => {
    const { proposals } = await propose(['delete', 't:create_issue'], ['delete', 't:delete_file'])
    for (const { ofAll } of proposals) expect(ofAll.after).toBeGreaterThan(ofAll.before)
  })
})
