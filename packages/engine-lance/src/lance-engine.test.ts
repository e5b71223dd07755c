import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { IndexedTool } from '@tooldex/search'
import { EngineSearch, MemoryEngine, ToolAnalyser } from '@tooldex/search/engine'
import { afterAll, describe, expect, it } from 'vitest'
import {
  contractEmbedder,
  engineContract,
  engineTool,
  EVERYTHING,
} from '../../search/src/engine/engine-contract.case.ts'
import { openLanceEngine } from './lance-engine.ts'

const folder = mkdtempSync(join(tmpdir(), 'tooldex-lance-'))
let opened = 0
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const model = { id: contractEmbedder.id, dimensions: contractEmbedder.dimensions }
const open = () => openLanceEngine({ at: join(folder, String(opened++)), role: 'writer', catalog: 'test', model })

describe('LanceDB as an engine', () => {
  engineContract({ open, runs: 4 })

  it('[T15] answers through the same interface what the engine in memory answers', async () => {
    const words = ['create', 'list', 'delete', 'issue', 'branch', 'letter']
    const tools = words.flatMap((one) =>
      words.map((other) => engineTool(one, `${one}_${other}`, `To ${one} ${other}s.`)),
    )
    const put = await new ToolAnalyser(contractEmbedder).analyse(tools)
    const engines = [await open(), new MemoryEngine()]
    const answers = engines.map(async (engine) => {
      await engine.apply({ from: 0, to: 1, put, remove: [] })
      const search = new EngineSearch(engine, { embedder: contractEmbedder })
      const answer = await search.search({ queries: ['delete a branch'], maxResults: 10, rule: EVERYTHING })
      await engine.close()
      return answer
    })
    const [lance, memory] = await Promise.all(answers)
    expect(lance?.hits).toHaveLength(10)
    expect(lance).toEqual(memory)
  })

  it('numbers servers alike for the writer and for readers, however these came to know them', async () => {
    const at = join(folder, String(opened++))
    const engine = await openLanceEngine({ at, role: 'writer', catalog: 'test' })
    const early = await openLanceEngine({ at, role: 'reader', catalog: 'test' })
    const analyser = new ToolAnalyser()
    const toolsOf = (server: number, count: number) =>
      Array.from({ length: count }, (_, nth) => engineTool(`s${server}`, `zebra_${nth}`, 'Paints one zebra.'))
    let revision = 0
    const apply = async (put: readonly IndexedTool[], remove: readonly string[] = []): Promise<void> => {
      await engine.apply({ from: revision, to: ++revision, put: await analyser.analyse(put), remove })
      await expect.poll(() => early.revision()).toBe(revision)
    }
    for (const server of [3, 1, 2]) await apply(toolsOf(server, 12))
    await apply(
      [],
      toolsOf(1, 12).map(({ id }) => id),
    )
    // One change that stores the figures as a whole, and small ones after it.
    await apply(Array.from({ length: 50 }, (_, nth) => toolsOf(10 + nth, 11)).flat())
    for (const server of [5, 1]) await apply(toolsOf(server, 12))
    await engine.tend()
    const late = await openLanceEngine({ at, role: 'reader', catalog: 'test' })
    const wanted = { words: [{ stem: 'zebra', weight: 1, said: true }], vectors: [], names: [], prefixes: [] }
    const most = ['s1', 's2', 's5', ...Array.from({ length: 45 }, (_, nth) => `s${12 + nth}`)]
    for (const servers of [['s1', 's5'], ['s3', 's2', 's59'], most]) {
      for (const each of [engine, early, late]) {
        const rule = { tenant: '', servers, except: [`${servers[0]}:zebra_0`] }
        const { tools, complete } = await each.candidates(wanted, rule, 20)
        expect({ count: tools.length, complete }).toEqual({ count: 20, complete: false })
        expect(tools.every(({ id, server }) => servers.includes(server) && id !== rule.except[0])).toBe(true)
      }
    }
    await Promise.all([engine, early, late].map((each) => each.close()))
  })
})
