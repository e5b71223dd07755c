import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareIds } from '../../compare-ids.ts'
import { corpusOf, numberOf } from '../index/corpus.case.ts'
import { ScoreBoard } from './score-board.ts'
import { topDocuments } from './top-documents.ts'

it('topDocuments chooses what sorting would, ties by id, however documents are numbered', () => {
  const scored = fc.uniqueArray(fc.record({ id: fc.string({ maxLength: 2 }), score: fc.integer({ min: 1, max: 3 }) }), {
    selector: ({ id }) => id,
    maxLength: 30,
    size: 'max',
  })
  fc.assert(
    fc.property(scored, scored, fc.nat({ max: 12 }), (tools, order, limit) => {
      // `order` differs from `tools`: numbers follow neither ids nor scores, nor the order in which scores come.
      const ids = [...new Set([...order, ...tools].map(({ id }) => id))]
      const corpus = corpusOf(ids.map((id) => ({ id, name: id })))
      const board = new ScoreBoard()
      board.reset(corpus.size)
      for (const { id, score } of tools) board.add(numberOf(corpus, id), score)
      const expected = tools.toSorted((a, b) => b.score - a.score || compareIds(a.id, b.id)).slice(0, limit)
      const chosen = topDocuments(board, limit, corpus).map((document) => corpus.tool(document).id)
      expect(chosen.sort()).toEqual(expected.map(({ id }) => id).sort())
    }),
    { numRuns: 500 },
  )
})
