import { describe, expect, it } from 'vitest'
import { ContextCosts, savedBy, sumOfCosts } from './context-costs.ts'
import { eligibleIn, TEN_TOOLS } from './fixture-ten-tools.case.ts'

const eligible = eligibleIn(TEN_TOOLS)
const listed = [{ name: 'find' }]
const list = { listed, eligible, isWhole: false }
const reader = (tokenId: string, over: object = {}) => ({ endpointId: 'e', projectId: 'p', tokenId, ...over })
const answer = (text: string) => ({ content: [{ type: 'text', text }], structuredContent: { text } })

describe('ContextCosts', () => {
  it('sums the costs of each client separately', () => {
    const costs = new ContextCosts()
    costs.listed(reader('a'), list)
    costs.searched(reader('a'), answer('12345678'))
    costs.listed(reader('a', { clientName: 'editor' }), list)
    costs.listed(reader('b'), list)
    expect(costs.all()).toMatchObject([
      { client: { tokenId: 'a' }, cost: { lists: 1, searches: 1, ofSearches: 2 } },
      { client: { tokenId: 'a', clientName: 'editor' }, cost: { lists: 1, searches: 0 } },
      { client: { tokenId: 'b' }, cost: { lists: 1 } },
    ])
  })

  it('returns and resets the costs, and continues the conversation', () => {
    const costs = new ContextCosts()
    const session = reader('a', { sessionId: 's' })
    costs.listed(session, list)
    expect(costs.take()).toMatchObject([{ client: { tokenId: 'a' }, cost: { lists: 1 } }])
    expect(costs.all()).toEqual([])
    costs.listed(session, { ...list, listed: [...listed, { name: 'found' }] })
    expect(costs.take()).toMatchObject([{ cost: { lists: 0, ofSchemas: 4 } }])
  })

  it('does not count requests of the program itself', () => {
    const costs = new ContextCosts(({ tokenId }) => tokenId === 'local')
    costs.listed(reader('local'), list)
    costs.searched(reader('local'), answer('x'))
    expect(costs.all()).toEqual([])
  })

  it('accepts results of any shape', () => {
    const costs = new ContextCosts()
    for (const result of [{}, { content: 7 }, { content: [{}, { text: 7 }] }]) costs.searched(reader('a'), result)
    expect(costs.all()).toMatchObject([{ cost: { searches: 3, ofSearches: 0 } }])
  })

  it('bounds the number of clients and the length of their names', () => {
    const costs = new ContextCosts()
    for (let each = 0; each < 2_000; each++) costs.listed(reader('a', { clientName: `${'x'.repeat(500)}` }), list)
    for (let each = 0; each < 2_000; each++) costs.listed(reader(`t${each}`), list)
    const all = costs.all()
    expect(all).toHaveLength(1_000)
    expect(all[0]).toMatchObject({ client: { clientName: 'x'.repeat(100) }, cost: { lists: 2_000 } })
  })

  it('counts a session once, and then only additions to its list', () => {
    const costs = new ContextCosts()
    const session = reader('a', { sessionId: 's' })
    costs.listed(session, list)
    const [first] = costs.all()
    costs.listed(session, list)
    expect(costs.all()).toEqual([first])
    costs.listed(session, { ...list, listed: [...listed, { name: 'found' }] })
    expect(costs.all()[0]?.cost).toEqual({ ...first?.cost, ofSchemas: 4 })
    costs.listed(reader('a', { sessionId: 'other' }), list)
    expect(costs.all()[0]?.cost.lists).toBe(2)
  })
})

describe('savedBy', () => {
  it('is negative if more was loaded than a full list', () => {
    const one = { lists: 1, searches: 2, ifAllWereListed: 100, ofLists: 60, ofSearches: 30, ofSchemas: 20 }
    expect(savedBy(one)).toBe(-10)
    expect(savedBy(sumOfCosts([one, one]))).toBe(-20)
    expect(savedBy(sumOfCosts([]))).toBe(0)
  })
})
