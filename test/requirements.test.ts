import { describe, expect, it } from 'vitest'
import { isTest, repositoryFiles } from './repository-files.ts'
import { coverageProblems, idsInTitles } from './requirements/coverage.ts'
import { NOT_YET, PROVEN_IN_PART, REQUIREMENTS } from './requirements.ts'

const known = Object.keys(REQUIREMENTS)
const proven = idsInTitles(repositoryFiles((path) => isTest(path) && path !== 'test/requirements.test.ts'))

describe('the requirements', () => {
  it('are each proven by a test or listed as not yet proven', () => {
    expect(coverageProblems(known, proven, { notYet: NOT_YET, inPart: PROVEN_IN_PART })).toEqual([])
  })
})

describe('idsInTitles', () => {
  const ids = (text: string) => [...idsInTitles([{ path: 'a.test.ts', text }]).keys()]

  it('reads one id and several from a title in any quotes', () => {
    expect(ids(`it('[T7] removes', f); test("[T8][R13] ranks", f); it(\n  \`[P9] parses\`, f)`)).toEqual([
      'T7',
      'T8',
      'R13',
      'P9',
    ])
  })

  it('reads the title behind a table', () => {
    expect(ids(`it.each([\n['a', 1],\n])('[P10] takes %s', f)`)).toEqual(['P10'])
  })

  it('ignores ids that are not in the title of a test', () => {
    expect(ids(`const text = '[T7]' // it proves [T8]`)).toEqual([])
    expect(ids(`describe('[T7] the index', f)`)).toEqual([])
  })
})

describe('coverageProblems', () => {
  const tested = new Map([['A1', ['x.test.ts']]])
  const open = new Map([['A1', 'a reason']])
  const none = new Map<string, string>()

  it('names an id that does not exist', () => {
    expect(coverageProblems([], tested, { notYet: none, inPart: none })).toEqual([
      'A1 is no requirement, but x.test.ts names it',
    ])
    const problem = 'A1 is no requirement, but a list of missing proofs names it'
    expect(coverageProblems([], new Map(), { notYet: open, inPart: none })).toEqual([problem])
    expect(coverageProblems([], new Map(), { notYet: none, inPart: open })).toEqual([problem])
  })

  it('accepts an id that is proven, proven in part, or listed as not yet proven', () => {
    expect(coverageProblems(['A1'], tested, { notYet: none, inPart: none })).toEqual([])
    expect(coverageProblems(['A1'], tested, { notYet: none, inPart: open })).toEqual([])
    expect(coverageProblems(['A1'], new Map(), { notYet: open, inPart: none })).toEqual([])
  })

  it('names an id without a test, and an id whose list is wrong about it', () => {
    expect(coverageProblems(['A1'], new Map(), { notYet: none, inPart: none })).toEqual(['A1 is proven by no test'])
    expect(coverageProblems(['A1'], tested, { notYet: open, inPart: none })).toEqual([
      'A1 has a test: take it out of NOT_YET',
    ])
    expect(coverageProblems(['A1'], new Map(), { notYet: open, inPart: open })).toEqual([
      'A1 has no test: PROVEN_IN_PART is wrong about it',
    ])
  })
})
