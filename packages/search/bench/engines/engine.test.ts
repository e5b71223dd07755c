import { describe, expect, it } from 'vitest'
import type { BenchTool } from '../bench-tool.ts'
import { generateTools } from '../generate-tools.ts'
import { ENGINE_NAMES, MAX_RESULTS, openEngine } from './engine.ts'

const tools = generateTools(200)

describe.each(ENGINE_NAMES)('%s', (name) => {
  it('finds a tool by the words of its name, with at most ten hits', async () => {
    const engine = await openEngine(name)
    await engine.index(tools)
    const wanted = tools.find((tool) => tool.name.includes('_'))
    const hits = await engine.search(wanted?.name.replaceAll('_', ' ') ?? '')
    expect(hits).toContain(wanted?.id)
    expect(new Set(hits).size).toBe(hits.length)
    expect(hits.length).toBeLessThanOrEqual(MAX_RESULTS)
  })
})

describe.each(['tooldex-bm25', 'tooldex-hybrid', 'tooldex-embeddings', 'minisearch'] as const)('%s', (name) => {
  it('finds an updated tool by its new description', async () => {
    const engine = await openEngine(name)
    await engine.index(tools)
    const changed = { ...tools[7], description: 'Paints zebras' } as BenchTool
    await engine.update?.(changed)
    expect((await engine.search('paints zebras'))[0]).toBe(changed.id)
  })
})
