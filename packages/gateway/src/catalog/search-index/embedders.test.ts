import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { EmbeddingsConfig } from '@tooldex/contract'
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
