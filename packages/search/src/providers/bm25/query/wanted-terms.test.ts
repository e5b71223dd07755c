import { describe, expect, it } from 'vitest'
import { createQueryReader } from '@tooldex/languages'
import { likelyStems, unknownWords, wantedBy, weighTerms } from './wanted-terms.ts'
import { rarity } from '../index/frequency.ts'

describe('wantedBy', () => {
  it('has the words of a query, their other words, and the names that it may be', () => {
    const { words, names, structured, prefixes } = wantedBy('github:create_issue')
    expect(words.map(({ stem }) => stem)).toEqual(expect.arrayContaining(['github', 'creat', 'issu']))
    expect(words.find(({ stem }) => stem === 'creat')?.others.length).toBeGreaterThan(0)
    expect(names).toEqual(expect.arrayContaining(['createissue', 'githubcreateissue']))
    expect([structured, prefixes]).toEqual([false, []])
  })

  it('leaves out what a query excludes, and has the beginnings of words', () => {
    const { words, structured, prefixes } = wantedBy('(file OR Repo*) AND NOT delete')
    expect(words.map(({ word }) => word)).toEqual(['file'])
    expect([structured, prefixes]).toEqual([true, ['repo']])
  })

  it('has no name for a text that is longer than names are', () => {
    expect(wantedBy('word '.repeat(100)).names).toEqual([])
  })
})

describe('wantedBy a foreign query', () => {
  it('has the meanings of its words, as rare as these are', () => {
    const wanted = wantedBy('Rechnung löschen', createQueryReader())
    expect(unknownWords(wanted, new Map())).toEqual([])
    const terms = weighTerms(wanted, 100, new Map([['invoic', 5]]), new Map())
    expect(terms.find(({ stem }) => stem === 'invoic')?.weight).toBe(rarity(5, 100))
    expect(terms.find(({ stem }) => stem === 'delet')?.weight).toBe(rarity(0, 100))
    expect(terms.find(({ stem }) => stem === 'remov')?.weight).toBeLessThan(rarity(0, 100))
  })
})

describe('unknownWords', () => {
  it('are those that no tool has and that have no other words, in short queries without operators', () => {
    const known = new Map([['github', 3]])
    expect(unknownWords(wantedBy('githbu zzyzx create'), known)).toEqual(['githbu', 'zzyzx'])
    expect(unknownWords(wantedBy('zzyzx AND github'), known)).toEqual([])
    expect(unknownWords(wantedBy('one two three four five six seven eight nine zzyzx'), known)).toEqual([])
  })

  it('are near to what was meant', () => {
    expect(likelyStems('githbu', ['gitlab', 'github', 'gist'])).toEqual(['github'])
  })
})

describe('weighTerms', () => {
  it('weighs a word by how rare it is, its other words below it, and a guess by its own rarity', () => {
    const frequencies = new Map([
      ['creat', 5],
      ['github', 2],
    ])
    const wanted = wantedBy('create githbu')
    const terms = weighTerms(wanted, 100, frequencies, new Map([['githbu', ['github']]]))
    const weightOf = (stem: string): number => terms.find((term) => term.stem === stem)?.weight ?? 0
    expect(weightOf('creat')).toBe(rarity(5, 100))
    expect(weightOf('add')).toBeGreaterThan(0)
    expect(weightOf('add')).toBeLessThan(weightOf('creat'))
    expect(weightOf('github')).toBeLessThan(rarity(2, 100))
    expect(
      new Set(terms.filter(({ stem }) => ['creat', 'add'].includes(stem)).map(({ concept }) => concept)).size,
    ).toBe(1)
  })
})
