import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ToolSearchError } from '@tooldex/search'
import { EngineSearch, ToolAnalyser } from '@tooldex/search/engine'
import { afterAll, describe, expect, it } from 'vitest'
import { contractEmbedder, engineTool, EVERYTHING } from '../../search/src/engine/engine-contract.case.ts'
import { killWriter, problemsAfterKill } from './kill.case.ts'
import { openLanceEngine } from './lance-engine.ts'
import type { LanceOptions } from './options.ts'
import { storedTable } from './stored-table.case.ts'

const root = mkdtempSync(join(tmpdir(), 'tooldex-stored-'))
let opened = 0
const newFolder = (): string => join(root, String(opened++))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const model = { id: contractEmbedder.id, dimensions: contractEmbedder.dimensions }
const writer = (at: string, more: Partial<LanceOptions> = {}) =>
  openLanceEngine({ at, role: 'writer', catalog: 'test', model, ...more })
const reader = (at: string, more: Partial<LanceOptions> = {}) => writer(at, { role: 'reader', ...more })
const analyser = new ToolAnalyser(contractEmbedder)
const tools = [engineTool('git', 'create_issue', 'Create an issue'), engineTool('git', 'log', 'Shows history')]

async function filled(more: Partial<LanceOptions> = {}): Promise<string> {
  const at = newFolder()
  const engine = await writer(at, more)
  await engine.apply({ from: 0, to: 4, put: await analyser.analyse(tools), remove: [] })
  await engine.close()
  return at
}

/** Changes what the row of the state says. */
async function alterState(at: string, change: Record<string, unknown>): Promise<void> {
  const table = await storedTable(at)
  const [row] = await table.query().where('kind = 2').select(['payload']).toArray()
  const state = { ...JSON.parse(Buffer.from(row.payload).toString()), ...change }
  await table.update({
    where: 'kind = 2',
    valuesSql: { payload: `X'${Buffer.from(JSON.stringify(state)).toString('hex')}'` },
  })
}

