import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { eligibleTools } from '../access/eligible-tools.ts'
import { CatalogIndex } from '../catalog/search-index/catalog-index.ts'
import { principalOf, projectOf, type ServerSketch, serverOf, snapshotOf } from '../catalog/snapshot.case.ts'
import { resolveSettings } from '../exposure/resolve-settings.ts'
import type { Principal } from '../model/principal.ts'
import type { SearchAnswered, SearchAsk } from './search-outcome.ts'
import { type SearchContext, ToolSearch } from './tool-search.ts'

const ASK: SearchAsk = { queries: ['lamp'], maxResults: 10, explain: false, whenBlank: 'nothing', detail: 'summary' }
const lamps = (count: number): ServerSketch => ({
  id: 'lamps',
  tools: Array.from({ length: count }, (_, at) => ({ name: `lamp_${at}`, description: `Switch lamp ${at}` })),
})

interface World {
  readonly servers: readonly ServerSketch[]
  readonly principal?: Partial<Principal>
  readonly context?: Partial<SearchContext>
}

function searching({ servers, principal = {}, context = {} }: World) {
  const index = new CatalogIndex()
  for (const server of servers) index.put(serverOf(server))
  const search = new ToolSearch({
    provider: (strategy) => index.provider(strategy),
    audit: { record: () => {} },
    now: () => 0,
  })
  const project = projectOf(
    'p',
    servers.map(({ id }) => id),
  )
  const eligible = eligibleTools(principalOf(principal), project, new Map(), snapshotOf(servers))
  const ids = { requestId: 'r', tokenId: 't', projectId: 'p', endpointId: 'e', from: { transport: 'stdio' } as const }
  const whole = { ...ids, signal: new AbortController().signal, ...context }
  return async (ask: Partial<SearchAsk> = {}): Promise<SearchAnswered> => {
    const outcome = await search.search(eligible, resolveSettings({ strategy: 'bm25' }, {}), { ...ASK, ...ask }, whole)
    if (outcome.state === 'off') throw new Error('Search is off')
    return outcome
  }
}

const keysOf = ({ found }: SearchAnswered): readonly string[] => found.map(({ tool }) => tool.key)
const nextOf = (answer: SearchAnswered, shown = answer.found.length): string => answer.cursorAfter?.(shown) ?? ''

describe('the pages of a search', () => {
  it('[R12] are together the whole answer, whatever their sizes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 60 }),
        fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 60, maxLength: 60 }),
        async (count, sizes) => {
          const run = searching({ servers: [lamps(count)] })
          const all = keysOf(await run({ maxResults: 100 }))
          expect(all).toHaveLength(count)
          const paged: string[] = []
          let cursor: string | undefined
          for (const maxResults of sizes) {
            const page = await run({ maxResults, ...(cursor !== undefined && { cursor }) })
            // A dialect may show fewer than were found.
            const shown = Math.ceil(page.found.length / 2)
            paged.push(...keysOf(page).slice(0, shown))
            cursor = page.cursorAfter?.(shown)
            if (cursor === undefined) break
          }
          expect(paged).toEqual(all.slice(0, paged.length))
          if (cursor === undefined) expect(paged).toEqual(all)
        },
      ),
      { numRuns: 40 },
    )
  })

  it('[R12] refuse a cursor that was altered, or that belongs to another question, token, project or list', async () => {
    const servers = [lamps(30)]
    const run = searching({ servers })
    const cursor = nextOf(await run())
    expect(cursor).toMatch(/^[\w-]{12}$/)
    expect(keysOf(await run({ cursor }))).toHaveLength(10)
    const altered = `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`
    const refusal = { code: 'INVALID_ARGUMENTS', details: { field: 'cursor' } }
    for (const each of [altered, 'x', '', `${cursor}A`, '____________', cursor.toLowerCase()]) {
      await expect(run({ cursor: each })).rejects.toMatchObject(refusal)
    }
    await expect(run({ cursor, queries: ['switch'] })).rejects.toMatchObject(refusal)
    await expect(run({ cursor, readOnly: true })).rejects.toMatchObject(refusal)
    for (const context of [{ tokenId: 'u' }, { projectId: 'q' }, { endpointId: 'f' }]) {
      await expect(searching({ servers, context })({ cursor })).rejects.toMatchObject(refusal)
    }
    const changed = searching({ servers: [{ ...lamps(30), tools: (lamps(30).tools ?? []).slice(1) }] })
    await expect(changed({ cursor })).rejects.toThrow('the tools have changed. Search again without cursor')
  })

  it('end with an answer that says so', async () => {
    const run = searching({ servers: [lamps(11)] })
    const last = await run({ cursor: nextOf(await run()) })
    expect(keysOf(last)).toHaveLength(1)
    expect(last.cursorAfter?.(1)).toBeUndefined()
  })
})

