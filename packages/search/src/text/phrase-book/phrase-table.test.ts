import { describe, expect, it } from 'vitest'
import { FRENCH } from './french.ts'
import { GERMAN } from './german.ts'
import { JAPANESE } from './japanese.ts'
import { readPhrases } from './phrase-table.ts'
import { PORTUGUESE } from './portuguese.ts'
import { SPANISH } from './spanish.ts'

const MEANING = /^[a-z]+(?:[/+][a-z]+)*$/
const PHRASE = /^[\p{L}\p{N}ー]+(?:_[\p{L}\p{N}]+)*$/u

describe.each([GERMAN, FRENCH, SPANISH, PORTUGUESE, JAPANESE])('the table of $language', (table) => {
  const lines = table.phrases
    .trim()
    .split('\n')
    .map((line) => line.split(' '))

  it('has on each line a meaning and a phrase or more, one space between', () => {
    expect(lines.filter(([meaning = '']) => !MEANING.test(meaning))).toEqual([])
    expect(lines.filter(([, ...phrases]) => phrases.length === 0 || !phrases.every((one) => PHRASE.test(one)))).toEqual(
      [],
    )
  })

  it('has each meaning on one line, and each phrase once there', () => {
    const meanings = lines.map(([meaning]) => meaning)
    expect(meanings.filter((meaning, at) => meanings.indexOf(meaning) !== at)).toEqual([])
    expect(lines.filter((line) => new Set(line).size < line.length - 1)).toEqual([])
  })

  it('has no more than four ways to say what a phrase means', () => {
    const meanings = [...readPhrases(table, (text) => text).values()]
    expect(meanings.flat().filter((ways) => ways.length === 0 || ways.length > 4)).toEqual([])
    expect(meanings.length).toBeGreaterThan(700)
  })

  it('has less than 40 kB', () => {
    expect(new TextEncoder().encode(table.phrases + table.smallWords).length).toBeLessThan(40_000)
  })
})

describe('readPhrases', () => {
  const table = (phrases: string) => ({ language: 'german', smallWords: '', phrases }) as const
  const read = (phrases: string) => Object.fromEntries(readPhrases(table(phrases), (text) => text.toLowerCase()))

  it('reads words that are all meant, and words of which one is', () => {
    expect(read('\npull+request/change Änderung\n')).toEqual({ änderung: [['pull'], ['request', 'change']] })
  })

  it('joins the ways of several lines, four at most', () => {
    expect(read('a/b x\nb/c/d/e x y')).toEqual({ x: [['a', 'b', 'c', 'd']], y: [['b', 'c', 'd', 'e']] })
    expect(read('a+b x\nc x')).toEqual({ x: [['a'], ['b']] })
  })
})
