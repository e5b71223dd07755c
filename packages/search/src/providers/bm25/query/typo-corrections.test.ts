import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../text/stem.ts'
import { typoCorrections, editDistance } from './typo-corrections.ts'
import { Vocabulary } from '../index/vocabulary.ts'

/** The distance by its definition, without a limit. */
function distance(a: string, b: string): number {
  const table = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => i + j))
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? at(i - 2, j - 2) + 1 : Infinity
      const row = table[i] as number[]
      row[j] = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + same, swap)
    }
  }
  return at(a.length, b.length)
}

const word = fc.stringMatching(/^[abe]{0,9}$/)

describe('editDistance', () => {
  it('counts letters added, left out, changed or swapped, up to the limit', () => {
    fc.assert(
      fc.property(word, word, fc.nat({ max: 3 }), (a, b, most) => {
        expect(Math.min(editDistance(a, b, most), most + 1)).toBe(Math.min(distance(a, b), most + 1))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('typoCorrections', () => {
  const vocabularyOf = (words: readonly string[]): Vocabulary => {
    const vocabulary = new Vocabulary()
    for (const one of words) vocabulary.intern(one)
    return vocabulary
  }
  const nearby = (asked: string, words: readonly string[], hidden: readonly string[] = []): string[] => {
    const vocabulary = vocabularyOf(words)
    const hasTerm = (term: number): boolean => !hidden.map(stem).includes(vocabulary.termText(term))
    const hasSurface = (surface: number): boolean => !hidden.includes(vocabulary.surfaceText(surface))
    return typoCorrections(asked, vocabulary, { hasTerm, hasSurface }).map((term) => vocabulary.termText(term))
  }

  it.each([
    ['isue', ['issue', 'use'], ['issu']],
    ['fodler', ['folder', 'fiddler'], ['folder']],
    ['cat', ['car'], []],
    ['kitten', ['mitten'], []],
    ['s3bukket', ['s3bucket'], []],
    ['dokumnts', ['document'], ['document']],
    ['repository', ['depository'], []],
    ['configuraton', ['configuration'], ['configur']],
    ['notifcations', ['notifications', 'notes'], ['notif']],
  ])('of %s among %j is %j', (asked, words, expected) => expect(nearby(asked, words)).toEqual(expected))

  it('has the nearest terms only, and allows a second edit in long words only', () => {
    expect(nearby('boats', ['boasts', 'boots'])).toEqual(['boast', 'boot'])
    expect(nearby('authentic', ['authantik', 'authentik', 'authantik'])).toEqual(['authentik'])
    expect(nearby('authentic', ['authentik', 'authantik'])).toEqual(['authentik'])
    expect(nearby('authentic', ['authantik'])).toEqual(['authantik'])
    expect(nearby('boats', ['bzzts'])).toEqual([])
  })

  it('leaves no trace of terms that do not exist for the search', () => {
    expect(nearby('issues', ['issuez', 'ixxues'], ['issuez'])).toEqual(nearby('issues', ['ixxues']))
  })

  it('equals measuring every term', () => {
    const letters = fc.stringMatching(/^[abe]{3,10}$/)
    fc.assert(
      fc.property(letters, fc.uniqueArray(letters, { maxLength: 15, size: 'max' }), (asked, words) => {
        const far = (text: string): number => {
          const written = words.filter((one) => stem(one) === text && one.length >= 4 && one[0] === asked[0])
          const stems = text.length >= 3 && text[0] === asked[0] ? [asked, stem(asked)] : []
          return Math.min(
            ...stems.map((one) => distance(one, text)),
            ...written.map((one) => distance(asked, one)),
            Infinity,
          )
        }
        const stems = [...new Set(words.map(stem))]
        const measured = stems.map((text) => ({ text, far: far(text) }))
        const nearest = Math.min(asked.length < 4 ? -1 : asked.length >= 8 ? 2 : 1, ...measured.map(({ far }) => far))
        expect(nearby(asked, words)).toEqual(measured.filter(({ far }) => far <= nearest).map(({ text }) => text))
      }),
      { numRuns: 500 },
    )
  })

  it('does not compare very short or long words', () => {
    expect(nearby('a'.repeat(41), ['a'.repeat(42)])).toEqual([])
    expect(nearby('a'.repeat(40), ['a'.repeat(41)])).toHaveLength(1)
  })
})
