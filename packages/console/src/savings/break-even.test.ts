import { expect, it } from 'vitest'
import { searchesUntilEven } from './break-even.ts'

it('counts the searches that the saving pays for', () => {
  expect(searchesUntilEven({ tokensIfAllWereListed: 20_000, tokensListed: 500 })).toBe(32)
})

it('pays for nothing where nothing is saved', () => {
  expect(searchesUntilEven({ tokensIfAllWereListed: 300, tokensListed: 640 })).toBeUndefined()
})
