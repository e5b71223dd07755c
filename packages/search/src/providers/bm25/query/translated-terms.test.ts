import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createQueryReader } from '@tooldex/languages'
import { type Concept, conceptsOf } from './concepts.ts'
import { corpusOf, viewOf } from '../index/corpus.case.ts'
import { rarity } from '../index/frequency.ts'
import { KNOWN_WORD_MEANING_WEIGHT, MOST_QUERY_TERMS, SYNONYM_WEIGHT } from '../parameters.ts'
import { queryWords } from './query-terms.ts'

const reader = createQueryReader()
const stemsOf = (text: string): string[] => queryWords(text, reader).terms.map(({ stem }) => stem)
const meaningsOf = (text: string): string[][] =>
  queryWords(text, reader).terms.map(({ meanings }) => meanings.map(({ stem }) => stem))

/** Any code points, unpaired surrogates included. */
const anyText = fc
  .array(fc.integer({ min: 0, max: 0x10ffff }), { maxLength: 8 })
  .map((codes) => String.fromCodePoint(...codes))

describe('queryWords of a query that a reader can read', () => {
  it('has phrases with their meanings, and no function words', () => {
    expect(stemsOf('die Rechnung löschen')).toEqual(['rechnung', 'loschen'])
    expect(meaningsOf('die Rechnung löschen').map(([first]) => first)).toEqual(['invoic', 'delet'])
  })

  it('has the words as typed without a reader', () => {
    expect(queryWords('die Rechnung löschen').terms.map(({ word }) => word)).toEqual(['die', 'rechnung', 'loschen'])
    expect(queryWords('die Rechnung löschen').terms.flatMap(({ meanings }) => meanings)).toEqual([])
  })

  it('has a term for each English word that a phrase means', () => {
    expect(
      meaningsOf('プルリクエストを作成')
        .map(([first]) => first)
        .filter(Boolean),
    ).toEqual(['pull', 'request', 'creat'])
  })

  it('keeps the rest of a phrase only for tools that have it, too', () => {
    const { terms } = queryWords('請求書', reader)
    expect(terms.map(({ stem, isWhole }) => [stem, isWhole])).toEqual([
      ['請求', false],
      ['求書', true],
    ])
  })

  it('has neighbours in both orders, because verbs stand elsewhere in other languages', () => {
    expect(queryWords('eine Rechnung löschen', reader).pairs).toEqual([
      { first: 'rechnung', second: 'loschen' },
      { first: 'loschen', second: 'rechnung' },
    ])
  })

  it('falls back to the words themselves where nothing else is left', () => {
    expect(stemsOf('der die das')).not.toEqual([])
  })

  it('is bounded for every query', () => {
    const word = fc.constantFrom('Datei', 'löschen', 'プルリクエスト', '削除', 'senden', 'base de datos', 'der', 'xyz')
    fc.assert(
      fc.property(fc.array(fc.oneof(word, anyText), { maxLength: 400 }), (words) => {
        const { terms, pairs } = queryWords(words.join(' '), reader)
        expect(terms.length).toBeLessThanOrEqual(MOST_QUERY_TERMS)
        expect(pairs.length).toBeLessThanOrEqual(MOST_QUERY_TERMS)
        expect(terms.every(({ meanings }) => meanings.length <= 4)).toBe(true)
      }),
      { numRuns: 50 },
    )
  })
})

describe('a concept of a foreign word', () => {
  const corpus = corpusOf(
    ['delete invoice', 'remove file', 'Datei lesen', 'read file'].map((description, i) => ({
      id: `${i}`,
      name: 'x',
      description,
    })),
  )
  const concept = (text: string, ids?: ReadonlySet<string>): Concept | undefined =>
    conceptsOf(queryWords(text, reader).terms, corpus, viewOf(corpus, ids), true)[0]
  const weights = (one: Concept | undefined): Record<string, number> =>
    Object.fromEntries((one?.members ?? []).map(({ term, weight }) => [corpus.vocabulary.termText(term), weight]))

  it('weighs its meaning by how rare that is', () => {
    const invoice = concept('Rechnung')
    expect(weights(invoice)).toEqual({ invoic: rarity(1, 4) })
    expect(invoice).toMatchObject({ ownStem: 'rechnung', stem: 'invoic', weight: rarity(1, 4) })
  })

  it('has the synonyms of its meaning at a part of the weight', () => {
    const found = weights(concept('löschen', new Set(['0', '1', '2', '3'])))
    expect(found['delet']).toBe(rarity(1, 4))
    expect(found['remov']).toBeGreaterThanOrEqual(SYNONYM_WEIGHT * rarity(1, 4))
  })

  it('is the word itself first where a tool has it', () => {
    const file = concept('Datei')
    expect(file?.stem).toBe('datei')
    expect(weights(file)['datei']).toBe(rarity(1, 4))
    expect(weights(file)['file']).toBe(KNOWN_WORD_MEANING_WEIGHT * rarity(2, 4))
  })

  it('knows nothing of tools outside the view', () => {
    expect(weights(concept('Rechnung', new Set(['1', '2'])))).toEqual({})
    expect(concept('Rechnung', new Set(['1', '2']))?.weight).toBe(rarity(0, 2))
  })
})
