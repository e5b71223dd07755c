import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isStopWord } from '../../../text/stop-words.ts'
import { MOST_QUERY_TERMS } from '../parameters.ts'
import { queryWords } from './query-terms.ts'

const words = (text: string): string[] => queryWords(text).terms.map((term) => term.word)
const pairs = (text: string): string[] => queryWords(text).pairs.map(({ first, second }) => `${first} ${second}`)

describe('queryWords', () => {
  it('drops stop words while something else remains', () => {
    expect(words('how do I read the file')).toEqual(['read', 'file'])
    expect(words('how to do it')).toEqual(['how', 'to', 'do', 'it'])
    expect(words('ファイルはどこですか')).not.toContain('どこ')
    expect(words('どこ')).toEqual(['どこ'])
    expect(words('  …!? ')).toEqual([])
  })

  it('has a word once, with how often it occurs in any form', () => {
    const { terms } = queryWords('file Files filing folder')
    expect(terms.map(({ word, stem, count }) => ({ word, stem, count }))).toEqual([
      { word: 'file', stem: 'file', count: 3 },
      { word: 'folder', stem: 'folder', count: 1 },
    ])
  })

  it('tells the whole of an identifier from a word of its own', () => {
    const isWhole = (text: string, word: string) => queryWords(text).terms.find((term) => term.word === word)?.isWhole
    expect(isWhole('readFile', 'readfile')).toBe(true)
    expect(isWhole('readFile', 'file')).toBe(false)
    expect(isWhole('readFile readfile', 'readfile')).toBe(false)
    expect(isWhole('readfile readFile', 'readfile')).toBe(false)
  })

  it('pairs useful neighbours by their stems, each pair once', () => {
    expect(pairs('reading files reading files')).toEqual(['read file', 'file read'])
    expect(pairs('read the file')).toEqual([])
    expect(pairs('readFile now')).toEqual(['read file'])
    expect(pairs('of it')).toEqual(['of it'])
  })

  it('finds other words for two words together, also where one of them is a stop word', () => {
    const synonyms = (text: string, word: string): string[] =>
      queryWords(text)
        .terms.filter((term) => term.word === word)
        .flatMap((term) => term.synonyms.map(({ stem }) => stem))
    expect(synonyms('open pull request', 'request')).toContain('mergerequest')
    expect(synonyms('open request', 'request')).not.toContain('mergerequest')
    expect(synonyms('turn on lights', 'turn')).toContain('activ')
    expect(synonyms('turn lights', 'turn')).not.toContain('activ')
    expect(synonyms('turn on '.repeat(99), 'turn')).toEqual(synonyms('turn on now', 'turn'))
  })

  it('keeps to its limits and to words that are there, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 80 }), (text) => {
        const { terms } = queryWords(text)
        const useful = terms.filter(({ word }) => !isStopWord(word))
        expect(useful.length === 0 || useful.length === terms.length).toBe(true)
        expect(terms.every(({ word, stem, count }) => word !== '' && stem !== '' && count > 0)).toBe(true)
      }),
    )
    const many = queryWords(Array.from({ length: 1000 }, (_, i) => `word${i}x`).join(' '))
    expect(many.terms).toHaveLength(MOST_QUERY_TERMS)
    expect(many.pairs.length).toBeLessThanOrEqual(MOST_QUERY_TERMS)
  })

  it.each([
    ['file a bug', ['creat', 'bug']],
    ['I want to file an appeal', ['creat', 'appeal']],
    ['read a file', ['read', 'file']],
    ['delete file a', ['delet', 'file']],
  ])('tells the verb from the noun in %j', (text, expected) => {
    const stems = queryWords(text).terms.map((term) => term.stem)
    expect(expected.filter((one) => !stems.includes(one))).toEqual([])
    expect(stems.includes('file')).toBe(expected.includes('file'))
  })
})
