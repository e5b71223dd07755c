import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueryReader } from '@tooldex/languages'
import type { IndexedTool } from '../../../tool/tool.ts'
import { Bm25Provider } from '../bm25-provider.ts'
import { conceptsOf } from '../query/concepts.ts'
import { corpusOf, numberOf, viewOf } from '../index/corpus.case.ts'
import { explainHit } from './explain-hit.ts'
import { queryWords } from '../query/query-terms.ts'

const reader = createQueryReader()
const explain = (query: string, tool: Partial<IndexedTool>): string => {
  const corpus = corpusOf([{ id: 'a', name: 'x', ...tool }])
  const concepts = conceptsOf(queryWords(query, reader).terms, corpus, viewOf(corpus), true)
  return explainHit(numberOf(corpus, 'a'), concepts, corpus).text
}

describe('explainHit', () => {
  it('shows where each word is, as it was typed', () => {
    const tool = { name: 'read_file', title: 'File reader', namespace: 'files', tags: ['reading'] }
    expect(explain('Reading files', tool)).toBe('"reading" in name, tags · "files" in name, title, server')
    expect(explain('gzip', { inputSchema: { properties: { set: { enum: ['gzip'] } } } })).toBe('"gzip" in parameters')
  })

  it('shows which other word stood for one, as the tool writes it, two at most', () => {
    expect(explain('wipe', { description: 'Deletes it' })).toBe('"wipe → deletes" in description')
    expect(explain('wipe', { description: 'Delete, remove, erase, purge' }).split(' · ')).toHaveLength(2)
    expect(explain('deleted', { description: 'Deletes and removes' })).toBe('"deleted" in description')
  })

  it('shows the meaning of a foreign word', () => {
    expect(explain('請求書を作成', { name: 'create_invoice' })).toBe(
      '"請求書 → invoice" in name · "作成 → create" in name',
    )
    expect(explain('Datei löschen', { name: 'delete_file' })).toBe(
      '"Datei → file" in name · "löschen → delete" in name',
    )
    expect(explain('Datei löschen', { description: 'Datei entfernen' })).toBe('"Datei" in description')
  })

  it('leaves out words that the tool does not have', () => {
    expect(explain('read zyzzyva', { name: 'read' })).toBe('"read" in name')
    expect(explain('zyzzyva', { name: 'read' })).toBe('')
  })

  it('tells nothing of tools that are hidden, gone or came in another order', async () => {
    const words = ['boat', 'best', 'bolt', 'bust', 'boast', 'deploy', 'design', 'delete', 'remove', 'erase']
    const tool = fc.shuffledSubarray(words, { minLength: 1 })
    const query = fc.constantFrom('bost', 'de*', 'b*', 'wipe', 'NOT x* AND d*')
    await fc.assert(
      fc.asyncProperty(fc.array(tool, { minLength: 2, maxLength: 4 }), query, async (descriptions, text) => {
        const tools = descriptions.map((chosen, i) => ({ id: `${i}`, name: 'x', description: chosen.join(' ') }))
        const [hidden, ...visible] = tools
        const answer = async (order: readonly IndexedTool[]) => {
          const provider = new Bm25Provider()
          provider.apply({ added: order, changed: [], removed: [] })
          const within = (one: IndexedTool): boolean => one.id !== hidden?.id
          return provider.search({ queries: [text], maxResults: 9, explain: true, within })
        }
        const expected = await answer(visible)
        expect(await answer(tools)).toEqual(expected)
        expect(await answer(tools.toReversed())).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})
