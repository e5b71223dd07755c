import { adminRoutes } from '@tooldex/contract/admin'
import { expect, it } from 'vitest'
import { OPERATIONS } from './operations.ts'

it('knows every operation of the contract, where the contract has it', () => {
  const inContract = Object.entries(adminRoutes).map(([id, { method, path }]) => [id, { method, path }])
  expect(OPERATIONS).toEqual(Object.fromEntries(inContract))
})
