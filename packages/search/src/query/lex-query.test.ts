import { describe, expect, it } from 'vitest'
import { lexQuery } from './lex-query.ts'

/** `word`, `"phrase"`, `prefix*`, `field:` and the rest by their kinds. */
function lexed(text: string): string | undefined {
  return lexQuery(text)
    ?.map((token) => {
      if (token.kind === 'field') return `${token.field}:`
      if (!('text' in token)) return token.kind
      return token.kind === 'phrase' ? `"${token.text}"` : token.kind === 'prefix' ? `${token.text}*` : token.text
    })
    .join(' ')
}

describe('lexQuery', () => {
  it.each([
    ['github AND issue', 'github and issue'],
    ['a or b and not c', 'a or b and not c'],
    ['NOT(a OR b)', 'not open a or b close'],
    ['(a)', 'open a close'],
    ['((a))', 'open open a close close'],
    ['"pull  request"', '"pull  request"'],
    ['" padded "', '"padded"'],
    ['server:github', 'server: github'],
    ['description:"create issue"', 'description: "create issue"'],
    ['name:(a OR b)', 'name: open a or b close'],
    ['name:creat*', 'name: creat*'],
    ['name:AND', 'name: AND'],
    ['name:a:b', 'name: a:b'],
    ['create_is*', 'create_is*'],
    ['ファイ*', 'ファイ*'],
    ['हिन्दी*', 'हिन्दी*'],
    ['http://x 12:30 3:4 foo:bar C++ C# node.js @me', 'http://x 12:30 3:4 foo:bar C++ C# node.js @me'],
    ["what's", "what's"],
    ['a\u0000b\u0007c\u2028d', 'a b c d'],
    ['', ''],
  ])('reads %j', (text, expected) => expect(lexed(text)).toBe(expected))

  it.each([
    ['namespace:x', 'server: x'],
    ['desc:x', 'description: x'],
    ['parameter:x', 'parameters: x'],
    ['params:x', 'parameters: x'],
    ['param:x', 'parameters: x'],
    ['tag:x', 'tags: x'],
    ['TITLE:x', 'title: x'],
  ])('knows the field of %j', (text, expected) => expect(lexed(text)).toBe(expected))

  it.each([
    ['“pull request”', '"pull request"'],
    ['„pull request“', '"pull request"'],
    ['＂pull request＂', '"pull request"'],
    ['（a OR b）', 'open a or b close'],
    ['name：x', 'name: x'],
    ['creat＊', 'creat*'],
  ])('takes the signs of %j for their ASCII kin', (text, expected) => expect(lexed(text)).toBe(expected))

  it.each([
    ['an unclosed quote', 'a "b'],
    ['a lone quote', '"'],
    ['an empty phrase', '""'],
    ['a phrase of punctuation', '"..."'],
    ['a sign of inches', '5" nail'],
    ['a call', 'foo(bar)'],
    ['a word that touches a phrase', '"a"b'],
    ['a word that touches a group', '(a)b'],
    ['a field without a term', 'name:'],
    ['a field apart from its term', 'name: x'],
    ['a field before a parenthesis', '(name:)'],
    ['a quoted value of an unknown field', 'foo:"bar"'],
    ['a label', 'Note: x'],
    ['the end of a sentence', 'a b.'],
    ['a question', 'a b?'],
    ['a list', 'a, b'],
    ['a Japanese sentence', '東京の天気。'],
    ['a bullet', '- a'],
    ['an emoji', 'a 😀'],
    ['a command-line flag', 'a --force'],
    ['a Windows path', 'C:\\name'],
    ['JSON', '{"name":"foo"}'],
    ['markup', '<b>a</b>'],
    ['emphasis', '*a*'],
    ['a glob', 'src/*'],
    ['a star alone', 'a * b'],
    ['a star within', 'a*b'],
  ])('refuses %s', (_, text) => expect(lexed(text)).toBeUndefined())
})
