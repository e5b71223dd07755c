import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readDataSet } from './data-set.ts'

const TOOL =
  '{"id":"s:a","name":"a","server":"s","serverDescription":"S.","description":"A.","inputSchema":{"type":"object"}}'
const QUERY = '{"id":"q","query":"find a","relevant":["s:a"]}'

describe('readDataSet', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'eval-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const write = (tools: string, queries: string) => {
    writeFileSync(join(folder, 'tools.jsonl'), tools)
    writeFileSync(join(folder, 'queries.jsonl'), queries)
  }

  it('maps rows to tools and queries', () => {
    write(`\uFEFF${TOOL}\r\n\r\n{"id":"b","name":"b"}`, QUERY)
    const set = readDataSet(`${folder}/`)
    expect(folder.endsWith(set.name)).toBe(true)
    expect(set.tools).toEqual([
      {
        id: 's:a',
        name: 'a',
        namespace: 's',
        namespaceDescription: 'S.',
        description: 'A.',
        inputSchema: { type: 'object' },
      },
      { id: 'b', name: 'b' },
    ])
    expect(set.queries).toEqual([{ id: 'q', queries: ['find a'], relevant: new Set(['s:a']) }])
  })

  it('takes the tools of the folder above where queries have none of their own', () => {
    write(TOOL, QUERY)
    mkdirSync(join(folder, 'more'))
    writeFileSync(join(folder, 'more', 'queries.jsonl'), '{"id":"m","query":"suche a","relevant":["s:a"]}')
    const set = readDataSet(join(folder, 'more'))
    expect(set.name).toBe('more')
    expect(set.tools).toEqual(readDataSet(folder).tools)
    expect(set.queries.map(({ id }) => id)).toEqual(['m'])
  })

  it('reads several intents, grades and the kind', () => {
    write(TOOL, '{"id":"q","query":["x","y"],"relevant":["s:a"],"grades":{"s:a":2},"kind":"multi"}')
    expect(readDataSet(folder).queries[0]).toMatchObject({
      queries: ['x', 'y'],
      grades: new Map([['s:a', 2]]),
      kind: 'multi',
    })
  })

  it('reads the questions that no tool answers', () => {
    write(TOOL, QUERY)
    expect(readDataSet(folder).absent).toEqual([])
    const absent = '{"id":"n","query":"fold laundry","present":false,"kind":"absent-other"}'
    writeFileSync(join(folder, 'labels.jsonl'), `{"id":"q","query":"find a","present":true}\n${absent}`)
    expect(readDataSet(folder).absent).toEqual([{ id: 'n', queries: ['fold laundry'], kind: 'absent-other' }])
    writeFileSync(join(folder, 'labels.jsonl'), '{"id":"q","query":"find a","present":"no"}')
    expect(() => readDataSet(folder)).toThrow(/labels\.jsonl:1: present is not true or false\. Make/)
  })

  it('names a folder that does not exist', () => {
    expect(() => readDataSet('/no/such/set')).toThrow('/no/such/set: no such folder. Give a folder')
  })

  it('names a file that is missing', () => {
    writeFileSync(join(folder, 'tools.jsonl'), TOOL)
    expect(() => readDataSet(folder)).toThrow(/queries\.jsonl: cannot be read\. A data set is a folder with/)
  })

  it.each([
    ['', QUERY, /tools\.jsonl: has no rows\. Put/],
    [TOOL, '\n', /queries\.jsonl: has no rows\. Put/],
    [`${TOOL}\n{"id":`, QUERY, /tools\.jsonl:2: is not valid JSON\. Each line/],
    ['[]', QUERY, /tools\.jsonl:1: is not a JSON object\. Each line/],
    ['{"id":"a"}', QUERY, /tools\.jsonl:1: name is missing\. Add name/],
    ['{"id":"a","name":7}', QUERY, /tools\.jsonl:1: name is not a string\. Make/],
    ['{"id":"a","name":"a","inputSchema":[]}', QUERY, /inputSchema is not an object\. Make/],
    [`${TOOL}\n${TOOL}`, QUERY, /tools\.jsonl:2: the id "s:a" occurs twice\. Give/],
    [TOOL, '{"id":"q","query":[],"relevant":["s:a"]}', /queries\.jsonl:1: query is not a list of strings\. Make/],
    [TOOL, '{"id":"q","query":"x"}', /queries\.jsonl:1: relevant is not a list of strings\. Make/],
    [TOOL, '{"id":"q","query":"x","relevant":["s:z"]}', /queries\.jsonl:1: no tool has the id "s:z"\. Correct/],
    [TOOL, '{"id":"q","query":"x","relevant":["s:a"],"grades":{"s:a":"hi"}}', /the grade of "s:a" is not a number/],
  ])('answers %j with %j by naming the place and the remedy', (tools, queries, message) => {
    write(tools, queries)
    expect(() => readDataSet(folder)).toThrow(message)
  })
})
