import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addOccurrence, bitOf, FIELDS, fieldBitsIn, frequencyIn, MOST_FREQUENCY, nameCountIn } from './posting.ts'

it('a posting tells weighted frequency, fields and count in the name, each up to its limit', () => {
  const occurrence = fc.record({ field: fc.nat({ max: FIELDS.length - 1 }), weight: fc.integer({ min: 1, max: 9000 }) })
  fc.assert(
    fc.property(fc.array(occurrence, { minLength: 1, maxLength: 40, size: 'max' }), (occurrences) => {
      const posting = occurrences.reduce((before, { field, weight }) => addOccurrence(before, field, weight), 0)
      const total = occurrences.reduce((sum, { weight }) => sum + weight, 0)
      const inName = occurrences.filter(({ field }) => field === 0).length
      const fields = FIELDS.filter((_, number) => occurrences.some((one) => one.field === number))
      expect(posting).toBeGreaterThan(0)
      expect(frequencyIn(posting)).toBe(Math.min(total, MOST_FREQUENCY))
      expect(nameCountIn(posting)).toBe(Math.min(inName, 15))
      expect(FIELDS.filter((field) => (fieldBitsIn(posting) & bitOf(field)) !== 0)).toEqual(fields)
    }),
  )
})

it('a posting counts occurrences in the name no further than its bits reach', () => {
  let posting = 0
  for (let i = 0; i < 2000; i++) posting = addOccurrence(posting, 0, 8)
  expect([nameCountIn(posting), fieldBitsIn(posting), frequencyIn(posting)]).toEqual([15, 1, 16_000])
})
