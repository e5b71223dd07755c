import { describe, expect, it } from 'vitest'
import { makePool, npmServer, until } from '../servers/fixtures/pool.case.ts'
import { LiveCatalog } from './live-catalog.ts'

const NOTHING_KEPT = { load: async () => undefined, save: async () => {} }

describe('LiveCatalog of published servers', () => {
  it('lists and finds their tools, and keeps them while a killed server restarts', async () => {
    const { pool } = makePool()
    const catalog = new LiveCatalog({ pool, lastGood: NOTHING_KEPT, now: Date.now })
    try {
      await catalog.start()
      await pool.reconcile([
        npmServer('memory', [], { id: 'm', start: 'eager' }),
        npmServer('everything', [], { id: 'e', start: 'on-demand' }),
      ])
      await catalog.ready(10_000)
      expect(catalog.snapshot().tools.has('m:create_entities' as never)).toBe(true)
      await until(() => catalog.snapshot().servers.every(({ tools }) => tools.size > 0))
      await until(() => (catalog.snapshot().servers[1]?.resourceTemplates.length ?? 0) > 0)
      const everything = catalog.snapshot().servers[1]
      expect(everything?.prompts.length).toBeGreaterThan(0)
      expect(everything?.resourceTemplates.length).toBeGreaterThan(0)
      const { hits } = await catalog.provider('bm25').search({ queries: ['sum of two numbers'], maxResults: 3 })
      expect(hits.map(({ id }) => id)).toContain('e:get-sum')

      const memory = () => catalog.snapshot().servers[0]
      const count = memory()?.tools.size
      process.kill(pool.get('m')?.status().pid as number, 'SIGKILL')
      await until(() => memory()?.state !== 'running')
      expect(memory()).toMatchObject({ isLastGood: true })
      expect(memory()?.tools.size).toBe(count)
      await until(() => memory()?.state === 'running' && !memory()?.isLastGood)
    } finally {
      await catalog.stop()
      await pool.stop()
    }
  }, 30_000)
})
