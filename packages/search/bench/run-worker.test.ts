import { describe, expect, it } from 'vitest'
import { runWorker } from './run-worker.ts'

const ignoreStages = () => {}

describe('runWorker', () => {
  it('measures an engine in a process of its own', async () => {
    const stages: string[] = []
    const job = { engine: 'sqlite-fts5', size: 100, queries: 20 } as const
    const outcome = await runWorker(job, { timeLimitMs: 60_000, onStage: (stage) => stages.push(stage) })
    expect(outcome).toMatchObject({ indexMs: expect.any(Number), p50Ms: expect.any(Number), rssMb: expect.any(Number) })
    expect(stages).toEqual(['loading tools', 'indexing', 'searching'])
  })

  it('reports why a worker failed', async () => {
    const job = { engine: 'minisearch', size: 100, queries: 20, tools: 'no-such-folder' } as const
    const outcome = await runWorker(job, { timeLimitMs: 60_000, onStage: ignoreStages })
    expect(outcome).toEqual({ failed: 'No such file or folder: no-such-folder' })
  })

  it('ends a worker that takes too long', async () => {
    const job = { engine: 'minisearch', size: 100_000, queries: 20 } as const
    const outcome = await runWorker(job, { timeLimitMs: 20, onStage: ignoreStages })
    expect(outcome).toEqual({ failed: 'took longer than 0.02 s' })
  })
})
