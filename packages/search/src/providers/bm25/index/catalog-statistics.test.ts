import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IndexedTool } from '../../../tool/tool.ts'
import { Bm25Provider } from '../bm25-provider.ts'
import { type CatalogStatistics, serverKey } from './catalog-statistics.ts'
import { TermReader } from './term-reader.ts'

/** The statistics of a catalog, as a store that holds it would count them. */
function statisticsOf(tools: readonly IndexedTool[]): CatalogStatistics {
  const reader = new TermReader()
  const servers = new Map<string, { nameLength: number; ownLength: number; counts: Map<string, number> }>()
  const frequencies = new Map<string, number>()
  let length = 0
  for (const tool of tools) {
    const read = reader.read(tool)
    length += read.length
    const { counts: own, length: ownLength } = reader.readServer(tool)
    const server = servers.get(serverKey(tool) ?? '') ?? { nameLength: 0, ownLength, counts: new Map(own) }
    servers.set(serverKey(tool) ?? '', server)
    server.nameLength += read.nameLength
    for (const { stem, nameCount } of read.terms) {
      frequencies.set(stem, (frequencies.get(stem) ?? 0) + 1)
      if (nameCount > 0) server.counts.set(stem, (server.counts.get(stem) ?? 0) + nameCount)
    }
  }
  const all = [...servers.values()]
  const serverFrequencies = new Map<string, number>()
  for (const stem of all.flatMap(({ counts }) => [...counts.keys()])) {
    serverFrequencies.set(stem, (serverFrequencies.get(stem) ?? 0) + 1)
  }
  const serverLength = all.reduce((sum, { nameLength, ownLength }) => sum + nameLength + ownLength, 0)
  return {
    count: tools.length,
    averageLength: length / tools.length,
    serverCount: servers.size,
    averageServerLength: serverLength / servers.size,
    frequencies,
    serverFrequencies,
    servers,
  }
}

const word = fc.constantFrom('create', 'issue', 'file', 'list', 'mail', 'weather', 'query')
const words = fc.array(word, { minLength: 1, maxLength: 4 })
const tool = fc
  .record({ namespace: fc.constantFrom('github', 'mail', 'files'), name: words, description: words })
  .map(({ namespace, name, description }): IndexedTool => {
    const tools = { namespace, name: name.join('_'), description: description.join(' ') }
    return { ...tools, id: `${namespace}:${tools.name}`, namespaceDescription: `All about ${namespace}` }
  })

describe('a provider that has a part of a catalog', () => {
  it('scores the tools that it has as one that has them all, given the statistics of all', async () => {
    const tools = fc.uniqueArray(tool, { selector: ({ id }) => id, minLength: 3, maxLength: 30 })
    await fc.assert(
      fc.asyncProperty(tools, words, async (all, query) => {
        const request = { queries: [query.join(' ')], maxResults: 100 }
        const whole = new Bm25Provider()
        whole.apply({ added: all, changed: [], removed: [] })
        const expected = await whole.search(request)
        const found = new Set(expected.hits.map(({ id }) => id))
        const part = new Bm25Provider({ catalog: statisticsOf(all) })
        part.apply({ added: all.filter(({ id }) => found.has(id)), changed: [], removed: [] })
        expect(await part.search(request)).toEqual(expected)
      }),
      { numRuns: 200 },
    )
  })
})
