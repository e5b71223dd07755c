import fc from 'fast-check'
import { expect, it } from 'vitest'
import { takenBack, type ToolOverride, withPatch } from './tool-override.ts'

const overrides: fc.Arbitrary<ToolOverride> = fc.record(
  { allowed: fc.boolean(), pinned: fc.boolean(), deferLoading: fc.boolean(), description: fc.string() },
  { requiredKeys: [] },
)
const patches = fc.oneof(
  overrides,
  fc.subarray(['allowed', 'pinned', 'deferLoading', 'description']).map((unset) => ({ unset })),
)

it('sets and unsets the fields of a change', () => {
  expect(withPatch({ pinned: true }, { allowed: false })).toEqual({ pinned: true, allowed: false })
  expect(withPatch({ pinned: true, allowed: false }, { unset: ['allowed'] })).toEqual({ pinned: true })
})

it('restores the override when a change is undone', () => {
  fc.assert(
    fc.property(overrides, patches, (before, patch) => {
      expect(withPatch(withPatch(before, patch), takenBack(before, patch))).toEqual(before)
    }),
  )
})
