import { describe, expect, it } from 'vitest'
import { processorMs } from '../../../../../test/kit/processor-time.ts'
import type { IndexedTool } from '../../tool/tool.ts'
import { describeSearchProvider } from '../provider-contract.case.ts'
import { changeOf, tool } from '../provider-contract-inputs.case.ts'
import { RegexProvider, type RegexProviderOptions } from './regex-provider.ts'

describeSearchProvider('RegexProvider', () => new RegexProvider())

function holding(tools: readonly IndexedTool[], options?: RegexProviderOptions): RegexProvider {
  const provider = new RegexProvider(options)
  provider.apply(changeOf({ added: tools }))
  return provider
}

async function find(tools: readonly IndexedTool[], ...queries: string[]) {
  return (await holding(tools).search({ queries, maxResults: 10, explain: true })).hits
}

async function idsFor(tools: readonly IndexedTool[], ...queries: string[]): Promise<string[]> {
  return (await find(tools, ...queries)).map((hit) => hit.id)
}

const TOOLS = [
  tool('filesystem:list_directory', 'Lists a folder'),
  tool('filesystem:read_file', 'Reads a file'),
  tool('filesystem:write_file', 'Writes a file'),
  tool('web:fetch_url', 'Fetches a page'),
]

describe('RegexProvider', () => {
  it.each([
    ['READ.*', ['filesystem:read_file']],
    ['(read|write)_file', ['filesystem:read_file', 'filesystem:write_file']],
    ['^fetch', ['web:fetch_url']],
    ['_file$', ['filesystem:read_file', 'filesystem:write_file']],
    ['^filesystem__read', ['filesystem:read_file']],
    ['^web:', ['web:fetch_url']],
    ['[[:alpha:]]+_url', ['web:fetch_url']],
    ['\\w+ page$', ['web:fetch_url']],
    ['\\Aread', ['filesystem:read_file']],
    ['\\Afetches', ['web:fetch_url']],
    ['_url\\z', ['web:fetch_url']],
    ['(?-m)^fetches', ['web:fetch_url']],
    ['(?-i)READ', []],
    ['\\QREAD_FILE\\E', ['filesystem:read_file']],
    ['no such', []],
  ])('finds by %s, ignoring case', async (pattern, ids) => {
    expect((await idsFor(TOOLS, pattern)).toSorted()).toEqual(ids)
  })

  it('looks for a pattern that does not compile as it stands', async () => {
    const tools = [...TOOLS, tool('x:call', 'Takes f(x as it is'), tool('y:back', 'Knows (?=a) well')]
    expect(await idsFor(tools, 'F(X')).toEqual(['x:call'])
    expect(await idsFor(tools, '(?=a)')).toEqual(['y:back'])
  })

  it('takes 200 characters as a pattern and looks for 201 as they stand', async () => {
    const longest = `read|${'x'.repeat(195)}`
    expect(await idsFor(TOOLS, longest)).toEqual(['filesystem:read_file'])
    expect(await idsFor(TOOLS, `${longest}x`)).toEqual([])
    expect(await idsFor([tool('a:b', `Says ${longest}X.`)], `${longest}x`)).toEqual(['a:b'])
  })

  it('takes a pattern with a huge program as it stands', async () => {
    expect(await idsFor([tool('a:b', 'w'.repeat(2_000))], '\\w{900}\\w{900}')).toEqual([])
  })

  it.each(['(a+)+$', '(a|aa)+$', '(a|b|ab)*c', '([a-zA-Z]+)*$', '(x+x+)+y', '^(\\w+\\s?)*$'])(
    'holds %s against long text in little time',
    async (pattern) => {
      const provider = holding([tool('a:long', `${'a'.repeat(1_000_000)}!`)])
      // A backtracking engine would not end; the bound only has to tell the two apart.
      expect(await processorMs(() => provider.search({ queries: [pattern], maxResults: 10 }))).toBeLessThan(250)
    },
  )

  it('gives up at the time limit instead of answering in part', async () => {
    let clock = 0
    const provider = holding(TOOLS, { timeLimitMs: 2, now: () => clock++ })
    await expect(provider.search({ queries: ['.le$'], maxResults: 10 })).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      details: { reason: expect.stringContaining('2 ms') },
    })
  })

  it('puts names first, then title, server, parameters, tags and description', async () => {
    const tools = [
      tool('a:one', 'about mail'),
      { ...tool('b:two'), tags: ['mail'] },
      { ...tool('c:three'), inputSchema: { properties: { mail: {} } } },
      tool('mail:four'),
      { ...tool('e:five'), title: 'Mail' },
      tool('f:send_mail'),
      tool('g:mail'),
    ]
    for (const pattern of ['mail', 'm.il']) {
      expect(await idsFor(tools, pattern)).toEqual([
        'g:mail',
        'f:send_mail',
        'e:five',
        'mail:four',
        'c:three',
        'b:two',
        'a:one',
      ])
    }
  })

  it('finds the tool that a query names, even where the name is another pattern', async () => {
    const tools = [tool('a:run(x)'), tool('b:runx'), tool('c:a.b'), tool('d:aab')]
    expect((await idsFor(tools, 'run(x)'))[0]).toBe('a:run(x)')
    expect(await idsFor(tools, 'a.b')).toEqual(['c:a.b', 'd:aab'])
  })

  it('anchors each parameter name by itself', async () => {
    const tools = [{ ...tool('a:x'), inputSchema: { properties: { owner: {}, repo: {}, repo_id: {} } } }]
    expect((await find(tools, '^repo$'))[0]?.explanation?.matches).toEqual([{ word: '^repo$', fields: ['parameters'] }])
    expect(await idsFor(tools, '^epo')).toEqual([])
  })

  it('finds everything, in id order, by a pattern that matches nothing in particular', async () => {
    const ids = TOOLS.map((one) => one.id)
    expect(await idsFor(TOOLS, 'q*')).toEqual(ids)
  })

  it('leaves the empty query to its caller', async () => {
    expect(await idsFor(TOOLS, '', '  ')).toEqual([])
  })

  it('searches the first 8,192 characters of a description', async () => {
    const tools = [tool('a:x', `${'-'.repeat(8_190)}early`), tool('b:y', `${'-'.repeat(8_188)}late late`)]
    expect(await idsFor(tools, '(late|early)')).toEqual(['b:y'])
  })

  it('[R15] explains by the pattern', async () => {
    const [hit] = await find(TOOLS, 'read.')
    expect(hit?.explanation?.text).toBe('"read." in name, description')
  })
})
