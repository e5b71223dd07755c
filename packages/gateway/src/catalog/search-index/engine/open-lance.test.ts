import { mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Embedder, IndexedTool, SearchAnswer } from '@tooldex/search'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { storedIds, storedTable } from '../../../../../engine-lance/src/stored-table.case.ts'
import { toyEmbedder } from '../../../../../search/src/providers/meaning/toy-embedder.case.ts'
import { IndexProviders } from '../index-providers.ts'
import { searchStrategies } from '../search-strategies.ts'
import { EngineIndex } from './engine-index.ts'
import { openLance } from './open-lance.ts'

const root = mkdtempSync(join(tmpdir(), 'tooldex-open-lance-'))
let folders = 0
const newFolder = (): string => join(root, String(folders++))
const open: EngineIndex[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((index) => index.close()))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const TOOLS = ['create_issue', 'delete_branch', 'send_mail', 'paint_picture', 'archive_invoice'].map(
  (name, nth): IndexedTool => ({
    id: `s${nth % 2}:${name}`,
    name,
    namespace: `server ${nth % 2}`,
    description: `Will ${name.replace('_', ' one ')}.`,
  }),
)

/** With these there are more tools than candidates: LanceDB has to look for them. */
const MANY_TOOLS = [
  ...TOOLS,
  ...Array.from({ length: 400 }, (_, nth) => ({ id: `s0:count_${nth}`, name: `count_${nth}`, namespace: 'server 0' })),
]

/** An index on the LanceDB of a folder, whose searches are all too wide for memory alone. */
function indexAt(
  at: string,
  more: {
    readonly catalog?: string
    readonly embedder?: Embedder
    load?: () => never
    all?: readonly IndexedTool[]
  } = {},
) {
  const { catalog = 'ours', embedder = toyEmbedder(), all = TOOLS } = more
  const lines: string[] = []
  const warn = (facts: object, message: string): void => void lines.push(`${message} ${JSON.stringify(facts)}`)
  const log = { debug: () => {}, warn }
  const tools = new Map(all.map((tool) => [tool.id, tool]))
  const embedders = { open: async () => [embedder] }
  const makers = searchStrategies({ embedders, cache: { load: async () => new Map(), save: async () => {} } })
  const memory = new IndexProviders({ tools: () => [...all], size: all.length }, { makers })
  const setup = { at, storage: {}, catalog, log }
  const index = new EngineIndex({
    ...{ tools, memory, log, mostNarrow: 0, embedders: embedders.open, retryMs: 5 },
    open: (asked) => openLance({ ...setup, ...asked }, more.load),
  })
  open.push(index)
  const search = async (): Promise<SearchAnswer> =>
    index.search('hybrid', { queries: ['delete a branch'], maxResults: 1 })
  return { index, lines, search }
}

/** A folder that a gateway has written its tools to. */
async function written(all = TOOLS): Promise<string> {
  const at = newFolder()
  const { index, search } = indexAt(at, { all })
  index.become('writer')
  await index.settled()
  expect((await search()).degraded).toBeUndefined()
  await index.close()
  return at
}

async function newerFormat(at: string): Promise<void> {
  const table = await storedTable(at)
  const payload = Buffer.from(JSON.stringify({ format: 99, catalog: 'ours', model: 'toy', dimensions: 64 }))
  await table.update({ where: 'kind = 2', valuesSql: { payload: `X'${payload.toString('hex')}'` } })
}

function damage(at: string): void {
  const versions = join(at, 'tooldex_catalog.lance', '_versions')
  for (const file of readdirSync(versions)) truncateSync(join(versions, file), 10)
}

/** Cuts the files of the words' index. */
function damageWords(at: string): void {
  const indexes = join(at, 'tooldex_catalog.lance', '_indices')
  for (const file of readdirSync(indexes, { recursive: true, encoding: 'utf8' })) {
    if (basename(file).startsWith('part_')) truncateSync(join(indexes, file), 10)
  }
}

