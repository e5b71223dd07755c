import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { useCommands } from './use-commands.case.ts'

const { folder, leaveRecord, run, runningGateway } = useCommands()

describe('tooldex find', () => {
  it('answers from the last known lists without a gateway, and starts no server for it', async () => {
    const { code, out, asked } = await run('find --max 3 file a bug')
    expect(code).toBe(0)
    expect(out()).toMatch(
      /find "file a bug" +0\.25 ms, bm25, from the last known lists\n {3}1 {2}a:one {3}0\.50 {3}because\n/,
    )
    expect(asked.finds).toEqual([
      { queries: ['file a bug'], options: expect.objectContaining({ maxResults: 3, endpointId: 'local.default' }) },
    ])
    expect(asked.assembled[0]?.models.current().servers.map(({ start }) => start)).toEqual(['on-demand', 'on-demand'])
    expect(asked.stopped).toBe(1)
  })

  it('answers as JSON', async () => {
    expect((await run('find x --json')).json()).toMatchObject({
      hits: [{ toolKey: 'a:one' }],
      answeredBy: 'bm25',
      from: 'last-known',
    })
  })

  it('lists the tools of the servers if none are known yet', async () => {
    const { code, out, err } = await run('find x', { tools: [], unmetTools: ['b:two'] })
    expect(code).toBe(0)
    expect(err()).toContain('no tools known yet: listing the tools of 2 servers')
    expect(out()).toContain('b:two')
  })

  it('explains why no server listed a tool', async () => {
    const { code, err } = await run('find x', { tools: [], states: { a: 'failed' } })
    expect(code).toBe(4)
    expect(err()).toMatch(/a: a ended\. Run `tooldex doctor` to find the problem/)
  })

  it.each(['application/json', 'text/event-stream'])(
    'asks a gateway that runs, over MCP, answering with %s',
    async (type) => {
      const structuredContent = {
        results: [{ toolKey: 'x:y', relevance: 0.7, explanation: 'why' }],
        answeredBy: 'bm25',
        degraded: { strategy: 'cloud', reason: 'down' },
      }
      const { requests } = await runningGateway({ result: { structuredContent } }, type)
      const { code, out, asked } = await run('find --endpoint work book a room')
      expect(code).toBe(0)
      expect(out()).toMatch(/bm25, degraded: cloud did not answer \(down\)\n {3}1 {2}x:y {3}0\.70 {3}why/)
      expect(asked.assembled).toEqual([])
      expect(requests).toMatchObject([
        {
          url: '/local.work/mcp',
          headers: { authorization: 'Bearer tdx_local', 'mcp-method': 'tools/call', 'mcp-name': 'tool_discovery' },
          body: { method: 'tools/call', params: { arguments: { query: ['book a room'] } } },
        },
      ])
    },
  )

  it('ignores the record of a stopped gateway', async () => {
    leaveRecord('http://127.0.0.1:1')
    expect((await run('find x --json')).json()).toMatchObject({ from: 'last-known' })
    writeFileSync(join(folder(), 'data', 'gateway.json'), '{"pid":')
    expect((await run('find x --json')).json()).toMatchObject({ from: 'last-known' })
  })
})
