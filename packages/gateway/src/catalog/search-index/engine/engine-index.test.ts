import type { IndexedTool } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { ScriptedEngine } from '../../../../../search/src/engine/scripted-engine.case.ts'
import { ids, NARROW, RuledScope, TOOLS, useEngineIndexes, WIDE } from './engine-index-kit.case.ts'

describe('an index on an engine', () => {
  const { start, lines } = useEngineIndexes()

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
