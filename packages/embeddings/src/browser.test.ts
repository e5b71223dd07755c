import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createContext, runInContext } from 'node:vm'
import { build, type BuildResult } from 'esbuild'
import { describe, expect, it } from 'vitest'

const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const tableBytes = (name: string): Uint8Array => Uint8Array.from(readFileSync(join(PACKAGE, 'table', name)))

/** A program as a user of the package writes it, bundled without Node. */
function bundled(program: string, condition: 'browser' | 'workerd'): Promise<BuildResult<{ write: false }>> {
  return build({
    stdin: { contents: program, resolveDir: PACKAGE },
    bundle: true,
    write: false,
    logLevel: 'silent',
    format: 'iife',
    platform: condition === 'browser' ? 'browser' : 'neutral',
    conditions: [condition, 'tooldex-source'],
  })
}

const PROGRAM = (specifier: string) => `
  import { createToolIndex, HybridProvider, loadIndex } from '@tooldex/search'
  import { fetchStaticEmbedder } from '${specifier}'
  globalThis.answer = (async () => {
    const embedder = await fetchStaticEmbedder('https://example.com/table.bin')
    const index = createToolIndex({ provider: new HybridProvider([embedder]) })
    await index.registerToolsFromMCP('tracker', [
      { name: 'create_issue', description: 'Opens an issue' },
      { name: 'list_labels', description: 'Lists labels' },
    ])
    const loaded = await loadIndex(await index.save(), { provider: new HybridProvider([embedder]) })
    const { results, answeredBy } = await loaded.search('file a bug')
    return JSON.stringify({ first: results[0].id, answeredBy })
  })()
`

/** Runs a bundle with the globals of a worker and nothing of Node. */
function inWorker(code: string, table: string, withWasm: boolean): Promise<string> {
  const fetched = { ok: true, status: 200, arrayBuffer: async () => tableBytes(table).buffer }
  const globals: Record<string, unknown> = {
    ...{ TextDecoder, TextEncoder, URL, AbortController, AbortSignal, atob, btoa, crypto, performance },
    ...{ setTimeout, clearTimeout, queueMicrotask },
    fetch: async () => fetched,
  }
  const context = createContext(globals)
  if (!withWasm) runInContext('delete globalThis.WebAssembly', context)
  runInContext(code, context)
  return globals['answer'] as Promise<string>
}

describe('the package without Node', () => {
  it.each([
    ['@tooldex/embeddings/static', 'browser'],
    ['@tooldex/embeddings', 'browser'],
    ['@tooldex/embeddings', 'workerd'],
  ] as const)('%s can be bundled for %s and searches in a worker', async (specifier, condition) => {
    const { outputFiles, errors } = await bundled(PROGRAM(specifier), condition)
    expect(errors).toEqual([])
    const code = outputFiles[0]?.text ?? ''
    expect(code).not.toMatch(/['"]node:|\brequire\(/)
    const answer = await inWorker(code, 'static.bin', true)
    expect(JSON.parse(answer)).toEqual({ first: 'tracker:create_issue', answeredBy: 'hybrid' })
  })

  it('answers the same with the small table, and without WebAssembly', async () => {
    const { outputFiles } = await bundled(PROGRAM('@tooldex/embeddings/static'), 'browser')
    const code = outputFiles[0]?.text ?? ''
    for (const [table, withWasm] of [
      ['small.bin', true],
      ['static.bin', false],
    ] as const) {
      const answer = await inWorker(code, table, withWasm)
      expect(JSON.parse(answer)).toEqual({ first: 'tracker:create_issue', answeredBy: 'hybrid' })
    }
  })

  it('exports its tables, so that a bundler or a server finds them', () => {
    for (const name of ['static.bin', 'small.bin']) {
      const path = fileURLToPath(import.meta.resolve(`@tooldex/embeddings/table/${name}`))
      expect(readFileSync(path).subarray(0, 8).toString()).toBe('TDXTABLE')
    }
  })
})
