import { describe, expect, it } from 'vitest'
import { ABBREVIATIONS } from './abbreviation-table.ts'
import { expandAbbreviations, expansionOf } from './abbreviations.ts'
import { isStopWord } from './stop-words.ts'
import { SYNONYM_GROUPS } from './synonym-table.ts'

describe('ABBREVIATIONS', () => {
  it('are written in lower case, words joined by a plus and alternatives by a slash', () => {
    const wrong = Object.entries(ABBREVIATIONS).filter(
      ([short, long]) => !/^[a-z0-9]+$/.test(short) || !/^[a-z0-9]+([+/][a-z0-9]+)*$/.test(long),
    )
    expect(wrong).toEqual([])
  })

  it('never stand for themselves, for a stop word, or for what a group of synonyms already says', () => {
    const groups = SYNONYM_GROUPS.map((group) => group.split(' '))
    for (const [short, long] of Object.entries(ABBREVIATIONS)) {
      const words = long.split(/[+/]/)
      expect(words.filter((word) => word === short || isStopWord(word))).toEqual([])
      expect(groups.filter((group) => group.includes(short) && words.some((word) => group.includes(word)))).toEqual([])
    }
  })
})

describe('expansionOf', () => {
  it('has the alternatives of each word', () => {
    expect(expansionOf('pr')).toEqual([['pull'], ['request']])
    expect(expansionOf('k8s')).toEqual([['kubernetes', 'kubectl']])
    expect(expansionOf('constructor')).toBeUndefined()
  })
})

describe('expandAbbreviations', () => {
  it('writes out each abbreviation and nothing else', () => {
    expect(expandAbbreviations('List open MRs, then k8s pods')).toBe('List open merge request, then kubernetes pods')
    expect(expandAbbreviations('prepare the report')).toBe('prepare the report')
  })
})
