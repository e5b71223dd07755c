import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readPageSearch, writePageSearch } from './page-search.ts'

it('writes readable parameters', () => {
  expect(writePageSearch({ q: 'read a note', pinned: 'true', lines: '7', gone: undefined })).toBe(
    '?q=read+a+note&pinned=true&lines=7',
  )
  expect(writePageSearch({})).toBe('')
})

it('reads back every text that it wrote', () => {
  const texts = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.string({ unit: 'grapheme' }))
  fc.assert(
    fc.property(texts, (search) => {
      expect(readPageSearch(writePageSearch(search))).toEqual({ ...search })
    }),
  )
})
