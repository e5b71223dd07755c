import { describe, expect, it } from 'vitest'
import { isTest, repositoryFiles } from './repository-files.ts'
import { coverageProblems, idsInTitles } from './requirements/coverage.ts'
import { NOT_YET, REQUIREMENTS } from './requirements.ts'

const known = Object.keys(REQUIREMENTS)
const proven = idsInTitles(repositoryFiles((path) => isTest(path) && path !== 'test/requirements.test.ts'))

describe('the requirements', () => {
  it('are each proven by a test or listed as not yet proven', () => {
    expect(coverageProblems(known, proven, NOT_YET)).toEqual([])
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

  it('ignores ids that are not in a title', () => {
    expect(ids(`const text = '[T7]' // it proves [T8]`)).toEqual([])
  })
})

describe('coverageProblems', () => {
  it('names an id that does not exist', () => {
    expect(coverageProblems(['A1'], new Map([['A9', ['x.test.ts']]]), new Set(['A1']))).toEqual([
      'A9 is no requirement, but x.test.ts names it',
    ])
    expect(coverageProblems([], new Map(), new Set(['A9']))).toEqual(['A9 is no requirement, but NOT_YET names it'])
  })

  it('lets the list of what is not yet proven only shrink', () => {
    expect(coverageProblems(['A1'], new Map([['A1', ['x.test.ts']]]), new Set(['A1']))).toEqual([
      'A1 is proven: take it out of NOT_YET',
    ])
    expect(coverageProblems(['A1'], new Map(), new Set())).toEqual(['A1 is proven by no test'])
  })
})
