import { describe, expect, it } from 'vitest'
import { generateTools } from './generate-tools.ts'
import { makeQueries } from './queries.ts'

describe('makeQueries', () => {
  const tools = generateTools(200)
  const queries = makeQueries(tools, 300)

  it('asks the same for the same tools and seed and something else for another seed', () => {
    expect(makeQueries(tools, 300)).toEqual(queries)
    expect(makeQueries(tools, 300, 9)).not.toEqual(queries)
  })

  it('asks in three to ten lower-case words, of every length', () => {
    const lengths = new Set(queries.map(({ text }) => text.split(' ').length))
    expect([...lengths].sort((a, b) => a - b)).toEqual([3, 4, 5, 6, 7, 8, 9, 10])
    for (const { text } of queries) expect(text).toMatch(/^[\p{Ll}\p{N} ]+$/u)
  })

  it('never asks the same twice', () => {
    expect(new Set(queries.map(({ text }) => text)).size).toBe(300)
  })

  it('borrows words of the tool it asks about', () => {
    const byId = new Map(tools.map((tool) => [tool.id, `${tool.name} ${tool.description}`.toLowerCase()]))
    for (const { text, about } of queries) {
      const borrowed = text.split(' ').filter((word) => byId.get(about)?.includes(word))
      expect(borrowed.length).toBeGreaterThanOrEqual(2)
    }
  })

  it('takes words in any script and passes over tools without words', () => {
    const wordless = { id: 's:!', name: '!', server: 's', description: '' }
    const japanese = { id: 's:検索', name: '検索', server: 's', description: '天気 予報 を 検索 する ツール です' }
    for (const query of makeQueries([wordless, japanese], 5)) expect(query.about).toBe('s:検索')
  })

  it('reports tools with too few words', () => {
    expect(() => makeQueries([], 1)).toThrow('Cannot make 1 different queries')
    expect(() => makeQueries([{ id: 's:a', name: 'a', server: 's', description: '' }], 1)).toThrow('Cannot make 1')
  })
})
