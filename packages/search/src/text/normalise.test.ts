import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { normaliseText } from './normalise.ts'

describe('normaliseText', () => {
  it('makes full-width and half-width equal', () => {
    expect(normaliseText('ＡＰＩ　ﾃﾞｰﾀ')).toBe('api データ')
  })

  it('folds case and Latin diacritics but keeps kana voicing marks', () => {
    expect(normaliseText('Éditer ÜBER')).toBe('editer uber')
    expect(normaliseText('がぎぐ')).toBe('がぎぐ')
  })

  it('is stable: normalising twice changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        expect(normaliseText(normaliseText(text))).toBe(normaliseText(text))
      }),
    )
  })

  it('takes lone surrogates without throwing', () => {
    expect(() => normaliseText('a\ud800b')).not.toThrow()
  })
})
