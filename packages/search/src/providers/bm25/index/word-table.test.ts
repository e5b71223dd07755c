import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { NO_WORD, WordTable } from './word-table.ts'

const word = fc.oneof(
  fc.stringMatching(/^[a-c]{1,3}$/),
  fc.constantFrom('__proto__', 'constructor', 'é', '検索', '\ud800', 'hasownproperty'),
)

describe('WordTable', () => {
  it('numbers words like a Map, found anywhere in a text', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60, size: 'max' }), fc.string(), (words, before) => {
        const table = new WordTable()
        const model = new Map<string, number>()
        for (const one of words) {
          const found = table.find(`${before}${one} after`, before.length, before.length + one.length)
          expect(found).toBe(model.get(one) ?? NO_WORD)
          if (found === NO_WORD) model.set(one, table.add(one))
        }
        expect(table.size).toBe(model.size)
        for (const [one, number] of model) expect(table.word(number)).toBe(one)
      }),
      { numRuns: 200 },
    )
  })

  it('folds ASCII capitals and no others', () => {
    const table = new WordTable()
    const [readme, az] = [table.add('readme'), table.add('az')]
    table.add('é')
    expect(table.find('see README.md', 4, 10)).toBe(readme)
    expect(table.find('AZ', 0, 2)).toBe(az)
    expect(table.find('É', 0, 1)).toBe(NO_WORD)
    // One below A, one above Z: 0x20 away from letters or signs that they must not be taken for.
    expect(table.find('re@dme', 0, 6)).toBe(NO_WORD)
    table.add('{')
    expect(table.find('[', 0, 1)).toBe(NO_WORD)
  })

  it('finds all words after growing many times', () => {
    const table = new WordTable()
    const words = Array.from({ length: 20_000 }, (_, i) => `w${i}`)
    for (const one of words) table.add(one)
    expect(words.every((one, number) => table.find(one, 0, one.length) === number)).toBe(true)
    expect(table.find('w20000', 0, 6)).toBe(NO_WORD)
    expect(table.word(20_000)).toBe('')
  })
})
