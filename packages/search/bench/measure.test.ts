import { describe, expect, it } from 'vitest'
import { generateTools } from './generate-tools.ts'
import type { Host } from './measure.ts'
import { measure } from './measure.ts'
import { makeQueries } from './queries.ts'

const tools = generateTools(60)
const [warmUp, measured] = [makeQueries(tools, 5, 3), makeQueries(tools, 100, 4)]

/** A host whose clock moves only when the engine works. */
function fakeHost() {
  let clock = 0
  const memory = [40, 100]
  const host: Host = { now: () => clock, residentMb: () => memory.shift() ?? 0, report: () => {} }
  return { host, work: (ms: number) => void (clock += ms) }
}

describe('measure', () => {
  it('counts the first search as indexing and none of the warm-up', async () => {
    const { host, work } = fakeHost()
    let searches = 0
    const engine = {
      index: () => work(1000),
      search: () => {
        searches++
        work(searches === 1 ? 500 : searches <= 6 ? 77 : searches - 6)
        return []
      },
    }
    const figures = await measure(engine, { tools, warmUp, measured }, host)
    expect(figures).toEqual({ indexMs: 1500, p50Ms: 50, p99Ms: 99, rssMb: 100, toolsMb: 40, found: 0 })
  })

  it('charges an update with the work that the next search does for it', async () => {
    const { host, work } = fakeHost()
    let pending = 0
    const changed = new Set<string>()
    const engine = {
      index: () => {},
      search: () => {
        work(2 + pending)
        pending = 0
        return []
      },
      update: (tool: { readonly id: string; readonly description: string }) => {
        expect(tool.description).not.toBe(tools.find(({ id }) => id === tool.id)?.description)
        changed.add(tool.id)
        work(1)
        pending = 30
      },
    }
    const figures = await measure(engine, { tools, warmUp, measured }, host)
    expect(figures.updateMs).toBe(31)
    expect(figures.p50Ms).toBe(2)
    expect(changed.size).toBe(60)
  })

  it('counts a query as found when its tool or a copy of it is among the hits', async () => {
    const { host } = fakeHost()
    const aboutFirstHalf = new Map(measured.slice(0, 50).map(({ text, about }) => [text, about.replace(':', '-t4:')]))
    const engine = { index: () => {}, search: (query: string) => ['x:y', aboutFirstHalf.get(query) ?? 'x:z'] }
    expect((await measure(engine, { tools, warmUp, measured }, host)).found).toBe(0.5)
  })
})
