import { describe, expect, it } from 'vitest'
import type { QueryReader, QueryReading } from '../../query/query-reader.ts'
import type { SearchRequest } from '../search-provider.ts'
import type { IndexedTool } from '../../tool/tool.ts'
import { describeSearchProvider } from '../provider-contract.case.ts'
import { Bm25Provider } from './bm25-provider.ts'

describeSearchProvider('Bm25Provider', () => new Bm25Provider())

const tool = (id: string, description = '', more: Partial<IndexedTool> = {}): IndexedTool => {
  const [namespace = '', name = ''] = id.split(':')
  return { id, namespace, name, description, ...more }
}

const TOOLS: readonly IndexedTool[] = [
  tool('github:create_issue', 'Open a new issue in a repository'),
  tool('github:createPullRequest', 'Propose changes of a branch for review'),
  tool('github:list_issues', 'List the issues of a repository'),
  tool('github:archive_issue', 'Archive an old issue'),
  tool('files:delete_directory', 'Delete a directory and all it contains'),
  tool('files:read_file', 'Read a document from disk', {
    inputSchema: { properties: { encoding: { enum: ['latin1', 'utf8'], description: 'Character set' } } },
  }),
  tool('sales:get_invoice', 'Fetch an invoice of a customer'),
  tool('社内:search', '社内のドキュメントを検索します'),
  tool('天気:forecast', '東京などの天気予報を取得する'),
]

const ask = async (query: string | readonly string[], more: Partial<SearchRequest> = {}) => {
  const provider = new Bm25Provider()
  provider.apply({ added: TOOLS, changed: [], removed: [] })
  const queries = typeof query === 'string' ? [query] : query
  return (await provider.search({ queries, maxResults: 10, ...more })).hits
}
const ids = async (query: string): Promise<string[]> => (await ask(query)).map((hit) => hit.id)
const first = async (query: string): Promise<string | undefined> => (await ids(query))[0]

describe('Bm25Provider finds', () => {
  it.each([
    'createPullRequest',
    'create_pull_request',
    'create-pull-request',
    'creating a pull request',
    'CREATE PULL REQUESTS',
  ])('a tool however its words are written: %s', async (query) =>
    expect(await first(query)).toBe('github:createPullRequest'),
  )

  it.each(['github:create_issue', 'github__create_issue', 'GitHub.createIssue', 'create issue'])(
    'the tool whose name or key the query is, first and fully relevant: %s',
    async (query) => expect((await ask(query))[0]).toMatchObject({ id: 'github:create_issue', relevance: 1 }),
  )

  it('a tool with the same meaning in other words', async () => {
    expect(await first('wipe a folder')).toBe('files:delete_directory')
  })

  it('the tool that is meant despite a typo', async () => {
    expect(await first('creat isue')).toBe('github:create_issue')
  })

  it('a tool by the value of one of its parameters', async () => {
    expect(await first('latin1')).toBe('files:read_file')
  })

  it.each([
    ['社内ドキュメントを検索したい', '社内:search'],
    ['明日の天気を教えてください', '天気:forecast'],
    ['ﾄﾞｷｭﾒﾝﾄ', '社内:search'],
  ])('a Japanese tool for the Japanese question %s', async (query, id) => expect(await first(query)).toBe(id))

  it('something for a query of nothing but stop words that tools have', async () => {
    expect(await ids('of all it')).toContain('files:delete_directory')
  })
})

describe('the query language', () => {
  it('[P9] takes AND, OR, NOT, parentheses, phrases, fields and prefixes', async () => {
    expect(await ids('github AND issue')).toEqual(expect.arrayContaining(['github:create_issue', 'github:list_issues']))
    expect(await ids('github AND invoice')).toEqual([])
    expect(await ids('invoice OR forecast')).toEqual(expect.arrayContaining(['sales:get_invoice', '天気:forecast']))
    expect(await ids('issue NOT archive')).not.toContain('github:archive_issue')
    expect(await ids('(invoice OR directory) AND server:files')).toEqual(['files:delete_directory'])
    expect(await ids('description:"new issue"')).toEqual(['github:create_issue'])
    expect(await ids('description:"issue new"')).toEqual([])
    expect(await ids('name:creat*')).toEqual(['github:create_issue', 'github:createPullRequest'])
    expect((await ids('NOT issue')).length).toBe(TOOLS.length - 3)
  })

  it('[P10] searches a query that does not parse as words', async () => {
    for (const query of [
      '"create issue',
      '(create issue',
      'create issue)',
      'name: create issue',
      'AND create issue OR',
    ]) {
      expect(await first(query), query).toBe('github:create_issue')
    }
  })

  it('searches a lone phrase that no tool has as words', async () => {
    expect(await first('"issue creating please"')).toBe('github:create_issue')
  })
})

describe('relevance', () => {
  it('[R13] is absolute: a tool that shares one of many words is far from 1', async () => {
    const [hit] = await ask('issue a boarding pass for the zebra airline tomorrow morning')
    expect(hit?.relevance).toBeGreaterThan(0)
    expect(hit?.relevance).toBeLessThan(0.4)
  })

  it('[R13] is high where every word is in the name', async () => {
    expect((await ask('deleting directories'))[0]?.relevance).toBeGreaterThan(0.75)
  })

  it('does not rise with a keyword repeated a hundred times', async () => {
    const provider = new Bm25Provider()
    const stuffed = tool('spam:helper', `${'invoice '.repeat(100)}best`)
    provider.apply({ added: [...TOOLS, stuffed], changed: [], removed: [] })
    const { hits } = await provider.search({ queries: ['get an invoice'], maxResults: 3 })
    expect(hits[0]?.id).toBe('sales:get_invoice')
  })
})

describe('several queries', () => {
  it('[R14] put the best tool of each intent on top', async () => {
    const hits = await ask(['fetch an invoice', 'delete a directory'])
    expect(hits.slice(0, 2).map((hit) => hit.id)).toEqual(
      expect.arrayContaining(['sales:get_invoice', 'files:delete_directory']),
    )
  })
})

describe('explanation', () => {
  it('[R15] names words and fields, and the word that stood for another', async () => {
    const [hit] = await ask('wipe a directory', { explain: true })
    expect(hit?.explanation?.text).toBe('"wipe → delete" in name, description · "directory" in name, description')
  })
})

describe('Bm25Provider with a query reader', () => {
  const reading = (text: string): QueryReading => ({
    language: 'toy',
    parts: [{ text, kind: 'phrase', meaning: [['archive'], ['issue']] }],
    english: 'archive issue',
    shareRead: 1,
  })
  const asked: string[] = []
  const queryReader: QueryReader = {
    read(text) {
      asked.push(text)
      return text.startsWith('xyz') ? reading(text) : undefined
    },
  }
  const provider = new Bm25Provider({ queryReader })
  provider.apply({ added: TOOLS, changed: [], removed: [] })
  const found = async (query: string) => (await provider.search({ queries: [query], maxResults: 1 })).hits[0]?.id

  it('ranks by the meanings that the reader gives', async () => {
    expect(await found('xyz abc')).toBe('github:archive_issue')
    expect(asked).toContain('xyz abc')
    expect(await first('xyz abc')).toBeUndefined()
  })

  it('ranks by the words as typed where the reader gives none', async () => {
    expect(await found('create issue')).toBe('github:create_issue')
  })
})
