import type { SearchField } from '../../../tool/tool.ts'

/** The fields in the order of their bits in a posting and of their marks in a document. */
export const FIELDS: readonly SearchField[] = ['name', 'title', 'server', 'description', 'parameters', 'tags']

// A posting's number: weighted frequency in the low 16 bits, then 6 bits of fields, then how often the name has the term.
export const MOST_FREQUENCY = 0xffff
const NAME_SHIFT = 22
const FIELD_SHIFT = 16
const FIELD_MASK = 0x3f
const MOST_NAME_COUNT = 15

export const frequencyIn = (posting: number): number => posting & MOST_FREQUENCY
export const fieldBitsIn = (posting: number): number => (posting >>> FIELD_SHIFT) & FIELD_MASK
export const nameCountIn = (posting: number): number => posting >>> NAME_SHIFT
export const bitOf = (field: SearchField): number => 1 << FIELDS.indexOf(field)

/** One more occurrence in a field of the given number, `weight` quarters heavy. */
export function addOccurrence(posting: number, field: number, weight: number): number {
  const frequency = Math.min(MOST_FREQUENCY, frequencyIn(posting) + weight)
  const nameCount = Math.min(MOST_NAME_COUNT, nameCountIn(posting) + (field === 0 ? 1 : 0))
  return frequency | ((fieldBitsIn(posting) | (1 << field)) << FIELD_SHIFT) | (nameCount << NAME_SHIFT)
}
