import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conceptsOf } from '../query/concepts.ts'
import { corpusOf, numberOf, TOOLS, viewOf, WORD } from '../index/corpus.case.ts'
import { queryWords } from '../query/query-terms.ts'
import { coverageOf } from './query-coverage.ts'

describe('coverageOf', () => {
  it('is from 0 to 1, and 0 only for a tool that has none of the words', () => {
    const query = fc.array(WORD, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '))
    fc.assert(
      fc.property(TOOLS, query, (tools, text) => {
        const corpus = corpusOf(tools)
        const concepts = conceptsOf(queryWords(text).terms, corpus, viewOf(corpus), true)
        for (const document of corpus.numbers()) {
          const coverage = coverageOf(document, concepts, corpus, viewOf(corpus))
          const has = concepts.some(({ members }) =>
            members.some(({ term }) => corpus.postings.valueOf(term, document) > 0),
          )
          expect(coverage).toBeLessThanOrEqual(1)
          if (has) expect(coverage).toBeGreaterThan(0)
          else expect(coverage).toBe(0)
        }
      }),
    )
  })

  const corpus = corpusOf([
    { id: 'a', name: 'walnut_cracker', description: 'Cracks a walnut' },
    { id: 'b', name: 'tea', description: 'Brews tea' },
  ])
  const coverage = (text: string) => {
    const concepts = conceptsOf(queryWords(text).terms, corpus, viewOf(corpus), false)
    return coverageOf(numberOf(corpus, 'a'), concepts, corpus, viewOf(corpus))
  }

  it('falls with every word that is missed, known to other tools or to none', () => {
    expect(coverage('walnut')).toBeGreaterThan(0.8)
    expect(coverage('walnut tea')).toBeLessThan(0.6 * coverage('walnut'))
    expect(coverage('walnut zyzzyva')).toBeLessThan(0.6 * coverage('walnut'))
    expect(coverage('zyzzyva')).toBe(0)
  })

  it('is whole where nothing is asked for', () => expect(coverage('')).toBe(1))
})
