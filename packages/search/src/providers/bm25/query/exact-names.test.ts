import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../../tool/tool.ts'
import { corpusOf, corpusWithPast, viewOf } from '../index/corpus.case.ts'
import { exactMatches } from './exact-names.ts'

const tool = (id: string, description = ''): IndexedTool => {
  const colon = id.indexOf(':')
  return { id, name: id.slice(colon + 1), description, ...(colon > 0 && { namespace: id.slice(0, colon) }) }
}
const LONG = `get_${'very_'.repeat(20)}long`
const TOOLS = [
  tool('github:create_issue'),
  tool('gitlab:createIssue'),
  tool('github:issue', 'create_issue create issue'),
  tool('github:issues'),
  tool('files:repo/list.all'),
  tool('files:Read File'),
  tool(`files:${LONG}`),
  tool('社内:社内検索'),
  tool('社内:サーバー'),
  tool('constructor'),
  tool('edge:__proto__'),
  tool('edge:🎉'),
]
const corpus = corpusOf(TOOLS)
const exact = (query: string, view = viewOf(corpus), of = corpus) =>
  Object.fromEntries(Array.from(exactMatches(query, of, view), ([document, how]) => [of.tool(document).id, how]))

describe('exactMatches', () => {
  it.each([
    ['github:create_issue', { 'github:create_issue': 3 }],
    ['create_issue', { 'github:create_issue': 2, 'gitlab:createIssue': 1 }],
    [' Create Issue ', { 'github:create_issue': 1, 'gitlab:createIssue': 1 }],
    ['gitlab__create-issue', { 'gitlab:createIssue': 1 }],
    ['GitHub.createIssue', { 'github:create_issue': 1 }],
    ['github create issue', {}],
    ['issue', { 'github:issue': 2 }],
    ['issues', { 'github:issues': 2 }],
    ['create', {}],
    ['repo/list.all', { 'files:repo/list.all': 2 }],
    ['files__repo/list.all', { 'files:repo/list.all': 1 }],
    ['read_file', { 'files:Read File': 1 }],
    [LONG, { [`files:${LONG}`]: 2 }],
    ['社内検索', { '社内:社内検索': 2 }],
    ['ｻｰﾊﾞｰ', { '社内:サーバー': 1 }],
    ['constructor', { constructor: 3 }],
    ['__proto__', { 'edge:__proto__': 2 }],
    ['edge:🎉', { 'edge:🎉': 3 }],
    ['🎉', {}],
    ['', {}],
    ['x'.repeat(301), {}],
  ])('of %j are %j', (query, expected) => expect(exact(query)).toEqual(expected))

  it('sees visible tools only, by name and by key', () => {
    const view = viewOf(corpus, new Set(['gitlab:createIssue']))
    expect(exact('create_issue', view)).toEqual({ 'gitlab:createIssue': 1 })
    for (const hidden of ['github:create_issue', '社内検索', 'issue']) expect(exact(hidden, view)).toEqual({})
  })

  it('forgets names with their tools', () => {
    const past = corpusWithPast(TOOLS, [tool('a:b')])
    for (const { id, name } of TOOLS) {
      expect(exact(name, viewOf(past), past)).toEqual({})
      expect(exact(id, viewOf(past), past)).toEqual({})
    }
  })

  it('takes what a structured query excludes only as it is written', () => {
    const nothing = new Uint8Array(corpus.size)
    const found = (query: string) => exactMatches(query, corpus, viewOf(corpus), nothing).size
    expect(found('Create Issue')).toBe(0)
    expect(found('create_issue')).toBe(1)
    expect(found('github:create_issue')).toBe(1)
  })
})
