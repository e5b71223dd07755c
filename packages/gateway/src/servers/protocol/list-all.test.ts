import { describe, expect, it } from 'vitest'
import { ServerReplyError } from '../../errors.ts'
import { failure, misbehaving } from '../fixtures/pool.case.ts'
import { listAll } from './list-all.ts'
import type { RawResult, Server } from '../server.ts'

function listing(answer: (cursor: string | undefined) => RawResult, capabilities?: Record<string, unknown>): Server {
  return {
    definition: misbehaving({ limits: { maxTools: 1_000, listTimeoutMs: 50, startTimeoutMs: 50 } }),
    capabilities: () => capabilities,
    request: async ({ params }: { params?: { cursor?: string } }) => answer(params?.cursor),
  } as unknown as Server
}

const tool = (name: string | number) => ({ name: String(name) })

describe('listAll', () => {
  it('[R23] follows all pages in order', async () => {
    const server = listing((cursor) => {
      const at = Number(cursor ?? 0)
      return { tools: [tool(at)], ...(at < 9 && { nextCursor: String(at + 1) }) }
    })
    const { items, problems } = await listAll(server, 'tools')
    expect(items.map(({ name }) => name)).toEqual(['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'])
    expect(problems).toEqual([])
  })

  it('[R23] leaves a circle of pages', async () => {
    const server = listing((cursor) => ({ tools: [tool(cursor ?? 'first')], nextCursor: cursor === 'a' ? 'b' : 'a' }))
    const { items, problems } = await listAll(server, 'tools')
    expect(items.map(({ name }) => name)).toEqual(['first', 'a', 'b'])
    expect(problems).toEqual([expect.stringContaining('circle')])
  })

  it('cuts endless pages and too many tools, and reports it', async () => {
    const endless = await listAll(
      listing((cursor) => ({ prompts: [], nextCursor: `${cursor ?? ''}x` })),
      'prompts',
    )
    expect(endless.problems).toEqual([expect.stringContaining('200 pages')])
    const many = await listAll(
      listing(() => ({ tools: Array.from({ length: 1_500 }, (_, n) => tool(n)) })),
      'tools',
    )
    expect(many.items).toHaveLength(1_000)
    expect(many.problems).toEqual([expect.stringContaining('more than 1000 tools')])
  })

  it('ends at its time limit however many pages answer in time', async () => {
    const server = listing((cursor) => {
      const end = performance.now() + 30
      while (performance.now() < end);
      return { tools: [], nextCursor: `${cursor ?? ''}x` }
    })
    expect(await failure(listAll(server, 'tools'))).toMatchObject({ code: 'SERVER_TIMEOUT' })
  })

  it('returns an empty list without capability, method, list or objects', async () => {
    const unasked = listing(() => expect.unreachable(), { tools: {} })
    expect((await listAll(unasked, 'resourceTemplates')).items).toEqual([])
    const unknown = listing(() => {
      throw new ServerReplyError(-32601, 'Method not found')
    })
    expect((await listAll(unknown, 'prompts')).items).toEqual([])
    const broken = await listAll(
      listing(() => ({ tools: 'none' })),
      'tools',
    )
    expect(broken).toEqual({ items: [], problems: ['A page of its tools is not a list.'] })
    const mixed = await listAll(
      listing(() => ({ resources: [null, { uri: 'x://1' }, 7] })),
      'resources',
    )
    expect(mixed).toEqual({ items: [{ uri: 'x://1' }], problems: ['2 of its resources are not objects.'] })
  })
})
