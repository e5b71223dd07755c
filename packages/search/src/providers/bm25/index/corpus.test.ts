import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Corpus } from './corpus.ts'
import { corpusOf, corpusWithPast, numberOf, TOOLS } from './corpus.case.ts'

/** Everything that a corpus holds, without numbers. */
function contentsOf(corpus: Corpus) {
  const { vocabulary, postings, servers } = corpus
  const terms = new Map<string, Map<string, number>>()
  for (let term = 0; term < vocabulary.termCount; term++) {
    const start = postings.start(term)
    const documents = Array.from(postings.documents.subarray(start, start + postings.length(term)))
    if (documents.length === 0) continue
    const byId = documents.map((document) => [corpus.tool(document).id, postings.valueOf(term, document)] as const)
    terms.set(vocabulary.termText(term), new Map(byId))
  }
  const documents = Array.from(
    corpus.numbers(),
    (document) =>
      [
        corpus.tool(document).id,
        {
          tool: corpus.tool(document),
          length: corpus.lengths.get(document),
          nameLength: corpus.nameLengths.get(document),
          hasServer: corpus.serverOf.get(document) >= 0,
          words: corpus.surfaces.length(document),
        },
      ] as const,
  )
  const { count, totalLength } = corpus
  return { terms, documents: new Map(documents), count, totalLength, servers: servers.count }
}

describe('Corpus', () => {
  it('holds after any past what a new one would', () => {
    fc.assert(
      fc.property(TOOLS, TOOLS, (before, tools) => {
        expect(contentsOf(corpusWithPast(before, tools))).toEqual(contentsOf(corpusOf(tools)))
      }),
      { numRuns: 200 },
    )
  })

  it('gives the numbers of removed documents to new ones', () => {
    const corpus = corpusOf([
      { id: 'a', name: 'a' },
      { id: 'b', name: 'b' },
    ])
    const number = numberOf(corpus, 'a')
    corpus.apply({ added: [{ id: 'c', name: 'c' }], changed: [], removed: [{ id: 'a', name: 'a' }] })
    expect([numberOf(corpus, 'c'), corpus.size, corpus.count]).toEqual([number, 2, 2])
    expect(corpus.numberOf('a')).toBeUndefined()
    corpus.apply({ added: [], changed: [], removed: [{ id: 'c', name: 'c' }] })
    expect(corpus.surfaces.length(number)).toBe(0)
  })

  it('keeps the last of tools with the same id', () => {
    const corpus = corpusOf([
      { id: 'a', name: 'first' },
      { id: 'a', name: 'second' },
    ])
    expect(contentsOf(corpus)).toEqual(contentsOf(corpusOf([{ id: 'a', name: 'second' }])))
  })

  it('takes the removal of a tool that it does not have, and ids like any others', () => {
    const corpus = corpusOf([{ id: '__proto__', name: '__proto__' }])
    corpus.apply({ added: [], changed: [], removed: [{ id: 'constructor', name: 'constructor' }] })
    expect(corpus.tool(numberOf(corpus, '__proto__')).name).toBe('__proto__')
    expect(corpus.numberOf('constructor')).toBeUndefined()
    expect(() => corpus.tool(99)).toThrow(RangeError)
  })

  it('changes its revision with every change', () => {
    const corpus = corpusOf([])
    const { revision } = corpus
    corpus.apply({ added: [{ id: 'a', name: 'a' }], changed: [], removed: [] })
    expect(corpus.revision).not.toBe(revision)
  })
})