describe('a stored catalog', () => {
  it('is there after a restart, for writers and readers', async () => {
    const at = await filled()
    for (const open of [writer, reader]) {
      const engine = await open(at)
      expect(await engine.revision()).toBe(4)
      const search = new EngineSearch(engine, { embedder: contractEmbedder })
      const { hits } = await search.search({ queries: ['create issue'], maxResults: 1, rule: EVERYTHING })
      expect(hits).toMatchObject([{ id: 'git:create_issue' }])
      await engine.close()
    }
  })

  it('is refused where it is of another catalog, of another model, or of a newer version', async () => {
    const at = await filled()
    const problem = (open: Promise<unknown>, name: string) =>
      expect(open).rejects.toMatchObject({ code: 'INVALID_STORED_CATALOG', details: { problem: name } })
    await problem(reader(at, { catalog: 'other' }), 'foreign')
    await problem(writer(at, { catalog: 'other' }), 'foreign')
    await problem(writer(at, { model: { id: 'newer-table', dimensions: 300 } }), 'model')
    await alterState(at, { format: 99 })
    await problem(reader(at), 'newer')
    await problem(writer(at), 'newer')
  })

  it('is begun anew by a writer that was told to', async () => {
    const at = await filled()
    const other = { id: 'other', dimensions: 300 }
    const engine = await writer(at, { model: other, rebuild: true })
    expect(await engine.revision()).toBe(0)
    await engine.apply({ from: 0, to: 1, put: await analyser.analyse(tools), remove: [] })
    await engine.close()
    expect(await (await reader(at, { model: other })).revision()).toBe(1)
  })

  it('is refused where its files are damaged', async () => {
    const at = await filled()
    const table = join(at, 'tooldex_catalog.lance')
    for (const file of readdirSync(join(table, '_versions'))) truncateSync(join(table, '_versions', file), 10)
    const damaged = { code: 'INVALID_STORED_CATALOG', details: { problem: 'damaged' } }
    await expect(reader(at)).rejects.toMatchObject(damaged)
    await expect(writer(at)).rejects.toMatchObject(damaged)
    expect(await (await writer(at, { rebuild: true })).revision()).toBe(0)
  })

  it('is refused where a change is missing, as after two that wrote at the same moment', async () => {
    const at = await filled()
    const table = await storedTable(at)
    await table.delete('kind = 3')
    const damaged = { code: 'INVALID_STORED_CATALOG', details: { problem: 'damaged' } }
    await expect(reader(at)).rejects.toMatchObject(damaged)
    await expect(writer(at)).rejects.toMatchObject(damaged)
  })

  it('has figures in parts, which replace older ones when it is tidied up, and is refused where one is missing', async () => {
    const at = newFolder()
    const wide = { id: 'wide', dimensions: 1_024 }
    const engine = await writer(at, { model: wide })
    const vector = Int8Array.from({ length: wide.dimensions }, (_, nth) => (nth % 100) - 50)
    const put = (await new ToolAnalyser().analyse(tools)).map((tool) => ({ ...tool, vector }))
    const table = await storedTable(at)
    const parts = async (): Promise<string[]> => {
      await table.checkoutLatest()
      return (await table.query().where('kind = 4').select(['id']).toArray()).map(({ id }) => id.slice(1)).toSorted()
    }
    for (const revision of [0, 1]) {
      await engine.apply({ from: revision, to: revision + 1, put: put.slice(revision), remove: [] })
      await engine.tend()
      expect(await parts()).toEqual(['figures 1 of 3', 'figures 2 of 3', 'figures 3 of 3'])
    }
    const wanted = { words: [], vectors: [Float32Array.from(vector)], names: [], prefixes: [] }
    const late = await reader(at, { model: wide })
    const [own, read] = await Promise.all([engine, late].map((each) => each.candidates(wanted, EVERYTHING, 9)))
    expect(read?.statistics).toEqual(own?.statistics)
    expect(read?.statistics.meaning?.tools.means[0]).toBeCloseTo(1, 3)
    await Promise.all([engine.close(), late.close()])
    await table.delete(`id LIKE '%2 of 3'`)
    await expect(reader(at, { model: wide })).rejects.toMatchObject({
      code: 'INVALID_STORED_CATALOG',
      details: { problem: 'damaged' },
    })
  })

  it('keeps the change of a second writer, and tells the first one', async () => {
    const at = await filled()
    const [first, second] = [await writer(at), await writer(at)]
    await second.apply({ from: 4, to: 9, put: [], remove: ['git:log'] })
    const put = await analyser.analyse([engineTool('new', 'zebra', 'zebra')])
    await expect(first.apply({ from: 4, to: 6, put, remove: [] })).resolves.toBeUndefined()
    await expect(first.apply({ from: 4, to: 12, put, remove: [] })).rejects.toMatchObject({ code: 'REVISION_GAP' })
    await first.tend()
    for (const each of [first, second, await reader(at)]) {
      expect(await each.revision()).toBe(9)
      expect((await each.scope(EVERYTHING, 9))?.map(({ id }) => id)).toEqual(['git:create_issue'])
      await each.close()
    }
  })

  it('says what is missing, not where in the source of LanceDB that was noticed', async () => {
    const at = await filled()
    const engine = await reader(at)
    rmSync(join(at, 'tooldex_catalog.lance', 'data'), { recursive: true })
    const failed = await engine.scope(EVERYTHING, 9).catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: 'SEARCH_UNAVAILABLE' })
    const { reason } = (failed as ToolSearchError).details
    expect(reason).toMatch(/^LanceDB at .*[Nn]ot found: .*\.lance$/)
    await engine.close()
  })

  it('is as it was after a change that failed, and takes the next one at once', async () => {
    const at = await filled()
    const engine = await writer(at)
    const put = await analyser.analyse([engineTool('new', 'zebra', 'zebra'), engineTool('new', 'lion', 'lion')])
    const cut = put.map((tool, nth) => (nth === 0 ? tool : { ...tool, terms: tool.terms.subarray(0, 9) }))
    await expect(engine.apply({ from: 4, to: 5, put: cut, remove: ['git:log'] })).rejects.toMatchObject({
      code: 'INVALID_SAVED_INDEX',
    })
    await engine.apply({ from: 4, to: 5, put, remove: [] })
    const wanted = { words: [{ stem: 'zebra', weight: 1, said: true }], vectors: [], names: [], prefixes: [] }
    const late = await reader(at)
    for (const each of [engine, late]) {
      const { statistics, tools: found } = await each.candidates(wanted, EVERYTHING, 9)
      expect(found).toHaveLength(4)
      expect(statistics.words).toMatchObject({ count: 4, serverCount: 2 })
      await each.close()
    }
  })

  it('cannot be where a file is, and says so', async () => {
    const at = newFolder()
    writeFileSync(at, 'not a folder')
    const unwritable = { code: 'INVALID_STORED_CATALOG', details: { problem: 'unwritable' } }
    await expect(writer(at)).rejects.toMatchObject(unwritable)
  })

  it('is empty for a reader until a writer has begun it', async () => {
    const at = newFolder()
    const early = await reader(at)
    expect(await early.revision()).toBe(0)
    expect(await early.candidates({ words: [], vectors: [], names: [], prefixes: [] }, EVERYTHING, 5)).toMatchObject({
      tools: [],
      complete: true,
    })
    const engine = await writer(at)
    await engine.apply({ from: 0, to: 1, put: await analyser.analyse(tools), remove: [] })
    await expect.poll(() => early.revision()).toBe(1)
    await Promise.all([early.close(), engine.close()])
  })

  it('changes for readers as it does for the writer, and only the writer may change it', async () => {
    const at = await filled()
    const [engine, other] = [await writer(at), await reader(at)]
    expect(await other.revision()).toBe(4)
    for (let revision = 4; revision < 8; revision++) {
      const put = await analyser.analyse([engineTool('new', `tool_${revision}`, 'zebra')])
      await engine.apply({ from: revision, to: revision + 1, put, remove: revision === 6 ? ['git:log'] : [] })
      if (revision === 5) await engine.tend()
      await expect.poll(() => other.revision()).toBe(revision + 1)
    }
    const wanted = { words: [{ stem: 'zebra', weight: 1, said: true }], vectors: [], names: [], prefixes: [] }
    const [own, others] = await Promise.all([engine, other].map((one) => one.candidates(wanted, EVERYTHING, 99)))
    expect(others?.statistics).toEqual(own?.statistics)
    expect(others?.tools.map(({ id }) => id).toSorted()).toEqual(own?.tools.map(({ id }) => id).toSorted())
    const refused = { code: 'INVALID_ARGUMENTS', details: { field: 'role' } }
    await expect(other.apply({ from: 8, to: 9, put: [], remove: [] })).rejects.toMatchObject(refused)
    await expect(other.tend()).rejects.toMatchObject(refused)
    await Promise.all([engine.close(), other.close()])
  })

  it('takes vectors of its model alone, or none', async () => {
    const engine = await writer(newFolder(), { model: { id: 'small', dimensions: 8 } })
    const put = await analyser.analyse(tools)
    const refused = { code: 'INVALID_ARGUMENTS', details: { field: 'vector' } }
    await expect(engine.apply({ from: 0, to: 1, put, remove: [] })).rejects.toMatchObject(refused)
    await engine.apply({ from: 0, to: 1, put: await new ToolAnalyser().analyse(tools), remove: [] })
    expect(await engine.scope(EVERYTHING, 9)).toHaveLength(2)
    await engine.close()
  })

  it('loses nothing and has nothing twice when its writer is killed', async () => {
    const at = newFolder()
    let promised = 0
    for (const afterMs of [60, 250]) {
      promised = Math.max(promised, await killWriter(at, afterMs))
      expect(await problemsAfterKill(at, promised)).toEqual([])
    }
    expect(promised).toBeGreaterThan(0)
  }, 60_000)
})
