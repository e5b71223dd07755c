import { describe, expect, it } from 'vitest'
import { isStopWord } from './stop-words.ts'
import { tokensOf } from './tokenise.ts'

describe('isStopWord', () => {
  it.each(['the', 'how', "don't", "I'd", 'please'])('knows %s as the tokeniser gives it', (word) => {
    expect(tokensOf(word).map(isStopWord)).toEqual([true])
  })

  it.each([
    'どう',
    'どの',
    'どれ',
    'どこ',
    'だれ',
    '誰',
    'なに',
    '何',
    'なぜ',
    'いつ',
    'ですか',
    'ください',
    'ありますか'.slice(2),
  ])('knows the Japanese question word %s, pair by pair', (word) =>
    expect(tokensOf(word).filter((token) => !isStopWord(token))).toEqual([]),
  )

  it.each(['file', 'create', 'find', 'search', 'ファイル', '検索', '作成', '', '__proto__', 'constructor'])(
    'takes %j for a word that tells something',
    (word) => expect(isStopWord(word)).toBe(false),
  )
})
