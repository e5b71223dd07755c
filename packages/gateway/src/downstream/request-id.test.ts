import { expect, it } from 'vitest'
import { newRequestId } from './request-id.ts'

it('makes ids that are UUIDs of version 7, differ, and sort by time', () => {
  const ids = [1, 1_000, 1_764_000_000_000, 1_764_000_000_001].map(newRequestId)
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/)
  expect(ids.toSorted()).toEqual(ids)
  expect(ids[2]).toMatch(/^019ab697-e800-7/)
  expect(newRequestId(5)).not.toBe(newRequestId(5))
})
