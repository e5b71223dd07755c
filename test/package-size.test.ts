import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { describe, expect, it } from 'vitest'

interface Bundle {
  readonly gzipKb: number
  /** From the sources' folder. */
  readonly modules: readonly string[]
}

const SOURCES = fileURLToPath(new URL('../packages/search/src/', import.meta.url))
const ENTRY = '\0entry'
const SYNONYM_TABLE = /synonym-table\.ts$/

const NO_SYNONYMS = 'export const SYNONYM_GROUPS = []; export const RELATED_WORDS = []'

/** Bundles, minifies and compresses a program that imports the library. */
async function bundle(program: string, options: { readonly withData: boolean }): Promise<Bundle> {
  const bundled = await rolldown({
    input: ENTRY,
    plugins: [
      {
        name: 'program',
        resolveId: (id: string) => (id === ENTRY ? ENTRY : id === '@tooldex/search' ? `${SOURCES}index.ts` : undefined),
        load: (id: string) => {
          if (id === ENTRY) return program
          return options.withData || !SYNONYM_TABLE.test(id) ? undefined : NO_SYNONYMS
        },
      },
    ],
  })
  const { output } = await bundled.generate({ minify: true })
  await bundled.close()
  const chunks = output.filter((file) => file.type === 'chunk')
  return {
    gzipKb: gzipSync(chunks.map(({ code }) => code).join('')).length / 1000,
    modules: chunks.flatMap(({ moduleIds }) => moduleIds).map((id) => id.replace(SOURCES, '')),
  }
}

const everything = await bundle("export * from '@tooldex/search'", { withData: true })
const withoutData = await bundle("export * from '@tooldex/search'", { withData: false })
const lexicalAlone = await bundle("export { LexicalProvider } from '@tooldex/search'", { withData: true })

const withIndex = (provider: string): Promise<Bundle> =>
  bundle(`export { createToolIndex, ${provider} } from '@tooldex/search'`, { withData: true })
const lexicalIndex = await withIndex('LexicalProvider')
const bm25Index = await withIndex('Bm25Provider')
const README = readFileSync(new URL('../packages/search/README.md', import.meta.url), 'utf8')

const kb = ({ gzipKb }: Bundle): string => `${gzipKb.toFixed(1)} kB`

describe('the library, minified and compressed', () => {
  it(`stays under 53 kB without its synonyms: ${kb(withoutData)}, ${kb(everything)} with them`, () => {
    expect(withoutData.modules).toContain('providers/bm25/bm25-provider.ts')
    expect(withoutData.gzipKb).toBeLessThan(53)
    expect(everything.gzipKb).toBeGreaterThan(withoutData.gzipKb)
    expect(everything.gzipKb).toBeLessThan(64)
  })

  it.each([
    ['everything', everything],
    ['an index with `Bm25Provider`', bm25Index],
    ['an index with `LexicalProvider`', lexicalIndex],
    ['`LexicalProvider` alone', lexicalAlone],
  ])('is as large as its README says: %s', (what, { gzipKb }) => {
    const [, stated] = new RegExp(`\\| ${what} +\\| +([\\d.]+) \\|`).exec(README) ?? []
    expect(Math.abs(Number(stated) - gzipKb), `${what}: ${gzipKb.toFixed(1)} kB`).toBeLessThan(1 + gzipKb / 10)
  })

  it(`leaves out modules that are not imported: ${kb(lexicalAlone)} for LexicalProvider alone`, () => {
    expect(lexicalAlone.modules).toContain('providers/lexical/lexical-provider.ts')
    expect(lexicalAlone.modules.filter((id) => /bm25|synonym|stem\.ts|in-memory-tool-index/.test(id))).toEqual([])
    expect(lexicalAlone.gzipKb).toBeLessThan(withoutData.gzipKb / 2)
  })
})
