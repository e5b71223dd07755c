import { describe, expect, it } from 'vitest'
import { RELATED_WORDS, SYNONYM_GROUPS } from './synonym-table.ts'

const WORD = /^[a-z0-9]+(_[a-z0-9]+)*$/
/** Words that say nothing about the tool that is wanted: from them every search would fan out. */
const FILLERS = ['show', 'need', 'help', 'best', 'new', 'want', 'please', 'give', 'tell', 'today', 'tomorrow', 'now']

const groups = SYNONYM_GROUPS.map((group) => group.split(' '))
const related = RELATED_WORDS.map((line) => {
  const [said = '', targets = ''] = line.split(': ')
  return { said, targets: targets.split(' ') }
})

function repeated(words: readonly string[]): string[] {
  return words.filter((word, at) => words.indexOf(word) !== at)
}

describe('SYNONYM_GROUPS', () => {
  it('holds a few hundred groups', () => {
    expect(groups.length).toBeGreaterThanOrEqual(350)
    expect(groups.length).toBeLessThanOrEqual(450)
  })

  it('writes words in lower case, phrases joined by an underscore, one space between', () => {
    expect(groups.flat().filter((word) => !WORD.test(word))).toEqual([])
  })

  it('keeps a group between two and eight words', () => {
    expect(groups.filter((group) => group.length < 2 || group.length > 8)).toEqual([])
  })

  it('names a word once in a group', () => {
    expect(groups.filter((group) => repeated(group).length > 0)).toEqual([])
  })

  it('puts a word into two groups at most', () => {
    const count = new Map<string, number>()
    for (const word of groups.flat()) count.set(word, (count.get(word) ?? 0) + 1)
    expect([...count].filter(([, times]) => times > 2)).toEqual([])
  })

  it('pairs no two words twice', () => {
    const pairs = groups.flatMap((group) => group.flatMap((a) => group.filter((b) => a < b).map((b) => `${a} ${b}`)))
    expect(repeated(pairs)).toEqual([])
  })

  it('leaves filler words out', () => {
    expect(groups.flat().filter((word) => FILLERS.includes(word))).toEqual([])
  })
})

describe('RELATED_WORDS', () => {
  it('holds a few hundred lines', () => {
    expect(related.length).toBeGreaterThanOrEqual(400)
    expect(related.length).toBeLessThanOrEqual(700)
  })

  it('is written as one word, a colon, a space and one to four words', () => {
    const words = related.flatMap(({ said, targets }) => [said, ...targets])
    expect(RELATED_WORDS.filter((line) => line.split(': ').length !== 2)).toEqual([])
    expect(words.filter((word) => !WORD.test(word))).toEqual([])
    expect(related.filter(({ targets }) => targets.length > 4)).toEqual([])
  })

  it('has one line for a word', () => {
    expect(repeated(related.map(({ said }) => said))).toEqual([])
  })

  it('points at no word twice and never at itself', () => {
    expect(related.filter(({ said, targets }) => repeated([said, ...targets]).length > 0)).toEqual([])
  })

  it('repeats nothing that a group already says', () => {
    const said = related.flatMap(({ said, targets }) => targets.map((target) => [said, target] as const))
    expect(said.filter(([a, b]) => groups.some((group) => group.includes(a) && group.includes(b)))).toEqual([])
  })

  it('leaves filler words out', () => {
    expect(related.filter(({ said }) => FILLERS.includes(said))).toEqual([])
  })
})
