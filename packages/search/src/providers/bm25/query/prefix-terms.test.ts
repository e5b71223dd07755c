import { expect, it } from 'vitest'
import { Vocabulary } from '../index/vocabulary.ts'
import { prefixTerms } from './prefix-terms.ts'

it('prefixTerms tells terms that always begin so from those that do in one form only', () => {
  const vocabulary = new Vocabulary()
  for (const word of ['story', 'stories', 'storey', 'store', 'read', '検索']) vocabulary.intern(word)
  const found = (prefix: string) => {
    const { begins, always, sometimes } = prefixTerms(prefix, vocabulary)
    const texts = (terms: readonly number[]) => terms.map((term) => vocabulary.termText(term))
    const surfaces = Array.from(begins.keys()).filter((surface) => begins[surface] === 1)
    return [surfaces.map((surface) => vocabulary.surfaceText(surface)), texts(always), texts(sometimes)]
  }
  expect(found('story')).toEqual([['story'], [], ['stori']])
  expect(found('stor')).toEqual([['story', 'stories', 'storey', 'store'], ['stori', 'storey', 'store'], []])
  expect(found('検')).toEqual([['検索'], ['検索'], []])
  expect(found('x')).toEqual([[], [], []])
})
