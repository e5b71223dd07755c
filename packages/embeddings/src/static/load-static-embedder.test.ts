import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadStaticEmbedder } from './load-static-embedder.ts'
import type { StaticEmbedder } from './static-embedder.ts'

const TABLE = new URL('../../table/static.bin', import.meta.url)

describe('the table of this package', () => {
  let embedder: StaticEmbedder

  beforeAll(() => {
    embedder = loadStaticEmbedder()
  })

  function nearness(one: string, other: string): number {
    const vector = embedder.embedNow(other)
    return embedder.embedNow(one).reduce((sum, value, at) => sum + value * (vector[at] ?? 0), 0)
  }

  it('is the one that its manifest describes', () => {
    const bytes = readFileSync(TABLE)
    const manifest: unknown = JSON.parse(readFileSync(new URL('manifest.json', TABLE), 'utf8'))
    expect(manifest).toMatchObject({
      id: embedder.id,
      dimensions: embedder.dimensions,
      bytes: bytes.length,
      sha256: createHash('sha256').update(bytes).digest('hex'),
    })
  })

  it('is small enough for the default install', () => {
    expect(readFileSync(TABLE).length).toBeLessThanOrEqual(8_000_000)
  })

  it.each([
    ['file a bug', 'create_issue. Create a new issue in a repository', 'delete_file. Delete a file'],
    [
      'will it rain tomorrow',
      'get_forecast. Weather forecast for a location',
      'list_forks. List forks of a repository',
    ],
    ['message my team', 'post_message. Send a message to a channel', 'query. Run a SQL query'],
    ['listPullRequests', 'pull requests of a project', 'play music'],
  ])('has %j nearer to %j than to %j', (query, right, wrong) => {
    expect(nearness(query, right)).toBeGreaterThan(nearness(query, wrong))
  })

  it.each(['天気', 'мир', '   ', ''])('has the zero vector for %j', (text) => {
    expect(embedder.embedNow(text).every((value) => value === 0)).toBe(true)
  })
})

describe('loadStaticEmbedder', () => {
  it('names the missing file and a remedy', () => {
    const missing = pathToFileURL(join(tmpdir(), 'no-such-folder', 'static.bin'))
    expect(() => loadStaticEmbedder(missing)).toThrow(
      expect.objectContaining({
        code: 'EMBEDDER_FAILED',
        details: { reason: expect.any(String), table: missing.href, remedy: expect.stringMatching(/Install/) },
      }),
    )
  })

  it('refuses a file that is cut off', () => {
    const folder = mkdtempSync(join(tmpdir(), 'tooldex-table-'))
    const file = join(folder, 'static.bin')
    writeFileSync(file, readFileSync(TABLE).subarray(0, 100_000))
    expect(() => loadStaticEmbedder(file)).toThrow(expect.objectContaining({ code: 'EMBEDDER_FAILED' }))
    rmSync(folder, { recursive: true })
  })
})
