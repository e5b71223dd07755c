import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../text/stem.ts'
import { tokensOf } from '../../../text/tokenise.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { ToolScope } from '../../../tool/tool-scope.ts'
import type { Corpus } from './corpus.ts'
import { corpusOf, corpusWithPast, TOOLS, viewOf } from './corpus.case.ts'
import { MOST_FIELD_CHARACTERS, SERVER_NAME_COUNT } from '../parameters.ts'
import { type CorpusView, CorpusViews } from './corpus-view.ts'

const lengthOf = (text = ''): number => tokensOf(text).length
const average = (numbers: readonly number[]): number =>
  numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length

/** The counts that a view of these tools must have, from the tools themselves. */
function recount(tools: readonly IndexedTool[]) {
  const servers = new Map<string, number>()
  for (const { name, namespace, namespaceDescription } of tools) {
    if (namespace === undefined) continue
    const key = JSON.stringify([namespace, namespaceDescription ?? ''])
    const own = SERVER_NAME_COUNT * lengthOf(namespace) + lengthOf(namespaceDescription)
    servers.set(key, (servers.get(key) ?? own) + lengthOf(name))
  }
  const lengths = tools.map((tool) => corpusOf([tool]).totalLength)
  return {
    count: tools.length,
    averageLength: average(lengths),
    serverCount: servers.size,
    averageServerLength: average([...servers.values()]),
    serverLengths: [...servers.values()].sort((a, b) => a - b),
  }
}

function countsOf(view: CorpusView, corpus: Corpus) {
  const { count, averageLength, serverCount, averageServerLength } = view
  const serverLengths: number[] = []
  for (let server = 0; server < corpus.servers.size; server++) {
    const isVisible = (view.toolCounts[server] ?? 0) > 0
    if (isVisible) serverLengths.push(corpus.servers.ownLengths.get(server) + (view.nameLengths[server] ?? 0))
  }
  return { count, averageLength, serverCount, averageServerLength, serverLengths: serverLengths.sort((a, b) => a - b) }
}

describe('a view', () => {
  it('counts what a recount of its tools gives, after any past, whole or in part', () => {
    fc.assert(
      fc.property(TOOLS, TOOLS, fc.func(fc.boolean()), (before, tools, chosen) => {
        const corpus = corpusWithPast(before, tools)
        const part = tools.filter(({ id }) => chosen(id))
        const ids = new Set(part.map(({ id }) => id))
        expect(countsOf(viewOf(corpus), corpus)).toEqual(recount(tools))
        expect(countsOf(viewOf(corpus, ids), corpus)).toEqual(recount(part))
        const { visible } = viewOf(corpus, ids)
        for (const document of corpus.numbers())
          expect(visible?.[document]).toBe(ids.has(corpus.tool(document).id) ? 1 : 0)
      }),
      { numRuns: 150 },
    )
  })

  it('holds the same tools for a set, a scope and a predicate, unknown ids left out', () => {
    const corpus = corpusOf([
      { id: 'a', name: 'a' },
      { id: 'b', name: 'b' },
      { id: '__proto__', name: 'c' },
    ])
    const ids = new Set(['a', '__proto__', 'constructor'])
    const views = new CorpusViews(corpus)
    const view = views.viewOf(ids)
    expect(view.count).toBe(2)
    expect(views.viewOf(new ToolScope(ids))).toEqual(view)
    expect(views.viewOf((tool) => ids.has(tool.id))).toEqual(view)
  })

  it('lets through only what a predicate answers true for', () => {
    const corpus = corpusOf([{ id: 'a', name: 'a' }])
    const hopeful = (() => Promise.resolve(true)) as unknown as () => boolean
    expect(new CorpusViews(corpus).viewOf(hopeful).count).toBe(0)
  })
})

describe('CorpusViews', () => {
  it('keeps the views of scopes and of the whole until the tools change', () => {
    const corpus = corpusOf([{ id: 'a', name: 'a' }])
    const views = new CorpusViews(corpus)
    const scope = new ToolScope(['a', 'b'])
    const [whole, part] = [views.viewOf(undefined), views.viewOf(scope)]
    expect(views.viewOf(undefined)).toBe(whole)
    expect(views.viewOf(scope)).toBe(part)
    corpus.apply({ added: [{ id: 'b', name: 'b' }], changed: [], removed: [] })
    expect(views.viewOf(undefined).count).toBe(2)
    expect(views.viewOf(scope).count).toBe(2)
  })

  it('reads a set anew at every search', () => {
    const views = new CorpusViews(corpusOf([{ id: 'a', name: 'a' }]))
    const ids = new Set(['a'])
    expect(views.viewOf(ids).count).toBe(1)
    ids.clear()
    expect(views.viewOf(ids).count).toBe(0)
  })
})

describe('ServerTable', () => {
  const tool = (id: string, namespaceDescription: string): IndexedTool => ({
    id,
    name: id,
    namespace: 'files',
    namespaceDescription,
  })
  const serversSaying = (corpus: Corpus, word: string): number =>
    corpus.servers.ownPostings.length(corpus.vocabulary.findTerm(stem(word)))

  it('takes a server with its words out with its last tool', () => {
    const corpus = corpusOf([tool('a', 'walnut'), tool('b', 'walnut')])
    corpus.apply({ added: [], changed: [], removed: [tool('a', '')] })
    expect([corpus.servers.count, serversSaying(corpus, 'walnut')]).toEqual([1, 1])
    corpus.apply({ added: [], changed: [tool('b', 'chestnut')], removed: [] })
    expect([corpus.servers.count, serversSaying(corpus, 'walnut'), serversSaying(corpus, 'chestnut')]).toEqual([
      1, 0, 1,
    ])
    corpus.apply({ added: [], changed: [], removed: [tool('b', '')] })
    expect([corpus.servers.count, serversSaying(corpus, 'chestnut'), corpus.servers.size]).toEqual([0, 0, 1])
  })

  it('takes one namespace with two descriptions for two servers, and none for no server', () => {
    const corpus = corpusOf([tool('a', 'walnut'), tool('b', 'chestnut'), { id: 'c', name: 'c' }])
    expect(corpus.servers.count).toBe(2)
  })

  it('counts the words of its name twice', () => {
    const corpus = corpusOf([tool('a', 'files')])
    expect(corpus.servers.ownPostings.valueOf(corpus.vocabulary.findTerm(stem('files')), 0)).toBe(1 + SERVER_NAME_COUNT)
  })

  it('reads a description no further than the limit', () => {
    const corpus = corpusOf([tool('a', `${' '.repeat(MOST_FIELD_CHARACTERS)}walnut`)])
    expect(serversSaying(corpus, 'walnut')).toBe(0)
  })
})