const answer = { hits: [{ id: 's1:delete_branch' }] }

describe('a place of LanceDB that cannot be used', () => {
  it('[U21] because the package is not installed: memory answers, and the log has the command', async () => {
    const missing = Object.assign(new Error('Cannot find package'), { code: 'ERR_MODULE_NOT_FOUND' })
    const load = (): never => {
      throw missing
    }
    const { index, lines, search } = indexAt(newFolder(), { load })
    index.become('writer')
    const { degraded, ...rest } = await search()
    expect(rest).toMatchObject(answer)
    expect(degraded?.reason).toMatch(/@tooldex\/engine-lance: it is not installed/)
    expect(lines).toEqual([expect.stringMatching(/Run \\"npm install @tooldex\/engine-lance\\"/)])
  })

  it.each<[string, (at: string) => unknown, RegExp, object]>([
    ['has the catalog of another gateway', () => {}, /give each catalog a folder of its own/, { catalog: 'theirs' }],
    ['is of a newer version', newerFormat, /has format 99.*use the newer version/, {}],
  ])(
    'because it %s: memory answers, the log says what to do, nothing is overwritten',
    async (_, alter, remedy, more) => {
      const at = await written()
      await alter(at)
      for (const role of ['writer', 'reader'] as const) {
        const { index, lines, search } = indexAt(at, more)
        index.become(role)
        const { degraded, ...rest } = await search()
        expect(rest).toMatchObject(answer)
        expect(degraded?.reason).toMatch(remedy)
        expect(lines).toEqual([expect.stringMatching(remedy)])
        await index.close()
      }
      expect(await storedIds(at)).toHaveLength(TOOLS.length)
    },
  )

  it('because it cannot be written: memory answers, and the log says what to check', async () => {
    const at = newFolder()
    writeFileSync(at, 'not a folder')
    const { index, lines, search } = indexAt(at)
    index.become('writer')
    expect(await search()).toMatchObject({ ...answer, degraded: { reason: expect.stringContaining(at) as string } })
    expect(lines).toEqual([expect.stringMatching(/check that the folder is writable and the disk is not full/)])
  })

  it.each<[string, (at: string) => unknown, object]>([
    ['is damaged', damage, {}],
    ['has vectors of another table', () => {}, { embedder: toyEmbedder('other') }],
  ])('because it %s: is written anew, and the log says so', async (_, alter, more) => {
    const at = await written()
    alter(at)
    const { index, lines, search } = indexAt(at, more)
    index.become('reader')
    expect(await search()).toMatchObject({ ...answer, degraded: { strategy: 'hybrid' } })
    index.become('writer')
    await index.settled()
    expect((await search()).degraded).toBeUndefined()
    expect(lines.at(-1)).toMatch(/cannot be used; it is written anew/)
  })

  it('because its files are damaged while it is used: is written anew', async () => {
    const at = newFolder()
    const { index, lines, search } = indexAt(at)
    index.become('writer')
    await index.settled()
    damage(at)
    index.changed([TOOLS[0]?.id ?? ''])
    await expect.poll(() => lines.at(-1)).toMatch(/cannot be used; it is written anew/)
    await index.settled()
    expect(await search()).toMatchObject(answer)
  })

  it('because the index of its words is damaged: memory answers until they are made anew, and the log says so', async () => {
    const at = await written(MANY_TOOLS)
    damageWords(at)
    const { index, lines, search } = indexAt(at, { all: MANY_TOOLS })
    index.become('writer')
    const { degraded, ...rest } = await search()
    expect(rest).toMatchObject(answer)
    expect(degraded?.reason).toMatch(
      /LanceDB at .* Check that the place can be read .* what is damaged is written anew/,
    )
    await expect.poll(async () => (await search()).degraded).toBeUndefined()
    expect(lines.at(-1)).toMatch(/failed; what it stored is checked and its indexes are made anew/)
  })
})
