import { type IndexedTool, type SearchAnswer, ToolScope, ToolSearchError } from '@tooldex/search'
import { type AnalysedTool, allowedByRule, type ToolRule, traitsOf } from '@tooldex/search/engine'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type Script, ScriptedEngine } from '../../../../../search/src/engine/scripted-engine.case.ts'
import { Embedders } from '../embedders.ts'
import { IndexProviders } from '../index-providers.ts'
import { inIdOrder, serverOfSearched } from '../indexed-tools.ts'
import { searchStrategies } from '../search-strategies.ts'
import { EngineIndex, type EngineIndexParts, type EngineToOpen } from './engine-index.ts'

const embedders = new Embedders({ onProblem: () => {} })
const VERBS = ['create', 'delete', 'list', 'send', 'translate', 'archive', 'paint']
const NOUNS = [
  'invoice',
  'branch',
  'mail',
  'folder',
  'ticket',
  'picture',
  'contract',
  'calendar',
  'bridge',
  'song',
  'map',
]
/** More than a narrow scope has here, and more than are ranked. */
const TOOLS = Array.from({ length: 340 }, (_, nth): IndexedTool => {
  const [verb, noun, server] = [VERBS[nth % 7], NOUNS[nth % 11], `s${nth % 13}`]
  return {
    id: `${server}:${verb}_${noun}_${nth}`,
    name: `${verb}_${noun}_${nth}`,
    namespace: `server ${nth % 13}`,
    description: `Will ${verb} one ${noun}.`,
    annotations: { readOnlyHint: nth % 3 === 0 },
  }
})

let lines: string[] = []
const open: EngineIndex[] = []
const log = {
  debug: () => {},
  warn: (facts: object, message: string) => void lines.push(`${message} ${JSON.stringify(facts)}`),
}
beforeEach(() => {
  lines = []
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((index) => index.close()))
})

class RuledScope extends ToolScope {
  readonly rule: ToolRule
  constructor(tools: ReadonlyMap<string, IndexedTool>, rule: ToolRule) {
    const isAllowed = allowedByRule(rule)
    super(function* () {
      for (const tool of tools.values()) {
        if (isAllowed({ id: tool.id, server: serverOfSearched(tool.id), traits: traitsOf(tool) })) yield tool.id
      }
    })
    this.rule = rule
  }
}

function start(engine: ScriptedEngine, more: Partial<EngineIndexParts> = {}, all: readonly IndexedTool[] = TOOLS) {
  const tools = new Map(all.map((tool) => [tool.id, tool]))
  const cache = { load: async () => new Map(), save: async () => {} }
  const makers = searchStrategies({ embedders, cache })
  const source = {
    tools: () => inIdOrder([...tools.values()]),
    get size() {
      return tools.size
    },
  }
  const memory = new IndexProviders(source, { makers })
  const opened: string[] = []
  const index = new EngineIndex({
    ...{ tools, memory, log, embedders: () => embedders.open(), mostNarrow: 60 },
    open: async ({ role }) => {
      opened.push(role)
      return engine
    },
    ...more,
  })
  open.push(index)
  const search = (query: string, rule?: ToolRule, strategy = 'hybrid'): Promise<SearchAnswer> => {
    const within = rule && new RuledScope(tools, rule)
    return index.search(strategy, { queries: [query], maxResults: 5, ...(within && { within }) }, within)
  }
  return { index, tools, search, memory, opened }
}

const NARROW: ToolRule = { tenant: 't', servers: ['s1', 's2'], except: [] }
const WIDE: ToolRule = { tenant: 't', servers: 'all', except: [TOOLS[18]?.id ?? ''] }
const ids = ({ hits }: SearchAnswer): string[] => hits.map(({ id }) => id)

