import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Random } from '../random.ts'
import { queryTexts, wishOf } from './query-texts.ts'
import { firstSentences, nameWords } from './sentences.ts'
import { toolPairs } from './text-pairs.ts'
import { readToolFolder, type ToolRow, withoutTools } from './tool-rows.ts'
import { MOST_PIECES, toolTexts, trainingTexts } from './training-texts.ts'
import { readWordNet, wordNetTexts } from './wordnet.ts'

const ISSUE: ToolRow = {
  name: 'createIssue',
  server: 'tracker',
  serverDescription: 'Tracks work.',
  description: 'Creates a new issue. Needs a **title**! See the manual.',
  parameters: ['issue_title', 'assignee'],
}

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tooldex-texts-'))
})

afterEach(() => rmSync(folder, { recursive: true }))

describe('sentences', () => {
  it.each([
    ['getUserById', 'get user by id'],
    ['list_pull-requests.v2', 'list pull requests v2'],
    ['parseHTTPServer', 'parse http server'],
  ])('writes the name %s as %j', (name, words) => {
    expect(nameWords(name)).toBe(words)
  })

  it('takes the first sentences, without markup, cut at a word', () => {
    expect(firstSentences(ISSUE.description, 2, 100)).toBe('Creates a new issue. Needs a title !')
    expect(firstSentences('one two three four', 1, 10)).toBe('one two')
  })
})

describe('tool texts', () => {
  it('reads every tools file of a folder and ignores placeholders', () => {
    const rows = [
      { name: 'a', description: 'Description not available', inputSchema: { properties: { path: {} } } },
      { name: 'b', server: 's', description: 'Does b.' },
    ]
    writeFileSync(join(folder, 'tools-1.jsonl'), rows.map((row) => `${JSON.stringify(row)}\n`).join('\n'))
    writeFileSync(join(folder, 'queries.jsonl'), 'never read')
    expect(readToolFolder(folder)).toEqual([
      { name: 'a', server: '', serverDescription: '', description: '', parameters: ['path'] },
      { name: 'b', server: 's', serverDescription: '', description: 'Does b.', parameters: [] },
    ])
  })

  it('leaves out tools of evaluations, in any spelling', () => {
    const written = { ...ISSUE, name: 'create-issue', server: 'other', description: ISSUE.description.toUpperCase() }
    const another = { ...ISSUE, name: 'closeIssue', description: 'Closes an issue.' }
    expect(withoutTools([ISSUE, another], [written])).toEqual([another])
    expect(withoutTools([{ ...ISSUE, description: '' }], [{ ...another, description: '' }])).toHaveLength(1)
  })

  it('has each text once', () => {
    expect(toolTexts([ISSUE, { ...ISSUE, description: '' }])).toEqual([
      'create issue. Creates a new issue. Needs a title ! See the manual.',
      'create issue',
      'Tracks work.',
      'create issue. ',
    ])
  })

  it('leaves out texts that would take the teacher too long', () => {
    const { tools, queries } = trainingTexts([ISSUE], [], (text) => MOST_PIECES + text.split(' ').length - 2, 1)
    expect(tools).toEqual(['create issue', 'Tracks work.'])
    expect(queries).toEqual([])
  })

  it('makes queries from descriptions, or from names if descriptions do not begin with a verb', () => {
    expect(wishOf(ISSUE)).toBe('create a new issue')
    expect(wishOf({ ...ISSUE, description: 'The way to issues' })).toBe('create issue')
    expect(wishOf({ ...ISSUE, name: 'weather', description: 'The weather' })).toBeUndefined()
    const asked = queryTexts([ISSUE], new Random(1))
    expect(asked).toEqual(queryTexts([ISSUE], new Random(1)))
    expect(asked[0]).toMatch(/^[A-Z].* create a new issue( (with|by) .*)?$/)
  })

  it('pairs names with descriptions, unless those are too short', () => {
    expect(toolPairs([ISSUE, { ...ISSUE, description: 'Short.' }])).toEqual([
      { one: 'create issue', other: 'Creates a new issue. Needs a title ! See the manual.', group: 'tracker' },
    ])
  })
})

describe('WordNet texts', () => {
  const LINE =
    '00001 30 v 02 file_away 0 file 1 001 @ 00002 v 0000 | place in a container; "File these bills, please"  '

  beforeEach(() => {
    writeFileSync(join(folder, 'data.verb'), `  1 a line of the licence | not data\n${LINE}\n`)
    writeFileSync(join(folder, 'data.noun'), '')
    writeFileSync(join(folder, 'data.adj'), '00003 00 s 01 odd(a) 0 000 | not even  \n')
  })

  it('reads words, meaning and examples of entries with a common word', () => {
    const synsets = readWordNet(folder, (word) => word === 'file')
    const file = { field: 'verb 30', words: ['file away', 'file'], meaning: 'place in a container' }
    expect(synsets).toEqual([{ ...file, examples: ['File these bills, please'] }])
    expect(wordNetTexts(synsets, new Random(1))).toEqual([
      'file away, file: place in a container',
      'File these bills, please',
    ])
  })

  it('removes the marks of adjectives', () => {
    expect(readWordNet(folder, (word) => word === 'odd').map(({ words }) => words)).toEqual([['odd']])
  })
})