describe('a search of some servers', () => {
  const servers: readonly ServerSketch[] = [
    lamps(3),
    { id: 'id-2', name: 'Shades', tools: [{ name: 'lamp_shade', annotations: { readOnlyHint: true } }, 'lamp_frame'] },
    { id: 'gone', state: 'failed' },
  ]
  const run = searching({ servers })
  const texts = ({ notices }: SearchAnswered): readonly string[] => notices.map(({ text }) => text)

  it('takes ids and names in any case, and knows read-only tools', async () => {
    expect(keysOf(await run({ servers: ['shades'] })).toSorted()).toEqual(['id-2:lamp_frame', 'id-2:lamp_shade'])
    expect(keysOf(await run({ servers: ['ID-2', 'lamps'] }))).toHaveLength(5)
    expect(keysOf(await run({ readOnly: true }))).toEqual(['id-2:lamp_shade'])
  })

  it('says that a server does not exist, that it failed, or that it has no read-only tools', async () => {
    expect(texts(await run({ servers: ['nothing'] }))).toEqual([
      'There is no server nothing. Servers here: lamps, Shades, gone.',
    ])
    expect(texts(await run({ servers: ['gone'] }))).toEqual(['Failed: gone. Try later, or ask an administrator.'])
    expect(texts(await run({ servers: ['lamps'], readOnly: true }))).toEqual([
      'No tool here is marked as read-only. Search again without readOnly.',
    ])
  })

  it('[R24] equals a search where there is nothing else', async () => {
    const word = fc.constantFrom('lamp', 'switch', 'shade', 'frame', 'window')
    const tool = fc.record({
      name: fc.tuple(word, word).map((words) => words.join('_')),
      description: fc.array(word, { maxLength: 4 }).map((words) => words.join(' ')),
      annotations: fc.record({ readOnlyHint: fc.boolean() }),
    })
    const lists = fc.array(fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 6 }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(lists, fc.nat(3), fc.boolean(), word, async (tools, at, readOnly, query) => {
        const all = tools.map((list, index) => ({ id: `s${index}`, tools: list }))
        const id = `s${at % all.length}`
        const own = all
          .filter((server) => server.id === id)
          .map((server) => ({
            ...server,
            tools: server.tools.filter(({ annotations }) => !readOnly || annotations.readOnlyHint),
          }))
        const selected = await searching({ servers: all })({ queries: [query], servers: [id], readOnly })
        const alone = await searching({ servers: own })({ queries: [query] })
        const figures = ({ found, verdict }: SearchAnswered) => [
          found.map(({ tool: { key }, relevance }) => [key, relevance]),
          verdict,
        ]
        expect(figures(selected)).toEqual(figures(alone))
      }),
      { numRuns: 100 },
    )
  })

  it('selects nothing that the caller may not use', () => {
    const project = projectOf('p', ['lamps'])
    const eligible = eligibleTools(principalOf(), project, new Map(), snapshotOf(servers))
    expect(eligible.select({ serverIds: new Set(['id-2']) }).list).toEqual([])
  })
})
