import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { tokenise, tokensOf } from './tokenise.ts'

describe('tokenise', () => {
  it.each([
    ['createPullRequest', ['create', 'pull', 'request', 'createpullrequest']],
    ['create_pull-request', ['create', 'pull', 'request', 'createpullrequest']],
    ['HTTPServer', ['http', 'server', 'httpserver']],
    ['IMPORTANT Note', ['important', 'note']],
    ["don't the user's", ['dont', 'the', 'user']],
    ['S3 k8s mp3', ['s3', 'k8s', 'mp3']],
    ['getUser2', ['get', 'user', '2', 'getuser2']],
    ['e-mail v1.2', ['e', 'mail', 'email', 'v1', '2', 'v12']],
    ['Éditer_Ünï', ['editer', 'uni', 'editeruni']],
    ['  …!? ', []],
  ])('splits %s and keeps the whole', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens)
  })

  it.each([
    ['プルリクエストを作成', ['プル', 'ルリ', 'リク', 'クエ', 'エス', 'スト', 'プルリクエスト', 'を', '作成']],
    ['ｻｰﾊﾞｰ', ['サー', 'ーバ', 'サーバ']],
    ['サーバ', ['サー', 'ーバ', 'サーバ']],
    ['東京都', ['東京', '京都']],
    ['APIキー', ['api', 'キー']],
  ])('reads CJK in pairs of characters: %s', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens)
  })

  it('makes full-width and half-width equal', () => {
    expect(tokensOf('ＣｒｅａｔｅＩｓｓｕｅ')).toEqual(tokensOf('CreateIssue'))
  })

  it('gives a whole identifier no position', () => {
    const positions: boolean[] = []
    tokenise('readFile', (_, advances) => positions.push(advances))
    expect(positions).toEqual([true, true, false])
  })

  it('reads ASCII words the same beside other scripts', () => {
    const word = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9_.'-]{0,12}$/)
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        expect(tokensOf(`${words.join(' ')} é`)).toEqual([...tokensOf(words.join(' ')), 'e'])
      }),
    )
  })

  it.each([
    ['\u0301', []],
    ['\u00a8', []],
    ['5\u0301', ['5']],
    ['\u0301_a', ['a']],
  ])('makes no empty token of a mark without a letter: %j', (text, tokens) => {
    expect(tokensOf(text)).toEqual(tokens)
  })

  it('gives only tokens without white space and capitals, for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        for (const token of tokensOf(text)) expect(token).toMatch(/^\S+$/u)
      }),
    )
  })
})
