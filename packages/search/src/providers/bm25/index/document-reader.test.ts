import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../../tool/tool.ts'
import { DocumentReader, WHOLE_FLAG } from './document-reader.ts'
import { FIELD_WEIGHT, LEAD_BONUS, MOST_FIELD_CHARACTERS } from '../parameters.ts'
import { FIELDS, fieldBitsIn, frequencyIn, nameCountIn } from './posting.ts'
import { Vocabulary } from './vocabulary.ts'

const vocabulary = new Vocabulary()
const reader = new DocumentReader(vocabulary)

/** The document as text: `field:` where one opens, `+` before a second reading. */
const read = (tool: Partial<IndexedTool>): string => {
  reader.read({ id: 'x', name: 'x', ...tool })
  return Array.from(reader.surfaces.items.subarray(0, reader.count), (item) => {
    if (item < 0) return `${FIELDS[-1 - item]}:`
    return `${item >= WHOLE_FLAG ? '+' : ''}${vocabulary.surfaceText(item & ~WHOLE_FLAG)}`
  }).join(' ')
}
const posting = (word: string): number => reader.postings.get(vocabulary.findStemOf(word))

describe('DocumentReader', () => {
  it('reads the fields in order, each piece of text apart', () => {
    const tool = {
      name: 'readFile',
      title: 'Reader',
      namespace: 'files',
      description: 'Reads one. Then two.',
      inputSchema: { properties: { path: { description: 'where' }, mode: { enum: ['fast'] } } },
      tags: ['io', 'disk'],
    }
    expect(read(tool)).toBe(
      'name: read file +readfile title: reader server: files description: reads one description: then two ' +
        'parameters: path parameters: mode parameters: where parameters: fast tags: io tags: disk',
    )
    expect(reader.nameLength).toBe(3)
  })

  it('weighs words by field, the first sentence a little more', () => {
    read({ name: 'alpha', description: 'alpha beta. beta gamma' })
    expect(frequencyIn(posting('alpha'))).toBe(FIELD_WEIGHT.name + FIELD_WEIGHT.description + LEAD_BONUS)
    expect(frequencyIn(posting('beta'))).toBe(2 * FIELD_WEIGHT.description + LEAD_BONUS)
    expect(frequencyIn(posting('gamma'))).toBe(FIELD_WEIGHT.description)
    expect([nameCountIn(posting('alpha')), nameCountIn(posting('beta'))]).toEqual([1, 0])
    expect(reader.length).toBe(FIELD_WEIGHT.name + 4 * FIELD_WEIGHT.description + 2 * LEAD_BONUS)
  })

  it.each(['Reads it! alpha', 'Reads\nalpha', '読む。alpha', '  Reads it? alpha'])(
    'ends the first sentence of %j',
    (text) => {
      read({ description: text })
      expect(frequencyIn(posting('alpha'))).toBe(FIELD_WEIGHT.description)
    },
  )

  it('takes a dot inside a word for no end', () => {
    read({ description: 'Reads README.md alpha' })
    expect(frequencyIn(posting('alpha'))).toBe(FIELD_WEIGHT.description + LEAD_BONUS)
  })

  it('keeps nothing of the tool before', () => {
    read({ name: 'alpha', description: 'beta '.repeat(5000) })
    read({ name: 'gamma' })
    expect([posting('alpha'), posting('beta'), reader.termCount, reader.nameLength]).toEqual([0, 0, 1, 1])
    expect(reader.length).toBe(FIELD_WEIGHT.name)
    expect(fieldBitsIn(posting('gamma'))).toBe(1)
  })

  it('reads no field further than the limit', () => {
    read({
      description: `${'x '.repeat(MOST_FIELD_CHARACTERS / 2)}omega`,
      title: `${' '.repeat(MOST_FIELD_CHARACTERS)}omega`,
    })
    expect(posting('omega')).toBe(0)
  })
})
