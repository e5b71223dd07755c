import { type IndexedTool, ToolSearchError } from '@tooldex/search'
import { type AnalysedTool, allowedByRule, traitsOf } from '@tooldex/search/engine'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Script, ScriptedEngine } from '../../../../../search/src/engine/scripted-engine.case.ts'
import { serverOfSearched } from '../indexed-tools.ts'
import { ids, NARROW, RuledScope, TOOLS, useEngineIndexes, WIDE } from './engine-index-kit.case.ts'
import type { EngineIndexParts, EngineToOpen } from './engine-index.ts'

describe('an engine that misbehaves', () => {
  const { start, lines, leave } = useEngineIndexes()

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
    ['is slow', { lie: () => forever }, /took longer than 1000 ms/],
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
    const { search, engine, memory } = await misbehaving(script, { patienceMs: 1_000 })
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
    if (isRepaired) await expect.poll(() => repairs.slice(before)).toEqual([true])
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
    leave(index)
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
    await expect.poll(() => attempts).toBeGreaterThan(3)
    expect(lines).toEqual([
      expect.stringMatching(/cannot be used; searches are answered from memory.*\/nowhere cannot be written/),
    ])
    isBroken = false
    await expect.poll(() => engine.deltas.length).toBeGreaterThan(0)
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
    await expect.poll(async () => (await search('paint a picture', WIDE)).degraded).toBeUndefined()
    expect(lines).toHaveLength(1)
  })
})
