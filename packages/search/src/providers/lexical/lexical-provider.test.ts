import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../tool/tool.ts'
import { describeSearchProvider } from '../provider-contract.case.ts'
import { changeOf, tool } from '../provider-contract-inputs.case.ts'
import { LexicalProvider } from './lexical-provider.ts'

describeSearchProvider('LexicalProvider', () => new LexicalProvider())

async function find(tools: readonly IndexedTool[], query: string) {
  const provider = new LexicalProvider()
  provider.apply(changeOf({ added: tools }))
  return (await provider.search({ queries: [query], maxResults: 10, explain: true })).hits
}

async function idsFor(tools: readonly IndexedTool[], query: string): Promise<string[]> {
  return (await find(tools, query)).map((hit) => hit.id)
}

describe('LexicalProvider', () => {
  it('[T8] puts a match in the name over one in the namespace over one in description or tags', async () => {
    const tools = [
      tool('a:one', 'about mail'),
      { ...tool('b:two'), tags: ['mail'] },
      tool('mail:three'),
      { ...tool('c:four'), title: 'Mail' },
      tool('d:send_mail_now'),
      { ...tool('e:five'), namespaceDescription: 'A server for mail' },
    ]
    expect(await idsFor(tools, 'mail')).toEqual(['d:send_mail_now', 'c:four', 'mail:three', 'a:one', 'b:two', 'e:five'])
  })

  it('[T8] finds a substring regardless of case, width and the space between', async () => {
    const tools = [tool('x:report', 'Builds the Quarterly\n  Réport for ＡＰＩ users')]
    for (const query of ['QUARTERLY  report', 'arterl', 'report for api']) {
      expect(await idsFor(tools, query)).toEqual(['x:report'])
    }
  })

  it.each(['create pull request', 'createPullRequest', 'create_pull_request', 'Create-Pull-Request'])(
    '[T8] finds both spellings of a name for "%s"',
    async (query) => {
      const tools = [tool('a:createPullRequest'), tool('b:create_pull_request'), tool('c:create_issue')]
      expect((await idsFor(tools, query)).toSorted()).toEqual(['a:createPullRequest', 'b:create_pull_request'])
    },
  )

  it('[T8] prefers the name that the phrase covers more of, and at its start', async () => {
    const tools = [tool('a:reread_file'), tool('b:read_file_in_parts'), tool('c:read'), tool('d:read_file')]
    expect(await idsFor(tools, 'read')).toEqual(['c:read', 'd:read_file', 'b:read_file_in_parts', 'a:reread_file'])
  })

  it('[T8] tries the words where the whole phrase matches nothing, and only there', async () => {
    const tools = [
      tool('a:create_issue'),
      tool('b:close_issue'),
      tool('c:send_mail', 'Please create the issue by mail'),
    ]
    expect(await idsFor(tools, 'create the issue')).toEqual(['c:send_mail'])
    expect(await idsFor(tools, 'issue, create!')).toEqual(['a:create_issue', 'c:send_mail', 'b:close_issue'])
  })

  it('[T8] takes an identifier among words apart and whole', async () => {
    const tools = [tool('a:createPullRequest'), tool('b:create_pull_request'), tool('c:close_pull')]
    expect(await idsFor(tools, 'how does createPullRequest work')).toEqual([
      'a:createPullRequest',
      'b:create_pull_request',
    ])
  })

  it('[T8] leaves out stop words while something else remains', async () => {
    const tools = [tool('a:about', 'to and from the'), tool('b:translate')]
    expect(await idsFor(tools, 'I want to translate, please')).toEqual(['b:translate'])
    expect(await idsFor(tools, 'the from')).toEqual(['a:about'])
  })

  it('[T8] counts the beginning of a word more than its inside', async () => {
    expect(await idsFor([tool('a:restart_x'), tool('b:x_restart_art')], 'art, unknown')).toEqual([
      'b:x_restart_art',
      'a:restart_x',
    ])
  })

  it('keeps punctuation that carries the meaning', async () => {
    const tools = [tool('a:compile', 'Compiles C++'), tool('b:copy', 'Copies')]
    expect(await idsFor(tools, 'c++')).toEqual(['a:compile'])
  })

  it('prefers the name as it is written over one that only sounds the same', async () => {
    const tools = [{ ...tool('a:readFile', 'readFile'), title: 'readFile' }, tool('b:read_file')]
    expect(await idsFor(tools, 'read_file')).toEqual(['b:read_file', 'a:readFile'])
    expect(await idsFor(tools, 'readFile')).toEqual(['a:readFile', 'b:read_file'])
  })

  it('takes the exposed name for the key', async () => {
    const [hit] = await find([tool('github:create_issue'), tool('gitlab:create_issue')], 'github__create_issue')
    expect(hit).toMatchObject({ id: 'github:create_issue', relevance: 1 })
  })

  it('[R13] gives a match of some words a lower relevance than one of all', async () => {
    const tools = [tool('a:create_issue')]
    const [all] = await find(tools, 'issue, create')
    const [half] = await find(tools, 'issue, destroy')
    expect(half?.relevance).toBe((all?.relevance ?? 0) / 2)
  })

  it('[R15] names the phrase, or the words that it fell back to', async () => {
    const tools = [tool('github:create_issue', 'Opens an issue')]
    expect((await find(tools, 'issue'))[0]?.explanation?.text).toBe('"issue" in name, description')
    expect((await find(tools, 'issue on GitHub'))[0]?.explanation?.text).toBe(
      '"issue" in name, description · "github" in server',
    )
  })

  it('finds Japanese by a part of the sentence', async () => {
    expect(await idsFor([tool('a:x', 'ﾌｧｲﾙを検索します'), tool('b:y', '天気')], 'ファイルを検索')).toEqual(['a:x'])
  })
})
