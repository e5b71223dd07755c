import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddingsConfig } from '@tooldex/contract'
import type { Embedder } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { Embedders, type EmbeddersParts } from './embedders.ts'

const config = (own: Partial<EmbeddingsConfig>): EmbeddingsConfig => ({
  provider: 'static',
  timeoutMs: 1_000,
  queryTimeoutMs: 100,
  ...own,
})

function opened(own: Partial<EmbeddingsConfig>, parts: Partial<EmbeddersParts> = {}) {
  const problems: string[] = []
  const embedders = new Embedders({ config: config(own), onProblem: (reason) => problems.push(reason), ...parts })
  return { embedders, problems }
}

/** A fake sentence model. */
class FakeTransformer implements Embedder {
  readonly id = 'fake'
  readonly dimensions = 2
  readonly options: { readonly timeoutMs?: number }
  isClosed = false
  constructor(options: { readonly timeoutMs?: number }) {
    this.options = options
  }
  async embed(texts: readonly string[]): Promise<Float32Array[]> {
    return texts.map(() => Float32Array.of(1, 0))
  }
  close(): void {
    this.isClosed = true
  }
}

describe('Embedders', () => {
  it('are the built-in table by default, opened once', async () => {
    const { embedders, problems } = opened({})
    const [table, ...others] = await embedders.open()
    expect(others).toEqual([])
    expect(table?.embedNow?.('file a bug')).toHaveLength(table?.dimensions ?? 0)
    expect((await embedders.open())[0]).toBe(table)
    expect(problems).toEqual([])
    await embedders.close()
    await new Embedders({ onProblem: () => {} }).close()
  })

  it('are the service first, then the table', async () => {
    const { embedders } = opened({ provider: 'http', url: 'http://127.0.0.1:1/v1', model: 'm', apiKey: 'k' })
    expect((await embedders.open()).map(({ id }) => id)).toEqual([
      'http:127.0.0.1:1/v1/embeddings:m',
      expect.stringMatching(/^(?!http)/),
    ])
    await embedders.close()
  })

  it('have the configured weight', async () => {
    const service = { provider: 'http', url: 'http://127.0.0.1:1/v1', model: 'm' } as const
    expect((await opened({ ...service, weight: 1.5 }).embedders.open())[0]?.weight).toBe(1.5)
    expect((await opened(service).embedders.open())[0]?.weight).toBe(1)
  })

  it('are the sentence model first if it is installed, and close it', async () => {
    const { embedders } = opened(
      { provider: 'transformer', timeoutMs: 7_000 },
      { loadTransformer: async () => ({ TransformerEmbedder: FakeTransformer }) },
    )
    const [model, table] = await embedders.open()
    expect(model).toMatchObject({ id: 'fake', options: { timeoutMs: 7_000 }, isClosed: false })
    expect(table?.embedNow?.('x')).toHaveLength(table?.dimensions ?? 0)
    await embedders.close()
    expect(model).toMatchObject({ isClosed: true })
  })

  it('find the optional package if it is installed', async () => {
    const { embedders, problems } = opened({ provider: 'transformer' })
    expect((await embedders.open())[0]).toMatchObject({ dimensions: 384 })
    expect(problems).toEqual([])
    await embedders.close()
  })

  it('explain how to install a missing sentence model, and continue with the table', async () => {
    const loadTransformer = () => Promise.reject(Object.assign(new Error('no'), { code: 'ERR_MODULE_NOT_FOUND' }))
    const { embedders, problems } = opened({ provider: 'transformer' }, { loadTransformer })
    const [model, table] = await embedders.open()
    const reason = 'the sentence model is not installed: npm install @tooldex/embeddings-transformer'
    expect(problems).toEqual([reason])
    await expect(model?.embed(['x'])).rejects.toThrow(reason)
    expect(table?.embedNow?.('x')).toHaveLength(table?.dimensions ?? 0)
  })

  it('say once that a table is missing or broken', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tooldex-table-'))
    try {
      const broken = join(folder, 'broken.bin')
      await writeFile(broken, 'not a table')
      for (const table of [broken, join(folder, 'missing.bin')]) {
        const { embedders, problems } = opened({ table })
        const [only] = await embedders.open()
        await embedders.open()
        expect(problems).toHaveLength(1)
        expect(problems[0]).toContain('table')
        await expect(only?.embed(['x'])).rejects.toMatchObject({ code: 'EMBEDDER_FAILED' })
      }
    } finally {
      await rm(folder, { recursive: true })
    }
  })
})