describe('an index on an engine', () => {
  it('[U21] writes all tools, asks the engine for wide scopes only, and answers narrow ones exactly', async () => {
    const engine = new ScriptedEngine()
    const { index, search, memory } = start(engine)
    index.become('writer')
    await index.settled()
    expect(engine.deltas.reduce((sum, { put }) => sum + put.length, 0)).toBe(TOOLS.length)
    // What was not tidied up is gone through one by one.
    expect(engine.tended).toBe(1)
    for (const strategy of ['hybrid', 'bm25']) {
      const narrow = await search('paint a picture', NARROW, strategy)
      expect(engine.asked).toBe(0)
      const within = new RuledScope(new Map(TOOLS.map((tool) => [tool.id, tool])), NARROW)
      const exact = { queries: ['paint a picture'], maxResults: 5, within }
      expect(narrow).toEqual(await memory.provider(strategy).search(exact))
    }
    for (const strategy of ['hybrid', 'bm25']) {
      engine.asked = 0
      const wide = await search('archive_invoice_18', WIDE, strategy)
      expect(engine.asked).toBeGreaterThan(0)
      expect(wide).toMatchObject({ answeredBy: strategy })
      expect(wide.degraded).toBeUndefined()
      expect(ids(wide)).not.toContain(TOOLS[18]?.id)
      expect(ids(await search(TOOLS[20]?.name ?? '', WIDE, strategy))[0]).toBe(TOOLS[20]?.id)
    }
    expect(lines).toEqual([])
  })

  it('[U21] follows changes: put, replaced and removed tools', async () => {
    const engine = new ScriptedEngine()
    const { index, tools, search } = start(engine)
    index.become('writer')
    await index.settled()
    const coffee = { id: 's1:brew', name: 'brew', namespace: 'server 1', description: 'Brews a cup of coffee.' }
    const gone = TOOLS[1] as IndexedTool
    tools.set(coffee.id, coffee)
    tools.delete(gone.id)
    index.changed([coffee.id, gone.id])
    expect(ids(await search('cup of coffee', NARROW))[0]).toBe(coffee.id)
    await expect
      .poll(() => engine.deltas.at(-1))
      .toMatchObject({ put: [{ id: coffee.id, server: 's1' }], remove: [gone.id] })
    expect(engine.tended).toBe(1)
    expect(ids(await search('cup of coffee', WIDE))[0]).toBe(coffee.id)
    expect(ids(await search(gone.name, WIDE))).not.toContain(gone.id)
    expect(ids(await search(gone.name, NARROW))).not.toContain(gone.id)
  })

  it.each([1, 2_000])(
    'writes only what differs when it takes over, and what another one wrote meanwhile: %d',
    async (step) => {
      const engine = new ScriptedEngine()
      const first = start(engine)
      first.index.become('writer')
      await first.index.settled()
      await first.index.close()
      engine.deltas.length = 0
      const [changed, ...others] = TOOLS.slice(1)
      const second = start(engine, {}, [{ ...(changed as IndexedTool), description: 'Other words.' }, ...others])
      second.index.become('reader')
      await second.index.settled()
      second.index.become('writer')
      await second.index.settled()
      expect(second.opened).toEqual(['reader', 'writer'])
      expect(engine.deltas).toMatchObject([{ put: [{ id: changed?.id }], remove: [TOOLS[0]?.id] }])
      // Somebody else writes: the next delta of this one would begin at the wrong revision.
      const at = await engine.revision()
      const apply = engine.apply.bind(engine)
      engine.apply = async (delta, signal) => {
        engine.apply = apply
        await engine.inner.apply({ from: at, to: at + step, put: [], remove: [others[0]?.id ?? ''] })
        return apply(delta, signal)
      }
      second.index.changed([changed?.id ?? ''])
      await expect.poll(() => engine.deltas.length).toBeGreaterThan(2)
      await second.index.settled()
      const stored = (await engine.scope({ tenant: '', servers: 'all', except: [] }, 1e9)) ?? []
      expect(stored.map(({ id }) => id).toSorted()).toEqual([...second.tools.keys()].toSorted())
      const written = engine.deltas.slice(1).flatMap(({ put }) => put.map(({ id }) => id))
      expect(new Set(written)).toEqual(new Set([changed?.id, others[0]?.id]))
      expect(lines).toEqual([])
    },
  )

  it('does not write where another gateway does', async () => {
    const engine = new ScriptedEngine()
    const { index, search } = start(engine)
    index.become('reader')
    await index.settled()
    expect(engine.deltas).toEqual([])
    const behind = await search('paint a picture', WIDE)
    expect(behind.degraded).toEqual({
      strategy: 'hybrid',
      reason: `the engine of the search index does not answer: it has 0 of ${TOOLS.length} tools so far`,
    })
    expect(behind.hits).toHaveLength(5)
  })

  it('says so for a strategy that the engine does not have, and leaves those alone that look at every tool', async () => {
    const { index, search } = start(new ScriptedEngine())
    index.become('writer')
    await index.settled()
    expect(['regex', 'lexical', 'cloud'].map((strategy) => index.answers(strategy))).toEqual([false, false, false])
    expect((await search('paint a picture', NARROW, 'embeddings')).degraded).toMatchObject({ strategy: 'embeddings' })
  })
})

