import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stem } from '../../../text/stem.ts'
import { tokensOf } from '../../../text/tokenise.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { type Concept, conceptsOf } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { corpusOf, corpusWithPast, numberOf, TOOLS, viewOf, WORD } from '../index/corpus.case.ts'
import { rarity } from '../index/frequency.ts'
import { B, K1, ONE, SERVER_B, SERVER_K1, SERVER_NAME_COUNT } from '../parameters.ts'
import { frequencyIn } from '../index/posting.ts'
import { queryWords } from '../query/query-terms.ts'
import { Scorer } from './scorer.ts'

const average = (numbers: readonly number[]): number => numbers.reduce((sum, one) => sum + one, 0) / numbers.length
const best = (scores: readonly number[]): number => Math.max(0, ...scores)

/** BM25F by its formula: weighted frequencies come from a corpus of the one tool. */
function toolScore(
  tool: IndexedTool,
  tools: readonly IndexedTool[],
  concepts: readonly Concept[],
  corpus: Corpus,
): number {
  const alone = corpusOf([tool])
  const length = alone.totalLength / average(tools.map((one) => corpusOf([one]).totalLength))
  const scores = concepts.map(({ members }) =>
    best(
      members.map(({ term, weight }) => {
        const own = alone.vocabulary.findTerm(corpus.vocabulary.termText(term))
        const frequency = frequencyIn(alone.postings.valueOf(own, numberOf(alone, tool.id)))
        return (weight * frequency) / (frequency + K1 * ONE * (1 - B + B * length))
      }),
    ),
  )
  return scores.reduce((sum, score) => sum + score, 0)
}

/** BM25 by its formula, over the words of the server and of its tools' names. */
function serverScores(
  tools: readonly IndexedTool[],
  concepts: readonly Concept[],
  corpus: Corpus,
): Map<string, number> {
  const stems = (text = ''): string[] => tokensOf(text).map(stem)
  const servers = new Map<string, string[]>()
  for (const tool of tools) {
    if (tool.namespace === undefined) continue
    const key = serverOf(tool)
    const name = Array.from({ length: SERVER_NAME_COUNT }, () => stems(tool.namespace)).flat()
    servers.set(key, [...(servers.get(key) ?? [...name, ...stems(tool.namespaceDescription)]), ...stems(tool.name)])
  }
  const documents = [...servers.values()]
  const averageLength = average(documents.map((words) => words.length))
  const score = (words: readonly string[], concept: Concept): number =>
    best(
      concept.members.map(({ term, share }) => {
        const count = (list: readonly string[]) =>
          list.filter((word) => word === corpus.vocabulary.termText(term)).length
        const having = documents.filter((list) => count(list) > 0).length
        const length = SERVER_K1 * (1 - SERVER_B + (SERVER_B * words.length) / averageLength)
        return (share * rarity(having, documents.length) * count(words)) / (count(words) + length)
      }),
    )
  const total = (words: readonly string[]) => concepts.reduce((sum, concept) => sum + score(words, concept), 0)
  return new Map(Array.from(servers, ([key, words]) => [key, total(words)]))
}

const serverOf = ({ namespace, namespaceDescription }: IndexedTool) => JSON.stringify([namespace, namespaceDescription])

describe('Scorer', () => {
  it('scores tools and servers by the formula, over any view, after any past', () => {
    const query = fc.array(fc.oneof(WORD, fc.constantFrom('document', 'fetch')), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(TOOLS, TOOLS, fc.func(fc.boolean()), query, (before, tools, chosen, words) => {
        const corpus = corpusWithPast(before, tools)
        const part = tools.filter(({ id }) => chosen(id))
        const view = viewOf(corpus, new Set(part.map(({ id }) => id)))
        const concepts = conceptsOf(queryWords(words.join(' ')).terms, corpus, view, false)
        const scorer = new Scorer(corpus)
        scorer.score(conceptsOf(queryWords('story read').terms, corpus, viewOf(corpus), false), viewOf(corpus))
        const scores = scorer.score(concepts, view)
        const servers = serverScores(part, concepts, corpus)
        for (const tool of tools) {
          const document = numberOf(corpus, tool.id)
          const isVisible = part.includes(tool)
          const expected = isVisible ? toolScore(tool, part, concepts, corpus) : 0
          expect(scores.tools.values[document]).toBeCloseTo(expected, 10)
          if (!isVisible || tool.namespace === undefined) continue
          const server = scores.servers.values[corpus.serverOf.get(document)]
          expect(server).toBeCloseTo(servers.get(serverOf(tool)) ?? 0, 10)
        }
      }),
      { numRuns: 150 },
    )
  })
})
