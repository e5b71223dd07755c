import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import { hasCode } from '@tooldex/search'
import { afterEach, describe, expect, it } from 'vitest'
import { TransformerEmbedder, type TransformerEmbedderOptions } from './transformer-embedder.ts'

const open: TransformerEmbedder[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((embedder) => embedder.close()))
})

const embedderOf = (options: TransformerEmbedderOptions = {}): TransformerEmbedder => {
  const embedder = new TransformerEmbedder(options)
  open.push(embedder)
  return embedder
}

/** A thread that runs the code for each text. `answer(first)` answers with a vector that begins with this number. */
const workerThat = (code: string) => () =>
  new Worker(
    `const { parentPort } = require('node:worker_threads')
     const answer = (first) => parentPort.postMessage({ vector: new Float32Array(384).fill(first, 0, 1) })
     let count = 0
     parentPort.on('message', ({ text }) => { count++; ${code} })`,
    { eval: true },
  )

async function failureOf(answer: Promise<unknown>): Promise<string> {
  const error = await answer.then(
    () => expect.unreachable('it answered'),
    (reason: unknown) => reason,
  )
  expect(hasCode(error, 'EMBEDDER_FAILED')).toBe(true)
  return (error as Error).message
}

const dot = (a: Float32Array | undefined, b: Float32Array | undefined): number =>
  a?.reduce((sum, value, at) => sum + value * (b?.[at] ?? 0), 0) ?? 0

describe('TransformerEmbedder', () => {
  it('gives similar vectors to texts of similar meaning', { timeout: 60_000 }, async () => {
    const embedder = embedderOf()
    const [bug, issue, file, blank] = await embedder.embed([
      'file a bug',
      'create_issue. Create a new issue in a repository',
      'delete_file. Delete a file',
      ' ',
    ])
    expect(bug).toHaveLength(embedder.dimensions)
    expect(dot(bug, bug)).toBeCloseTo(1, 4)
    expect(dot(bug, issue)).toBeGreaterThan(dot(bug, file))
    expect(blank).toEqual(new Float32Array(384))
    const [again] = await embedder.embed(['file a bug'], { purpose: 'tool' })
    expect(again).toEqual(bug)
    const unusual = await embedder.embed(['x'.repeat(1_000_000), '\ud83d', '日本語のクエリ'])
    expect(unusual.map((vector) => Math.round(dot(vector, vector) * 1e4) / 1e4)).toEqual([1, 1, 1])
  })

  it('keeps the process alive for a search, but not for tools', { timeout: 60_000 }, () => {
    const module = fileURLToPath(new URL('./transformer-embedder.ts', import.meta.url))
    const run = (purpose: string): string => {
      const program = `import { TransformerEmbedder } from ${JSON.stringify(module)}
        void new TransformerEmbedder().embed(['x'], { purpose: '${purpose}' }).then(() => console.log('answered'))`
      const args = ['--conditions=tooldex-source', '--input-type=module', '--eval', program]
      return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout
    }
    expect(run('tool')).toBe('')
    expect(run('query')).toBe('answered\n')
  })

  it('lets texts of searches overtake those of tools', async () => {
    const embedder = embedderOf({ startWorker: workerThat('answer(count)') })
    const tools = embedder.embed(['a', 'b', 'c'], { purpose: 'tool' })
    const query = embedder.embed(['q'], { purpose: 'query' })
    const orderOf = (vectors: readonly Float32Array[]): unknown[] => vectors.map(([first]) => first)
    expect([orderOf(await tools), orderOf(await query)]).toEqual([[1, 3, 4], [2]])
  })

  it('removes aborted texts from the queue', async () => {
    const embedder = embedderOf({ startWorker: workerThat('answer(count)') })
    const aborting = new AbortController()
    const first = embedder.embed(['a'])
    const dropped = embedder.embed(['b', 'c'], { signal: aborting.signal })
    const last = embedder.embed(['d'])
    aborting.abort(new Error('enough'))
    await expect(dropped).rejects.toThrow('enough')
    expect((await first)[0]?.[0]).toBe(1)
    expect((await last)[0]?.[0]).toBe(2)
    await expect(embedder.embed(['e'], { signal: aborting.signal })).rejects.toThrow('enough')
  })

  it('continues after the current text was aborted', async () => {
    const embedder = embedderOf({ startWorker: workerThat('answer(count)') })
    const aborting = new AbortController()
    const dropped = embedder.embed(['a'], { signal: aborting.signal })
    aborting.abort(new Error('enough'))
    await expect(dropped).rejects.toThrow('enough')
    expect((await embedder.embed(['b']))[0]?.[0]).toBe(2)
  })

  it.each([
    ['ends', 'process.exit(7)', 'its thread ended with code 7'],
    ['throws', "throw new Error('no memory')", 'its thread failed'],
    ['hangs', '', 'it did not answer within 2000 ms'],
    ['lies about the length', 'parentPort.postMessage({ vector: new Float32Array(3) })', 'not a vector'],
    ['is no number', 'answer(NaN)', 'not a vector'],
  ])(
    'rejects all waiting texts when the thread %s, and starts a new one',
    { timeout: 20_000 },
    async (_name, code, problem) => {
      let starts = 0
      const startWorker = (): Worker => workerThat(++starts === 1 ? code : 'answer(1)')()
      const embedder = embedderOf({ startWorker, timeoutMs: 2_000 })
      const [first, second] = [embedder.embed(['a']), embedder.embed(['b'])]
      expect(await failureOf(first)).toContain(problem)
      expect(await failureOf(second)).toContain(problem)
      expect(starts).toBe(1)
      if (problem !== 'not a vector') expect(await embedder.embed(['c'])).toHaveLength(1)
    },
  )

  it('fails if no thread can be started', async () => {
    const startWorker = (): Worker => {
      throw new Error('no threads here')
    }
    expect(await failureOf(embedderOf({ startWorker }).embed(['a', 'b']))).toContain('could not be started')
  })

  it('rejects requests under way when it is closed', async () => {
    const embedder = embedderOf({ startWorker: workerThat('') })
    const pending = embedder.embed(['a'])
    await Promise.all([embedder.close(), failureOf(pending)])
    expect(await failureOf(embedder.embed(['b']))).toContain('it was closed')
    await embedder.close()
  })
})
