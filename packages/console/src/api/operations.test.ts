import { adminRoutes } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'

it('has every operation of the contract, with the same method and path', () => {
  const inContract = Object.entries(adminRoutes).map(([id, { method, path }]) => [id, { method, path }])
  expect(OPERATIONS).toEqual(Object.fromEntries(inContract))
})
