import type { SearchField } from '../tool/tool.ts'
import { fieldNamed } from './query.ts'

/** A piece of a query. A `field` is always followed by the term or the `open` that it belongs to. */
export type QueryToken =
  | { readonly kind: 'word' | 'prefix' | 'phrase'; readonly text: string }
  | { readonly kind: 'field'; readonly field: SearchField }
  | { readonly kind: 'and' | 'or' | 'not' | 'open' | 'close' }

const OPERATORS: ReadonlyMap<string, QueryToken> = new Map([
  ['AND', { kind: 'and' }],
  ['OR', { kind: 'or' }],
  ['NOT', { kind: 'not' }],
])

/** Signs that keyboards and word processors put in place of the ASCII ones. */
const ASCII_KIN: ReadonlyMap<string, string> = new Map([
  ...Array.from('“”„‟＂', (quote) => [quote, '"'] as const),
  ['（', '('],
  ['）', ')'],
  ['：', ':'],
  ['＊', '*'],
])
const KIN = /[“”„‟＂（）：＊]/g

/** Space, "phrase", parenthesis or word. No two branches start alike, so this never backtracks. */
const PIECE = /([\s\p{Cc}]+)|"([^"]*)"|([()])|[^\s\p{Cc}"()]+/guy

/** `name:"a"`, `NOT(a)`, `((a))`; everything else stands apart. */
const MAY_TOUCH_THE_NEXT: ReadonlySet<QueryToken['kind']> = new Set(['field', 'and', 'or', 'not', 'open'])

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u
const PREFIX = /[\p{L}\p{M}\p{N}_-]\*$/u
/** Signs that end a clause of prose, or belong to code, markup or data. A term of a query has neither. */
const PROSE_OR_CODE = /^[-$]|[.,:;?!…、。，．；？！]$|[{}[\]<>=|\\`;]/u

/**
 * The tokens of a text that is made of query elements and nothing else; absent when any part of it is something else:
 * an unclosed quote, a sign in the middle of a word (`foo(bar)`, `5" nail`), a field without a term, a sentence's
 * punctuation, code.
 */
export function lexQuery(text: string): readonly QueryToken[] | undefined {
  const source = text.replace(KIN, (sign) => ASCII_KIN.get(sign) ?? sign)
  const tokens: QueryToken[] = []
  let read = 0
  let spaced = true
  for (const [piece, space, phrase, parenthesis] of source.matchAll(PIECE)) {
    const last = tokens.at(-1)?.kind
    if (last === 'field' && (space !== undefined || parenthesis === ')')) return undefined
    if (space === undefined) {
      if (!spaced && parenthesis !== ')' && (last === undefined || !MAY_TOUCH_THE_NEXT.has(last))) return undefined
      const found =
        phrase !== undefined ? lexPhrase(phrase) : parenthesis ? lexParenthesis(parenthesis) : lexWord(piece)
      if (found === undefined) return undefined
      tokens.push(...found)
    }
    spaced = space !== undefined
    read += piece.length
  }
  return read < source.length || tokens.at(-1)?.kind === 'field' ? undefined : tokens
}

function lexParenthesis(parenthesis: string): readonly QueryToken[] {
  return [{ kind: parenthesis === '(' ? 'open' : 'close' }]
}

function lexPhrase(phrase: string): readonly QueryToken[] | undefined {
  return LETTER_OR_DIGIT.test(phrase) ? [{ kind: 'phrase', text: phrase.trim() }] : undefined
}

function lexWord(word: string): readonly QueryToken[] | undefined {
  const operator = OPERATORS.get(word)
  if (operator !== undefined) return [operator]
  const colon = word.indexOf(':')
  const field = colon < 0 ? undefined : fieldNamed(word.slice(0, colon))
  if (field === undefined) return lexTerm(word)
  const term = word.slice(colon + 1)
  if (term === '') return [{ kind: 'field', field }]
  const read = lexTerm(term)
  return read && [{ kind: 'field', field }, ...read]
}

function lexTerm(term: string): readonly QueryToken[] | undefined {
  if (!LETTER_OR_DIGIT.test(term) || PROSE_OR_CODE.test(term)) return undefined
  const star = term.indexOf('*')
  if (star < 0) return [{ kind: 'word', text: term }]
  return PREFIX.test(term) && star === term.length - 1 ? [{ kind: 'prefix', text: term.slice(0, star) }] : undefined
}
