import { expect, it } from 'vitest'
import { NO_COST } from '../model/context-cost.ts'
import { breakEvenOf } from './break-even.ts'

it('counts the searches that the saving of a list pays for, at an assumed price until one was measured', () => {
  const cost = { ...NO_COST, lists: 2, ifAllWereListed: 40_000, ofLists: 1_000 }
  expect(breakEvenOf(cost)).toEqual({ searches: 32, tokensPerSearch: 600, isMeasured: false })
  expect(breakEvenOf({ ...cost, searches: 2, ofSearches: 700, ofSchemas: 300 })).toEqual({
    searches: 39,
    tokensPerSearch: 500,
    isMeasured: true,
  })
})

it('knows none where the list alone saves nothing, or where nobody loaded one', () => {
  expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, ofLists: 640 })).toBeUndefined()
  expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, ofLists: 300 })).toBeUndefined()
  expect(breakEvenOf({ ...NO_COST, searches: 3, ofSearches: 900 })).toBeUndefined()
})

it('survives searches that answered nothing', () => {
  expect(breakEvenOf({ ...NO_COST, lists: 1, ifAllWereListed: 300, searches: 1 })).toMatchObject({ searches: 300 })
})
