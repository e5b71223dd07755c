import { describe, expect, it } from 'vitest'
import { newRequestId } from './caller.ts'

describe('newRequestId', () => {
  it('makes UUIDs of version 7 that sort by time', () => {
    const ids = [0, 1, 1_800_000_000_000, 1_800_000_000_001, 2 ** 48 - 1].map((now) => newRequestId(now))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(ids.toSorted()).toEqual(ids)
  })

  it('makes each id once, even at the same time', () => {
    expect(new Set(Array.from({ length: 10_000 }, () => newRequestId(5)))).toHaveLength(10_000)
  })
})
