import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { missingWords } from './missing-words.ts'

describe('missingWords', () => {
  it('are those that say something and occur in no form', () => {
    expect(missingWords('How do I file a bug about broken links?', 'create_issue. Creates issues for a link')).toEqual([
      'file',
      'bug',
      'broken',
    ])
  })

  it('are none where the text has them all', () => {
    expect(missingWords('creating an ISSUE', 'create_issue')).toEqual([])
    expect(missingWords('', 'x')).toEqual([])
  })

  it('are none of the text, for any query', () => {
    const words = fc.string({ unit: 'binary', maxLength: 40 })
    fc.assert(
      fc.property(words, words, (query, text) => {
        const missing = missingWords(query, text)
        expect(new Set(missing).size).toBe(missing.length)
        expect(missingWords(query, `${text} ${query}`)).toEqual([])
      }),
    )
  })
})
