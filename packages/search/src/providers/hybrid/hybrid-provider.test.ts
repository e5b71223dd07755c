import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../search-provider.ts'
import { toyEmbedder } from '../meaning/toy-embedder.case.ts'
import { describeSearchProvider } from '../provider-contract.case.ts'
import { changeOf, tool } from '../provider-contract-inputs.case.ts'
import { HybridProvider } from './hybrid-provider.ts'

describeSearchProvider('HybridProvider', () => new HybridProvider([toyEmbedder()]), {
  'words-decide': 'it finds neighbours, too',
})

/** Words that share no letter and mean the same, as only an embedder can know. */
const ALIKE = new Map([
  ['gripe', 'issue'],
  ['lodge', 'create'],
  ['rain', 'forecast'],
])

const TOOLS = [
  tool('github:create_issue', 'Open a new issue in a repository'),
  tool('github:list_issues', 'List the issues of a repository'),
  tool('files:delete_directory', 'Delete a directory and all it contains'),
  tool('files:read_file', 'Read a document from disk'),
  tool('weather:forecast', 'Tells the temperature of tomorrow'),
]

const ask = async (queries: string | readonly string[], more: Partial<SearchRequest> = {}) => {
  const provider = new HybridProvider([toyEmbedder('toy', ALIKE)])
  provider.apply(changeOf({ added: TOOLS }))
  return provider.search({ queries: typeof queries === 'string' ? [queries] : queries, maxResults: 10, ...more })
}
const ids = async (query: string) => (await ask(query)).hits.map((hit) => hit.id)

describe('HybridProvider finds', () => {
  it('a tool that shares no word with the query', async () => {
    expect((await ids('lodge a gripe'))[0]).toBe('github:create_issue')
  })

  it('a tool by its words where the meaning is no help', async () => {
    expect((await ids('tomorrow'))[0]).toBe('weather:forecast')
  })

  it.each(['github:list_issues', 'listIssues', 'list issues'])(
    'the tool whose name it is, first: %s',
    async (query) => {
      expect((await ask(query)).hits[0]).toMatchObject({ id: 'github:list_issues', relevance: 1 })
    },
  )

  it.each(['creat isue', 'delte a directry'])('the tool that is meant despite typos: %s', async (query) => {
    expect(['github:create_issue', 'files:delete_directory']).toContain((await ids(query))[0])
  })

  it('the best tool of each part of a request', async () => {
    const { hits } = await ask('Lodge new gripe. Then delete the whole directory. What rain comes tomorrow?')
    expect(hits.slice(0, 3).map((hit) => hit.id)).toEqual(
      expect.arrayContaining(['github:create_issue', 'files:delete_directory', 'weather:forecast']),
    )
  })
})

describe('what an embedder counts beside words', () => {
  const first = async (weight?: number) => {
    const embedder = { ...toyEmbedder('toy', ALIKE), ...(weight === undefined ? {} : { weight }) }
    const provider = new HybridProvider([embedder])
    provider.apply(changeOf({ added: TOOLS }))
    // The words favour directory, the meaning favours issue.
    return (await provider.search({ queries: ['lodge gripe gripe directory'], maxResults: 1 })).hits[0]?.id
  }

  it('is its own to say', async () => {
    expect(await first(0.1)).toBe('files:delete_directory')
    expect(await first(10)).toBe('github:create_issue')
  })

  it.each([Number.NaN, -1, 0, Number.POSITIVE_INFINITY])('is the default where it is %d', async (weight) => {
    expect(await first(weight)).toBe(await first())
  })
})

describe('HybridProvider keeps the query language', () => {
  it.each([
    ['server:files', ['files:delete_directory', 'files:read_file']],
    ['gripe AND server:github', []],
    ['issue NOT list', ['github:create_issue']],
    ['"new issue"', ['github:create_issue']],
    ['delet* OR read*', ['files:delete_directory', 'files:read_file']],
  ])('%s', async (query, expected) => {
    expect((await ids(query)).toSorted()).toEqual(expected)
  })

  it('and reads a lone phrase that no tool has as words', async () => {
    expect((await ids('"lodge a gripe"'))[0]).toBe('github:create_issue')
  })
})

describe('relevance of HybridProvider', () => {
  it('[R13] is absolute: little for what has nothing to do with any tool', async () => {
    const { hits } = await ask('zqxj vvkkw')
    expect(Math.max(0, ...hits.map((hit) => hit.relevance))).toBeLessThan(0.2)
  })

  it('[R13] is high for what means the same in other words', async () => {
    expect((await ask('lodge gripe')).hits[0]?.relevance).toBeGreaterThan(0.3)
  })
})

describe('explanations of HybridProvider', () => {
  it('[R15] say what is meant and what is contained', async () => {
    const { hits } = await ask('lodge a repository gripe', { explain: true })
    expect(hits[0]?.explanation?.text).toBe('means "lodge a repository gripe"; contains "repository" in description')
    expect(hits[0]?.explanation?.matches).toEqual([{ word: 'repository', fields: ['description'] }])
  })

  it('[R15] name the query that was meant among several', async () => {
    const { hits } = await ask(['lodge a gripe', 'rain'], { explain: true })
    expect(hits.find((hit) => hit.id === 'weather:forecast')?.explanation?.text).toMatch(/^means "rain"/)
  })
})

describe('an answer of HybridProvider', () => {
  it('names the embedder whose vectors ranked', async () => {
    expect(await ask('lodge a gripe')).toMatchObject({ answeredBy: 'hybrid', embedder: 'toy' })
  })

  it('is that of bm25 without an embedder, and reports it', async () => {
    const provider = new HybridProvider([])
    provider.apply(changeOf({ added: TOOLS }))
    const answer = await provider.search({ queries: ['open issue'], maxResults: 3 })
    expect(answer).toMatchObject({ answeredBy: 'bm25', degraded: { strategy: 'hybrid', reason: 'no embedder' } })
    expect(answer.hits[0]?.id).toBe('github:create_issue')
    expect(answer.embedder).toBeUndefined()
  })
})
