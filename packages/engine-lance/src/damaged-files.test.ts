import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CatalogEngine, EngineSearch, ToolAnalyser } from '@tooldex/search/engine'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contractEmbedder, engineTool, EVERYTHING } from '../../search/src/engine/engine-contract.case.ts'
import { openLanceEngine } from './lance-engine.ts'
import type { LanceOptions } from './options.ts'

const root = mkdtempSync(join(tmpdir(), 'tooldex-damaged-'))
const whole = join(root, 'whole')
const model = { id: contractEmbedder.id, dimensions: contractEmbedder.dimensions }
const analyser = new ToolAnalyser(contractEmbedder)
const tools = Array.from({ length: 400 }, (_, nth) =>
  engineTool(`s${nth % 9}`, `tool_${nth}`, `Paints picture ${nth}.`),
)
const writer = (at: string, more: Partial<LanceOptions> = {}): Promise<CatalogEngine> =>
  openLanceEngine({ at, role: 'writer', catalog: 'test', model, ...more })

beforeAll(async () => {
  const engine = await writer(whole)
  await engine.apply({ from: 0, to: 1, put: await analyser.analyse(tools.slice(0, -2)), remove: [] })
  await engine.tend()
  await engine.apply({ from: 1, to: 2, put: await analyser.analyse(tools.slice(-3)), remove: [] })
  await engine.close()
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Flips bits all over the files whose path has this in it. */
function damage(at: string, name: string): number {
  const files = readdirSync(at, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.includes(name) && statSync(join(at, file)).isFile(),
  )
  for (const file of files) {
    const bytes = readFileSync(join(at, file))
    for (let place = 0; place < bytes.length; place += 1 + Math.floor(bytes.length / 40)) {
      bytes[place] = (bytes[place] as number) ^ (1 << (place % 8))
    }
    writeFileSync(join(at, file), bytes)
  }
  return files.length
}

/** What a gateway does that writes: after a failure it repairs, and writes anew what is damaged beyond that. */
async function repaired(at: string): Promise<CatalogEngine> {
  try {
    return await writer(at, { repair: true })
  } catch (error) {
    const remedy = expect.stringContaining('rebuild') as string
    expect(error).toMatchObject({ code: 'INVALID_STORED_CATALOG', details: { problem: 'damaged', remedy } })
    return writer(at, { rebuild: true })
  }
}

const search = (engine: CatalogEngine) =>
  new EngineSearch(engine, { embedder: contractEmbedder }).search({
    queries: ['paint picture 77'],
    maxResults: 5,
    rule: EVERYTHING,
  })

describe('a catalog whose files are damaged', () => {
  it.each([
    'part_0_invert.lance',
    'part_0_docs.lance',
    'part_0_tokens.lance',
    'metadata.lance',
    'page_data.lance',
    'page_lookup.lance',
    'bitmap_page_lookup.lance',
    '.arrow',
    '.manifest',
    'catalog.lance/data/',
  ])('%s: is repaired, or refused as damaged and written anew', async (name) => {
    const at = join(root, name.replaceAll('/', ''))
    cpSync(whole, at, { recursive: true })
    expect(damage(at, name)).toBeGreaterThan(0)
    const engine = await repaired(at)
    const revision = await engine.revision()
    const put = await analyser.analyse(revision === 0 ? tools : tools.slice(-5))
    await engine.apply({ from: revision, to: revision + 1, put, remove: [] })
    expect((await search(engine)).hits[0]).toMatchObject({ id: tools[77]?.id })
    expect(await engine.scope(EVERYTHING, 1_000)).toHaveLength(tools.length)
    await engine.close()
  })

  it('says what to do where a search fails', async () => {
    const at = join(root, 'unsearchable')
    cpSync(whole, at, { recursive: true })
    damage(at, 'part_0_docs.lance')
    const engine = await writer(at)
    await expect(search(engine)).rejects.toMatchObject({
      code: 'SEARCH_UNAVAILABLE',
      details: { problem: 'failed', remedy: expect.stringContaining('written anew') as string },
    })
    await engine.close()
  })
})
