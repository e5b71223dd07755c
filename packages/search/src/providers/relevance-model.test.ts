import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../tool/tool.ts'
import { Bm25Provider } from './bm25/bm25-provider.ts'
import { type Evidence, featuresOf, probabilityOf } from './relevance-model.ts'
import { RELEVANCE_MODEL } from './relevance-model.generated.ts'

const GOOD: Evidence = {
  ...{ coverage: 1, present: 1, named: 1, rarestMissing: 0, unknown: 0, nameAsked: 1, length: 0.4 },
  ...{ asksAction: 1, agrees: 1, contradicts: 0, differs: 0, verbPresent: 1, objectNamed: 1, objectPresent: 1 },
  ...{ direction: 0, excluded: 0, asksService: 0, otherService: 0, nearness: 1, outstanding: 0.7, margin: 0.3 },
  ...{ lead: 0.5, catalog: 0.7 },
}
const BAD: Evidence = {
  ...{ ...GOOD, coverage: 0.1, present: 0.1, named: 0, rarestMissing: 1, unknown: 0.5, nameAsked: 0 },
  ...{ agrees: 0, contradicts: 1, differs: 1, verbPresent: 0, objectNamed: 0, objectPresent: 0.1 },
  ...{ nearness: 0.1, outstanding: 0.2, margin: 0.02, lead: 0.1 },
}

describe('the model of relevance', () => {
  it.each(['words', 'meaning', 'both'] as const)(
    'of %s has a weight for each feature, and tells good from bad',
    (ranking) => {
      expect(RELEVANCE_MODEL[ranking]).toHaveLength(featuresOf(GOOD).length)
      expect(probabilityOf(GOOD, ranking)).toBeGreaterThan(0.85)
      expect(probabilityOf(BAD, ranking)).toBeLessThan(0.15)
    },
  )
})

describe('[R13] [U12] relevance', () => {
  const tool = (namespace: string, name: string, description: string): IndexedTool => ({
    id: `${namespace}:${name}`,
    namespace,
    name,
    description,
  })
  const provider = new Bm25Provider()
  const added = [
    tool('calendar', 'create_event', 'Create an event in a calendar'),
    tool('calendar', 'delete_event', 'Delete an event from a calendar'),
    tool('editor', 'fold', 'Fold the lines of a selection'),
    tool('flights', 'get_flight_count', 'Count flights'),
    tool('trello', 'create_card', 'Create a card on a board'),
    tool('trello', 'get_board', 'Get a board'),
  ]
  provider.apply({ added, changed: [], removed: [] })
  const relevances = async (query: string) =>
    (await provider.search({ queries: [query], maxResults: 5 })).hits.map(({ relevance }) => relevance)
  const best = async (query: string) => (await relevances(query))[0] ?? 0

  it('is high for what a tool does and low for what none does', async () => {
    expect(await best('create a calendar event')).toBeGreaterThan(0.85)
    expect(await best('fold my laundry')).toBeLessThan(await best('fold the selection'))
    expect(await best('delete a Trello board')).toBeLessThan(await best('get a Trello board'))
  })

  it('never rises from hit to hit', async () => {
    for (const query of ['create event', 'trello', 'count the flights of a board']) {
      const all = await relevances(query)
      expect(all).toEqual(all.toSorted((a, b) => b - a))
    }
  })
})
