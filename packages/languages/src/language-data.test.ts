import { describe, expect, it } from 'vitest'
import { isStopWord, normaliseText } from '@tooldex/search/text'
import { Dictionary } from './dictionary.ts'
import { LANGUAGE_DATA, readEntries, type SpacedLanguage, wordsIn } from './language-data.ts'

const MEANING = /^[a-z]+(?:[/+][a-z]+)*$/
const PHRASE = /^[\p{L}\p{N}ー]+(?:_[\p{L}\p{N}]+)*$/u

describe.each(Object.entries({ ...LANGUAGE_DATA.spaced, japanese: LANGUAGE_DATA.japanese }))(
  'the table of %s',
  (_language, table) => {
    const entries = Object.entries(table.entries).map(([meaning, phrases]) => [meaning, phrases.split(' ')] as const)

    it('has for each meaning a phrase or more, one space between', () => {
      expect(entries.filter(([meaning]) => !MEANING.test(meaning))).toEqual([])
      expect(entries.filter(([, phrases]) => !phrases.every((phrase) => PHRASE.test(phrase)))).toEqual([])
    })

    it('has each phrase of a meaning once', () => {
      expect(entries.filter(([, phrases]) => new Set(phrases).size < phrases.length)).toEqual([])
    })

    it('has at most four alternatives for the meaning of a phrase', () => {
      const meanings = [...readEntries(table, (text) => text).values()]
      expect(meanings.flat().filter((ways) => ways.length === 0 || ways.length > 4)).toEqual([])
      expect(meanings.length).toBeGreaterThan(700)
    })

    it('has less than 40 kB', () => {
      expect(new TextEncoder().encode(JSON.stringify(table)).length).toBeLessThan(40_000)
    })
  },
)

describe('readEntries', () => {
  const read = (entries: Readonly<Record<string, string>>) =>
    Object.fromEntries(readEntries({ functionWords: [], entries }, (text) => text.toLowerCase()))

  it('reads words that are all meant, and alternatives', () => {
    expect(read({ 'pull+request/change': 'Änderung' })).toEqual({ änderung: [['pull'], ['request', 'change']] })
  })

  it('joins the alternatives of several entries, four at most', () => {
    expect(read({ 'a/b': 'x', 'b/c/d/e': 'x y' })).toEqual({ x: [['a', 'b', 'c', 'd']], y: [['b', 'c', 'd', 'e']] })
    expect(read({ 'a+b': 'x', c: 'x' })).toEqual({ x: [['a'], ['b']] })
  })
})

describe('the common words of English', () => {
  it('are in no dictionary, in any inflection', () => {
    const dictionaries = Object.entries(LANGUAGE_DATA.spaced).map(
      ([language, table]) => new Dictionary(language as SpacedLanguage, table),
    )
    const words = wordsIn(LANGUAGE_DATA.english.commonWords)
    expect(words.length).toBeGreaterThan(500)
    expect(words.filter((word) => dictionaries.some((one) => one.find([word], 0) !== undefined))).toEqual([])
  })
})

describe('the words of neighbours', () => {
  const words = wordsIn(Object.values(LANGUAGE_DATA.neighbours.words).flat())

  it('are folded, of two letters or more, and no stop words of English', () => {
    expect(words.filter((word) => word.length < 2 || normaliseText(word) !== word || isStopWord(word))).toEqual([])
  })
})