describe('an engine that misbehaves', () => {
  /** Opens an engine that has all tools and then follows a script. */
  async function misbehaving(script: Script, more: Partial<EngineIndexParts> = {}) {
    const engine = new ScriptedEngine()
    const started = start(engine, more)
    started.index.become('writer')
    await started.index.settled()
    Object.assign(engine.script, script)
    return { ...started, engine }
  }
  const forever = new Promise<never>(() => {})
  const nonsense = (tools: unknown): Script => ({
    lie: (candidates) => ({ ...candidates, tools: tools as AnalysedTool[] }),
  })

  it.each<[string, Script, RegExp]>([
    ['is away', { away: 'connection refused' }, /connection refused/],
    ['is slow', { lie: () => forever }, /took longer than 200 ms/],
    [
      'is behind',
      {
        lie: ({ statistics, ...rest }) => ({
          ...rest,
          statistics: { ...statistics, words: { ...statistics.words, count: 3 } },
        }),
      },
      /has 3 of 340 tools so far/,
    ],
    ['answers no tools but a number', nonsense(7), /./],
    [
      'answers packed words that are none',
      {
        lie: (all) => ({
          ...all,
          tools: all.tools.map((tool) => ({ ...tool, terms: new Uint8Array([255, 255, 255, 7]) })),
        }),
      },
      /./,
    ],
    [
      'answers statistics that make no sense',
      {
        lie: ({ statistics, ...rest }) => ({
          ...rest,
          statistics: { ...statistics, words: { ...statistics.words, averageLength: Number.NaN } },
        }),
      },
      /make no sense/,
    ],
  ])('and %s lets the index in memory answer, with the reason, until it answers again', async (_, script, reason) => {
    const { search, engine, memory } = await misbehaving(script, { patienceMs: 200 })
    const answer = await search('paint a picture', WIDE)
    expect(answer.degraded).toMatchObject({ strategy: 'hybrid', reason: expect.stringMatching(reason) as string })
    const { degraded: _reason, ...rest } = answer
    const within = new RuledScope(new Map(TOOLS.map((tool) => [tool.id, tool])), WIDE)
    expect(rest).toEqual(
      await memory.provider('hybrid').search({ queries: ['paint a picture'], maxResults: 5, within }),
    )
    expect((await search('paint a picture', NARROW)).degraded).toBeUndefined()
    for (const key of Object.keys(script)) delete engine.script[key as keyof Script]
    expect((await search('paint a picture', WIDE)).degraded).toBeUndefined()
  })

  it.each<[string, Record<string, string>, 'writer' | 'reader', boolean]>([
    ['failed', { problem: 'failed', reason: 'LanceDB at /x: buffer underflow' }, 'writer', true],
    ['failed', { problem: 'failed', reason: 'LanceDB at /x: buffer underflow' }, 'reader', false],
    ['is away', { reason: 'connection refused' }, 'writer', false],
  ])('and %s is repaired once by the one that writes: %o %s', async (_, details, role, isRepaired) => {
    const engine = new ScriptedEngine()
    const repairs: boolean[] = []
    const open = async ({ repair }: EngineToOpen) => {
      repairs.push(repair)
      if (repair) delete engine.script.away
      return engine
    }
    const { index, search } = start(engine, { open, retryMs: 5 })
    index.become('writer')
    await index.settled()
    index.become(role)
    await index.settled()
    const before = repairs.length
    engine.script.away = new ToolSearchError('SEARCH_UNAVAILABLE', details)
    expect((await search('paint a picture', WIDE)).degraded).toBeDefined()
    if (isRepaired) await vi.waitFor(() => expect(repairs.slice(before)).toEqual([true]))
    await index.settled()
    expect((await search('paint a picture', WIDE)).degraded === undefined).toBe(isRepaired)
    expect(repairs.slice(before)).toEqual(isRepaired ? [true] : [])
  })

  it('and is opened for long lets the index in memory answer meanwhile', async () => {
    const { index, search } = start(new ScriptedEngine(), { open: () => forever, patienceMs: 20 })
    index.become('writer')
    const { degraded, hits } = await search('paint a picture', WIDE)
    expect(degraded?.reason).toBe('the engine of the search index does not answer: it is being opened')
    expect(hits).toHaveLength(5)
    open.length = 0
  })

  it('and is away leaves catalogs without answer that memory does not hold', async () => {
    const { search } = await misbehaving({ away: 'connection refused' }, { mostInMemory: 100 })
    const reason = 'the engine of the search index does not answer: connection refused'
    await expect(search('paint', WIDE)).rejects.toMatchObject({ code: 'SEARCH_UNAVAILABLE', details: { reason } })
    expect((await search('paint a picture', NARROW)).hits).toHaveLength(5)
  })

  it('and lies about tools shows nothing outside the rule, for random rules', async () => {
    const { search, engine, tools } = await misbehaving({})
    const every = (await engine.scope({ tenant: '', servers: 'all', except: [] }, 1e9)) ?? []
    const rules = fc.record({
      tenant: fc.constant('t'),
      servers: fc.oneof(
        fc.constant('all' as const),
        fc.subarray(['s0', 's1', 's2', 's3', 's4', 's5'], { minLength: 1 }),
      ),
      except: fc.subarray(TOOLS.slice(0, 40).map(({ id }) => id)),
      traits: fc.constantFrom({}, { readOnly: true as const }),
    })
    const lies = fc.record({
      picked: fc.array(fc.nat(every.length - 1), { maxLength: 30 }),
      server: fc.constantFrom(undefined, 's0', 's12', 'nowhere'),
      traits: fc.constantFrom(undefined, 0, 3),
      id: fc.constantFrom(undefined, 'no:such', TOOLS[3]?.id),
      complete: fc.boolean(),
    })
    await fc.assert(
      fc.asyncProperty(rules, lies, async (rule, lie) => {
        engine.script.lie = (candidates) => ({
          ...candidates,
          complete: lie.complete,
          tools: lie.picked.map((at) => {
            const tool = every[at] as AnalysedTool
            return {
              ...tool,
              id: lie.id ?? tool.id,
              server: lie.server ?? tool.server,
              traits: lie.traits ?? tool.traits,
            }
          }),
        })
        const isAllowed = allowedByRule(rule)
        for (const id of ids(await search('paint a picture', rule))) {
          const tool = tools.get(id) as IndexedTool
          expect(isAllowed({ id, server: serverOfSearched(id), traits: traitsOf(tool) })).toBe(true)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('and cannot be opened is reported once, and tried again', async () => {
    let isBroken = true
    const engine = new ScriptedEngine()
    let attempts = 0
    const openIt = async () => {
      attempts++
      if (isBroken) throw new Error('the folder /nowhere cannot be written')
      return engine
    }
    const { index, search } = start(engine, { open: openIt, retryMs: 5 })
    index.become('writer')
    const answer = await search('paint a picture', WIDE)
    expect(answer.degraded?.reason).toMatch(/the folder \/nowhere cannot be written/)
    await vi.waitFor(() => expect(attempts).toBeGreaterThan(3), 10_000)
    expect(lines).toEqual([
      expect.stringMatching(/cannot be used; searches are answered from memory.*\/nowhere cannot be written/),
    ])
    isBroken = false
    await vi.waitFor(() => expect(engine.deltas.length).toBeGreaterThan(0), 10_000)
    await index.settled()
    expect((await search('paint a picture', WIDE)).degraded).toBeUndefined()
  })

  it('and cannot tidy up is reported, and written all the same', async () => {
    const engine = new ScriptedEngine()
    engine.tend = () => Promise.reject(new Error('ivf_6.lance not found'))
    const { index, tools, search } = start(engine)
    index.become('writer')
    await index.settled()
    expect(lines).toEqual([expect.stringMatching(/cannot tidy up.*ivf_6.lance not found/)])
    tools.delete(TOOLS[0]?.id ?? '')
    index.changed([TOOLS[0]?.id ?? ''])
    await expect.poll(() => engine.deltas.length).toBe(2)
    await index.settled()
    expect((await search('paint a picture', WIDE)).degraded).toBeUndefined()
    expect(lines).toHaveLength(1)
  })

  it('and is full is reported once with what to do, and written later', async () => {
    const engine = new ScriptedEngine({ full: 'no space left on device' })
    const { index, search } = start(engine, { retryMs: 5 })
    index.become('writer')
    await index.settled()
    await expect.poll(() => lines).toHaveLength(1)
    expect(lines[0]).toMatch(/cannot write.*no space left on device.*has room/)
    expect((await search('paint a picture', WIDE)).degraded?.reason).toMatch(/has 0 of 340 tools so far/)
    delete engine.script.full
    await vi.waitFor(async () => expect((await search('paint a picture', WIDE)).degraded).toBeUndefined(), 10_000)
    expect(lines).toHaveLength(1)
  })
})
