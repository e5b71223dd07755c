import { describe, expect, it } from 'vitest'
import { stem } from './stem.ts'
import { RELATED_WORDS, SYNONYM_GROUPS } from './synonym-table.ts'
import { synonymsOf } from './synonyms.ts'

const closeness = (from: string, to: string): number | undefined =>
  synonymsOf(from).find((synonym) => synonym.stem === stem(to))?.closeness

describe('synonymsOf', () => {
  it('gives every word of a group for every other, both ways', () => {
    const single = SYNONYM_GROUPS.map((group) => group.split(' ').filter((word) => !word.includes('_')))
    for (const group of single) {
      for (const from of group) {
        for (const to of group.filter((word) => stem(word) !== stem(from))) {
          expect(closeness(stem(from), to), `${from} ${to}`).toBe(1)
        }
      }
    }
  })

  it('gives a related word one way, for less', () => {
    for (const line of RELATED_WORDS) {
      const [from = '', targets = ''] = line.split(': ')
      const key = from.split('_').map(stem).join('_')
      for (const to of targets.split(' ').filter((word) => !word.includes('_') && stem(word) !== key)) {
        expect(closeness(key, to), line).toBeGreaterThanOrEqual(0.7)
      }
    }
  })

  it('asks for a phrase by its stems joined, and finds it as one word or, for less, by its words', () => {
    const [from, to] = ['enable', 'turn_on']
    expect(SYNONYM_GROUPS.some((group) => group.split(' ').includes(from) && group.split(' ').includes(to))).toBe(true)
    expect(closeness(to, from)).toBe(1)
    expect(closeness(stem(from), 'turnon')).toBe(1)
    expect(closeness(stem(from), 'turn')).toBe(0.5)
  })

  it('never gives a word for itself, nor a synonym twice', () => {
    const keys = SYNONYM_GROUPS.flatMap((group) => group.split(' ')).map((word) => word.split('_').map(stem).join('_'))
    for (const key of keys) {
      const stems = synonymsOf(key).map((synonym) => synonym.stem)
      expect(new Set(stems).size).toBe(stems.length)
      expect(stems).not.toContain(key)
    }
  })

  it.each(['', 'zyzzyva', '__proto__', 'constructor', 'toString'])('has nothing for %j', (word) => {
    expect(synonymsOf(word)).toEqual([])
  })
})
