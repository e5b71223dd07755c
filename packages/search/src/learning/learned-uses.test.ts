import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toyEmbedder } from '../providers/meaning/toy-embedder.case.ts'
import { LearnedUses, type LearnedUse, type ToolUse, usedAgain, useWeight } from './learned-uses.ts'
import { HALF_LIFE_MS, MOST_USES, MOST_USES_OF_CALLER } from './parameters.ts'

const all = () => true
const taught = (...uses: readonly ToolUse[]): LearnedUses => {
  const learned = new LearnedUses({ now: () => 0 })
  for (const use of uses) learned.learn({ at: 0, ...use })
  return learned
}
const strengths = (learned: LearnedUses, query: string, isVisible: (id: string) => boolean = all) =>
  new Map([...learned.evidence([query], isVisible).tools].map(([id, { strength }]) => [id, strength]))

const use = fc.record(
  {
    query: fc.constantFrom('open a ticket', 'close the ticket', 'list open tickets', 'weather in Oslo', 'the', ''),
    toolId: fc.constantFrom('a:one', 'a:two', 'b:three'),
    weight: fc.double({ min: 0, max: 1, noNaN: true }),
    by: fc.constantFrom('alice', 'bob'),
  },
  { requiredKeys: ['query', 'toolId'] },
)

