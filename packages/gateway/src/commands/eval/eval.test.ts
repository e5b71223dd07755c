import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callOf, searchOf } from '../../store/audit/audit-samples.case.ts'
import { openStore } from '../../store/open-store.ts'
import { silentLogger } from '../../telemetry/logger.ts'
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
    ['eval --from-audit', 2, 'the audit log has no search in project "default" that a successful call followed'],
    ['eval --from-audit --queries q.jsonl', 2, 'cannot be used with'],
    ['eval --queries q.jsonl --strategy magic', 2, 'magic'],
    ['eval --queries q.jsonl --endpoint none', 3, 'the configuration has none named none'],
  ])('rejects "%s" with a reason', async (line, code, reason) => {
    write({ query: 'x', relevant: ['a:create_issue'] })
    const result = await run(line, { tools })
    expect(result.code).toBe(code)
    expect(result.err()).toContain(reason)
  })

  it('[R42] takes searches from the audit log that a successful call of the same caller followed, within the project', async () => {
    const store = await openStore({ dataDir: join(folder(), 'data'), logger: silentLogger() })
    const found = (query: string, at: number, over: object = {}) =>
      searchOf({ at, projectId: 'default', queries: [query], resultKeys: tools, ...over } as object)
    const called = (toolKey: string, at: number, over: object = {}) =>
      callOf({ at, projectId: 'default', toolKey, ...over })
    await store.audit.append([
      found('file a bug', 1),
      called('a:create_issue', 2),
      found('write to a colleague', 3, { tokenId: 'u' }),
      called('b:send_message', 4, { tokenId: 'u' }),
      called('b:post_message', 5, { tokenId: 'u' }),
      found('led to nothing', 6),
      found('of another project', 7, { projectId: 'other' }),
      called('a:delete_file', 8, { projectId: 'other' }),
      found('failed', 9),
      called('a:delete_file', 10, { outcome: 'tool-error' }),
      found('tool is gone', 11, { resultKeys: ['x:gone'] }),
      called('x:gone', 12),
    ])
    await store.close()
    const { code, json } = await run('eval --from-audit --strategy bm25 --json', { tools })
    expect(code).toBe(0)
    expect(json()).toMatchObject({ queries: 2, tools: 4 })
    expect(JSON.stringify(json())).toContain('write to a colleague')
    expect(JSON.stringify(json())).not.toMatch(/led to nothing|another project|failed|gone/)
  })

  it('takes queries whose tool an administrator named on the search page', async () => {
    const store = await openStore({ dataDir: join(folder(), 'data'), logger: silentLogger() })
    const use = { projectId: 'default', tokenId: 'judged', weight: 1, at: Date.now() }
    await store.learned.put([
      { ...use, query: 'write to a colleague', toolKey: 'b:send_message' },
      { ...use, query: 'taught by use', toolKey: 'b:send_message', tokenId: 'ann' },
      { ...use, query: 'tool is gone', toolKey: 'x:gone' },
    ])
    await store.close()
    const { code, json } = await run('eval --from-audit --strategy lexical --json', { tools })
    expect(code).toBe(0)
    expect(json()).toMatchObject({ queries: 1 })
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
