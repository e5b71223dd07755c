import { readFileSync } from 'node:fs'
import { Bm25Provider, createToolIndex, type Embedder, EmbeddingsProvider } from '@tooldex/search'
import { describe, expect, it } from 'vitest'
import { createQueryReader } from './index.ts'

const README = readFileSync(new URL('../README.md', import.meta.url), 'utf8')

describe('a query reader in a provider', () => {
  it('finds an English tool for a German query, as the README shows', async () => {
    const index = createToolIndex({ provider: new Bm25Provider({ queryReader: createQueryReader() }) })
    await index.registerToolsFromMCP('shop', [{ name: 'create_invoice', description: 'Create an invoice.' }])
    const { results } = await index.search('Rechnung erstellen', { explain: true })
    expect(results.map(({ id }) => id)).toEqual(['shop:create_invoice'])
    expect(README).toContain(`\`\`\`text\n${results[0]?.explanation?.text}\n\`\`\``)
  })

  it('gives an English embedder the English words', async () => {
    const embedded: string[] = []
    const embedNow = (text: string): Float32Array => {
      embedded.push(text)
      return new Float32Array([1, 0])
    }
    const embed = async (texts: readonly string[]): Promise<Float32Array[]> => texts.map(embedNow)
    const embedder: Embedder = { id: 'toy', dimensions: 2, language: 'en', embedNow, embed }
    const provider = new EmbeddingsProvider([embedder], { queryReader: createQueryReader() })
    const index = createToolIndex({ provider })
    await index.registerToolsFromMCP('shop', [{ name: 'create_invoice' }])
    await index.search('請求書を作成')
    expect(embedded).toContain('invoice create')
  })
})
