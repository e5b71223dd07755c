import { describe, expect, it } from 'vitest'
import { ACTION_VERBS, OPPOSED_ACTIONS, OPPOSITES } from './action-table.ts'
import { actionsOf, isBaseVerb, opposedTo, oppositesOf } from './actions.ts'
import { stem } from './stem.ts'

const kinds = (verb: string, atVerbsPlace = true): number => actionsOf(stem(verb), atVerbsPlace)

describe('the tables of actions', () => {
  it('name a verb once in a kind, oppose no kind to itself, and have pairs of opposites', () => {
    for (const verbs of Object.values(ACTION_VERBS)) {
      const words = verbs.replaceAll('?', '').split(' ')
      expect(words.filter((word, place) => words.indexOf(word) !== place)).toEqual([])
    }
    expect(OPPOSED_ACTIONS.filter(([one, other]) => one === other)).toEqual([])
    expect(OPPOSITES.filter((pair) => pair.split(' ').length !== 2)).toEqual([])
  })
})

describe('actionsOf', () => {
  it('gives the kinds that verbs have in common', () => {
    expect(kinds('fetch') & kinds('retrieving')).not.toBe(0)
    expect(kinds('erase') & kinds('create')).toBe(0)
    expect(kinds('trello')).toBe(0)
  })

  it('takes a word that is a noun as well for a verb at a verb’s place only', () => {
    expect(kinds('post', true)).not.toBe(0)
    expect(kinds('post', false)).toBe(0)
    expect(kinds('delete', false)).not.toBe(0)
  })
})

describe('isBaseVerb', () => {
  it('tells a verb from a noun of the same stem', () => {
    expect(isBaseVerb('announce')).toBe(true)
    expect(isBaseVerb('announcement')).toBe(false)
  })
})

describe('opposedTo', () => {
  it('has what serves none of the asked kinds', () => {
    expect(opposedTo(kinds('delete')) & kinds('create')).not.toBe(0)
    expect(opposedTo(kinds('delete')) & kinds('delete')).toBe(0)
    expect(opposedTo(0)).toBe(0)
  })
})

describe('oppositesOf', () => {
  it('goes both ways', () => {
    expect(oppositesOf(stem('upload'))).toContain(stem('download'))
    expect(oppositesOf(stem('download'))).toContain(stem('upload'))
    expect(oppositesOf('trello')).toEqual([])
  })
})
