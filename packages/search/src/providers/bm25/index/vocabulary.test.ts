import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../text/stem.ts'
import { NO_TERM, Vocabulary } from './vocabulary.ts'

describe('Vocabulary', () => {
  it('gives forms of a word their own surface and one term', () => {
    const vocabulary = new Vocabulary()
    const [story, stories] = [vocabulary.intern('story'), vocabulary.intern('stories')]
    expect(story).not.toBe(stories)
    expect(vocabulary.termOf(story)).toBe(vocabulary.termOf(stories))
    expect(vocabulary.intern('stories')).toBe(stories)
    expect([vocabulary.surfaceCount, vocabulary.termCount]).toEqual([2, 1])
    expect(vocabulary.findStemOf('story')).toBe(vocabulary.findTerm(stem('story')))
    expect(vocabulary.surfaceText(stories)).toBe('stories')
    expect(vocabulary.termText(vocabulary.termOf(stories))).toBe(stem('stories'))
  })

  it('takes a part of a text for the word that it is, capitals folded', () => {
    const vocabulary = new Vocabulary()
    const number = vocabulary.internRange('the ReadMe file', 4, 10)
    expect(vocabulary.surfaceText(number)).toBe('readme')
    expect(vocabulary.findSurface('README')).toBe(number)
  })

  it('knows no word that was not added, such as `constructor`', () => {
    const vocabulary = new Vocabulary()
    for (const word of ['__proto__', 'constructor', 'toString']) {
      expect([vocabulary.findTerm(word), vocabulary.findSurface(word)]).toEqual([NO_TERM, NO_TERM])
    }
  })

  it('finds words by their first letter', () => {
    const word = fc.stringMatching(/^[a-c検é][a-z]{0,3}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 30, size: 'max' }), word, (words, asked) => {
        const vocabulary = new Vocabulary()
        for (const one of words) vocabulary.intern(one)
        const like = (texts: string[]) => texts.filter((text) => text[0] === asked[0])
        expect(vocabulary.surfacesLike(asked).numbers.map((number) => vocabulary.surfaceText(number))).toEqual(
          like([...new Set(words)]),
        )
        expect(vocabulary.termsLike(asked).numbers.map((number) => vocabulary.termText(number))).toEqual(
          like([...new Set(words.map(stem))]),
        )
      }),
    )
  })

  it('may look for the forms of a word by first letter: stemming keeps it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,12}$/), (word) => {
        expect(stem(word)[0]).toBe(word[0])
      }),
      { numRuns: 2000 },
    )
  })
})
