import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useCommands } from '../use-commands.case.ts'

const { folder, configure, run } = useCommands()
const tools = ['a:create_issue', 'a:delete_file', 'b:send_message', 'b:post_message']
const write = (...rows: object[]): void =>
  writeFileSync(join(folder(), 'q.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'))

describe('tooldex eval', () => {
  it('compares strategies on the tools and queries of the user, and leaves no entry in the audit log', async () => {
    write({ query: 'create issue', relevant: ['a:create_issue'] }, { query: 'wipe', relevant: ['a:delete_file'] })
    const { code, out, asked } = await run('eval --queries q.jsonl', { tools })
    expect(code).toBe(0)
    expect(out()).toContain('eval  2 queries over 4 tools')
    for (const row of [/lexical +0\.500/, /bm25 +\d/, /embeddings +\d/, /hybrid \* +\d/]) expect(out()).toMatch(row)
    expect(out()).not.toContain('regex')
    expect(asked).toMatchObject({ finds: [], stopped: 1 })
  })

  it('answers as JSON', async () => {
    write({ query: 'create issue', relevant: ['a:create_issue'] }, { query: 'zebra', relevant: ['b:send_message'] })
    const { code, json } = await run('eval --queries q.jsonl --strategy bm25 regex --json', { tools })
    expect(code).toBe(0)
    const figures = { ndcg10: expect.any(Number), recall5: expect.any(Number), hit1: expect.any(Number), queries: 2 }
    expect(json()).toMatchObject({
      tools: 4,
      queries: 2,
      strategy: 'hybrid',
      strategies: { bm25: figures, regex: figures, hybrid: figures },
      misses: [{ query: 'zebra', relevant: ['b:send_message'] }],
      confusable: expect.arrayContaining([expect.objectContaining({ tools: ['b:post_message', 'b:send_message'] })]),
      proposals: [{ toolKey: 'b:send_message', added: ['zebra'], ofTool: { before: expect.any(Number), after: 1 } }],
    })
  })

  it('measures the strategy of the endpoint, with the tools of the endpoint', async () => {
    configure({
      mcpServers: { a: { command: 'a' }, b: { command: 'b' } },
      dataDir: 'data',
      projects: { work: { servers: ['a'], strategy: 'bm25' } },
      endpoints: { work: { project: 'work' } },
    })
    write({ query: 'x', relevant: ['a:create_issue'] })
    expect((await run('eval --queries q.jsonl --endpoint work --json', { tools })).json()).toMatchObject({
      tools: 2,
      strategy: 'bm25',
    })
    write({ query: 'x', relevant: ['b:send_message'] })
    const { code, err } = await run('eval --queries q.jsonl --endpoint work', { tools })
    expect(code).toBe(2)
    expect(err()).toContain('q.jsonl:1 the tool "b:send_message" is not available through this endpoint')
  })

  it.each([
    ['eval', 2, 'no queries were given. Pass a file'],
    ['eval --queries nowhere.jsonl', 2, 'nowhere.jsonl cannot be read (ENOENT)'],
    ['eval --from-audit', 2, 'the audit log does not store the words of searches'],
    ['eval --queries q.jsonl --strategy magic', 2, 'magic'],
    ['eval --queries q.jsonl --endpoint none', 3, 'the configuration has none named none'],
  ])('rejects "%s" with a reason', async (line, code, reason) => {
    write({ query: 'x', relevant: ['a:create_issue'] })
    const result = await run(line, { tools })
    expect(result.code).toBe(code)
    expect(result.err()).toContain(reason)
  })

  it('names invalid rows by line', async () => {
    writeFileSync(join(folder(), 'q.jsonl'), '{"query": "x", "relevant": ["a:create_isue"]}\n{')
    const { code, err } = await run('eval --queries q.jsonl', { tools })
    expect(code).toBe(2)
    expect(err()).toContain('q.jsonl:1 there is no tool "a:create_isue"; did you mean "a:create_issue"?')
    expect(err()).toContain('q.jsonl:2 is not a JSON object')
  })

  it('explains why no server listed a tool', async () => {
    write({ query: 'x', relevant: ['a:create_issue'] })
    const { code, err } = await run('eval --queries q.jsonl', { tools: [] })
    expect(code).toBe(4)
    expect(err()).toContain('no server listed a tool. Run `tooldex doctor` to find the problem')
  })
})