describe('LearnedUses', () => {
  it('U13: learns nothing from a query that asks for the reverse in the same words', () => {
    const learned = taught({ query: 'street address to coordinates', toolId: 'maps:geocode' })
    expect(strengths(learned, 'coordinates to street address').size).toBe(0)
    expect(strengths(learned, 'street address into coordinates').size).toBe(1)
  })

  it('U13: finds the tools that were used after like queries, and the query that is nearest', () => {
    const learned = taught(
      { query: 'file a bug in the tracker', toolId: 'tracker:create_issue' },
      { query: 'what is the weather', toolId: 'weather:forecast' },
    )
    const evidence = learned.evidence(['please file the bug'], all).tools
    expect([...evidence.keys()]).toEqual(['tracker:create_issue'])
    expect(evidence.get('tracker:create_issue')).toMatchObject({ query: 'file a bug in the tracker' })
    expect(strengths(learned, 'file a bug in the tracker').get('tracker:create_issue')).toBeGreaterThan(
      evidence.get('tracker:create_issue')?.strength ?? 1,
    )
  })

  it('compares by meaning where it can', () => {
    const alike = new Map([['defect', 'bug']])
    const learned = new LearnedUses({ now: () => 0, embedNow: toyEmbedder('toy', alike).embedNow })
    learned.learn({ query: 'report a bug', toolId: 'x:near', at: 0 })
    learned.learn({ query: 'report a sale', toolId: 'x:far', at: 0 })
    const found = strengths(learned, 'report a defect')
    expect(found.get('x:near')).toBeGreaterThan(found.get('x:far') ?? 1)
  })

  it('U13: is not influenced by uses of tools that the caller may not see', () => {
    fc.assert(
      fc.property(fc.array(use), fc.array(use), (visible, hidden) => {
        const secret = hidden.map((one) => ({ ...one, toolId: 'hidden:tool', query: `${one.query} ticket` }))
        const mixed = taught(...visible, ...secret)
        const alone = taught(...visible)
        const isVisible = (id: string) => id !== 'hidden:tool'
        for (const query of ['open a ticket', 'the weather']) {
          expect(strengths(mixed, query, isVisible)).toEqual(strengths(alone, query))
        }
      }),
    )
  })

  it('U13: heeds distant queries only where the wanted tools were mostly used before', () => {
    const others = ['a:one', 'a:two', 'a:three']
    const strengthAmong = (uses: readonly ToolUse[]): number =>
      strengths(taught({ query: 'open a ticket for the printer', toolId: 'x:y' }, ...uses), 'open a new door').get(
        'x:y',
      ) ?? 0
    const onceEach = others.map((toolId, nth) => ({ query: `weather number ${nth}`, toolId }))
    const againEach = onceEach.map(({ query, toolId }) => ({ query: `${query} tomorrow`, toolId }))
    const [seldom, often] = [strengthAmong(onceEach), strengthAmong([...onceEach, ...againEach])]
    expect(seldom).toBeGreaterThan(0)
    expect(often).toBeGreaterThan(2 * seldom)
  })

  it('U13: speaks for the server of a tool where wanted tools were mostly used before', () => {
    const serverOf = (id: string) => id.split(':')[0]
    const once = taught({ query: 'open a ticket', toolId: 'jira:create' })
    const again = taught(
      { query: 'open a ticket', toolId: 'jira:create', weight: useWeight(0) },
      { query: 'open a new ticket', toolId: 'jira:create', weight: useWeight(0) },
    )
    const serversOf = (learned: LearnedUses) => learned.evidence(['open ticket'], all, serverOf).servers
    expect(serversOf(once).get('jira')).toBe(0)
    // A tool that was first anyway says little for itself, and all for its server.
    expect(strengths(again, 'open ticket').get('jira:create')).toBeLessThan(0.3)
    expect(serversOf(again).get('jira')).toBeGreaterThan(0.5)
    expect([...serversOf(again).keys()]).toEqual(['jira'])
  })

  it('U13: bounds what one caller can say for a server', () => {
    const servers = (callers: readonly string[]) => {
      const uses = callers.flatMap((by) =>
        Array.from({ length: 30 }, (_, nth) => ({ query: `open ticket ${nth % 10}`, toolId: `s:${nth % 3}`, by })),
      )
      return taught(...uses).evidence(['open ticket'], all, () => 's').servers
    }
    expect(servers(['mallory']).get('s')).toBeLessThanOrEqual(1 - Math.exp(-1))
    expect(servers(['bob', 'carol', 'dave']).get('s')).toBeGreaterThan(0.8)
  })

  it('finds the nearest past query among thousands that share a common word', () => {
    const learned = taught({ query: 'open the heron ticket', toolId: 'x:heron' })
    for (let nth = 0; nth < 3_000; nth++) learned.learn({ query: `open ticket w${nth}`, toolId: 'x:other', at: 0 })
    const found = strengths(learned, 'open a heron ticket')
    expect(found.get('x:heron')).toBeGreaterThan(0)
    expect([...found.keys()]).toEqual(['x:heron'])
    expect(strengths(learned, 'open ticket').get('x:other')).toBeGreaterThan(0)
  })

  it('U13: bounds what one caller can say for a tool, however often and in however many words', () => {
    const learned = taught()
    for (let nth = 0; nth < 500; nth++) {
      learned.learn({ query: `open a ticket ${nth % 40}`, toolId: 'bad:tool', by: 'mallory', at: 0 })
    }
    const byOne = strengths(learned, 'open a ticket').get('bad:tool') ?? 0
    expect(byOne).toBeLessThanOrEqual(1 - Math.exp(-1))
    for (const by of ['bob', 'carol', 'dave']) learned.learn({ query: 'open a ticket', toolId: 'good:tool', by, at: 0 })
    expect(strengths(learned, 'open a ticket').get('good:tool')).toBeGreaterThan(byOne)
  })

  it('forgets with time, and a clock that goes back loses nothing', () => {
    let now = 10 * HALF_LIFE_MS
    const learned = new LearnedUses({ now: () => now })
    learned.learn({ query: 'open a ticket', toolId: 'a:one' })
    const fresh = strengths(learned, 'open a ticket').get('a:one') ?? 0
    now = 0
    expect(strengths(learned, 'open a ticket').get('a:one')).toBe(fresh)
    learned.learn({ query: 'open a ticket', toolId: 'a:two' })
    now = 11 * HALF_LIFE_MS
    const aged = strengths(learned, 'open a ticket')
    expect(aged.get('a:one')).toBeLessThan(fresh)
    expect(aged.get('a:two')).toBeLessThan(aged.get('a:one') ?? 0)
  })

  it('takes a use of the future as one of now', () => {
    const learned = new LearnedUses({ now: () => 1_000 })
    learned.learn({ query: 'open', toolId: 'a:one', at: 10 ** 15 })
    expect(learned.uses()).toEqual([{ query: 'open', toolId: 'a:one', weight: 1, at: 1_000 }])
  })

  it('forgets what a selector names, and all without one', () => {
    const learned = taught(
      { query: 'Open a  ticket', toolId: 'a:one', by: 'alice' },
      { query: 'open a ticket', toolId: 'a:two', by: 'bob' },
      { query: 'close it', toolId: 'a:one', by: 'bob' },
    )
    expect(learned.forget({ toolId: 'a:one', by: 'bob' })).toBe(1)
    expect(learned.forget({ query: ' open a ticket', toolId: 'a:two' })).toBe(1)
    expect(learned.forget({ query: 'never asked' })).toBe(0)
    expect(learned.uses().map(({ toolId, query }) => [toolId, query])).toEqual([['a:one', 'open a ticket']])
    expect(learned.forget()).toBe(1)
    expect(strengths(learned, 'open a ticket').size).toBe(0)
  })

  it('says the same after its uses were taken over by another', () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 30 }), (uses) => {
        const learned = taught(...uses)
        const other = taught(...learned.uses())
        expect(other.size).toBe(learned.size)
        expect(other.uses()).toEqual(learned.uses())
        expect(strengths(other, 'open a ticket')).toEqual(strengths(learned, 'open a ticket'))
      }),
    )
  })

  it('keeps the latest 5,000 uses and 500 characters of a query', () => {
    const learned = taught()
    for (let nth = 0; nth < MOST_USES + 20; nth++) learned.learn({ query: `query w${nth}`, toolId: 'a:one', at: 0 })
    expect(learned.size).toBe(MOST_USES)
    expect(learned.uses()[0]?.query).toBe('query w20')
    learned.learn({ query: 'x'.repeat(100_000), toolId: 'a:one', at: 0 })
    expect(learned.uses().at(-1)?.query).toHaveLength(500)
    expect(learned.evidence(['y'.repeat(100_000)], all).tools.size).toBe(0)
  })

  it('U13: keeps 500 uses of a caller, who displaces nothing of others', () => {
    const learned = taught({ query: 'open a ticket', toolId: 'good:tool', by: 'alice' })
    for (let nth = 0; nth < MOST_USES + 20; nth++) {
      learned.learn({ query: `query w${nth}`, toolId: 'bad:tool', by: 'mallory', at: 0 })
    }
    expect(learned.size).toBe(MOST_USES_OF_CALLER + 1)
    expect(learned.uses()[0]).toMatchObject({ by: 'alice' })
    expect(learned.uses()[1]?.query).toBe(`query w${MOST_USES + 20 - MOST_USES_OF_CALLER}`)
    expect(learned.forget({ by: 'mallory' })).toBe(MOST_USES_OF_CALLER)
    learned.learn({ query: 'query again', toolId: 'bad:tool', by: 'mallory', at: 0 })
    expect(learned.size).toBe(2)
  })

  it('takes uses over as another one keeps them, however often', () => {
    fc.assert(
      fc.property(fc.array(use, { maxLength: 20 }), (uses) => {
        const one = taught(...uses.map((each) => ({ ...each, by: each.by ?? 'carol' })))
        const other = taught()
        for (let times = 0; times < 3; times++) for (const kept of one.uses()) other.put(kept)
        expect(other.uses()).toEqual(one.uses())
      }),
    )
  })

  it('counts a use again as a store does that adds it up', () => {
    const first: LearnedUse = { query: 'open', toolId: 'a:one', by: 'alice', weight: 0.4, at: 5 }
    const again: LearnedUse = { ...first, weight: 0.3, at: 5 + HALF_LIFE_MS }
    const learned = new LearnedUses({ now: () => 9 * HALF_LIFE_MS })
    learned.learn(first)
    learned.learn(again)
    expect(usedAgain(first, again)).toEqual({ weight: 0.2 + 0.3, at: again.at })
    expect(learned.uses()).toEqual([{ ...first, ...usedAgain(first, again) }])
    expect(usedAgain({ weight: 0.9, at: 9 }, { weight: 0.9, at: 3 })).toEqual({ weight: 1, at: 9 })
  })

  it.each([
    [{ query: 1, toolId: 'a' }, 'query'],
    [{ query: 'x', toolId: '' }, 'toolId'],
    [{ query: 'x', toolId: 'a', weight: 2 }, 'weight'],
    [{ query: 'x', toolId: 'a', at: Number.NaN }, 'at'],
    [{ query: 'x', toolId: 'a', by: 3 }, 'by'],
  ])('refuses %j', (wrong, field) => {
    const learned = taught()
    expect(() => learned.learn(wrong as unknown as ToolUse)).toThrow(
      expect.objectContaining({ details: { field, reason: expect.any(String) } }),
    )
    expect(learned.size).toBe(0)
  })
})

describe('useWeight', () => {
  it('is small for a first hit and grows with what stood above', () => {
    const weights = [0, 1, 2, 20].map(useWeight)
    expect(weights[0]).toBeLessThan(0.2)
    expect(weights).toEqual(weights.toSorted((a, b) => a - b))
    expect(Math.max(...weights)).toBeLessThan(1)
    expect(useWeight(Number.POSITIVE_INFINITY)).toBe(1)
    expect(useWeight(-3)).toBe(weights[0])
  })
})
