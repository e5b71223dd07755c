import type { QueryToken } from './lex-query.ts'

/** A phrase of more words is a quoted sentence. */
const LONGEST_PHRASE = 8
/** More bare words side by side are a sentence with quotes or a field in it. */
const LONGEST_RUN = 6
/** Between operators less is enough to make a sentence: `get the weather in Paris AND write a mail`. */
const LONGEST_OPERAND = 3

/** Kinds that an operand can end and start with. */
const ENDS_OPERAND: ReadonlySet<QueryToken['kind']> = new Set(['word', 'phrase', 'prefix', 'close'])
const STARTS_OPERAND: ReadonlySet<QueryToken['kind']> = new Set(['word', 'phrase', 'prefix', 'field', 'open', 'not'])

/** Words that people use in sentences and leave out of queries. */
const FUNCTION_WORDS: ReadonlySet<string> = new Set(
  [
    'a an the this that these those it its there',
    'i me my you your he she his her we us our they them their',
    'am is are was were be been do does did has have had can could may must shall should will would',
    'and or not but if so than then because while',
    'what which who whom whose when where why how please',
    'to of in on at for from with without by as into about',
  ].flatMap((line) => line.split(' ')),
)

/**
 * Whether tokens that could be a query are more likely natural language. Taking a query for prose costs a little
 * precision; taking prose for a query makes words mandatory and loses answers. So prose wins whenever in doubt.
 */
export function readsAsProse(tokens: readonly QueryToken[]): boolean {
  const kinds = new Set(tokens.map((token) => token.kind))
  const hasOperator = kinds.has('and') || kinds.has('or') || kinds.has('not')
  if (!hasOperator && !kinds.has('field') && !kinds.has('phrase') && !kinds.has('prefix')) return true
  if (tokens.some((token) => token.kind === 'phrase' && isSentence(token.text))) return true
  const words = bareWords(tokens)
  if (!kinds.has('field') && words.some(isFunctionWord)) return true
  if (!hasOperator) return words.length > LONGEST_RUN
  if (longestRun(tokens) > LONGEST_OPERAND || tokens.some((_, i) => joinsClauses(tokens, i))) return true
  return isShouted(words) && !standsBetweenOperators(tokens)
}

function isSentence(phrase: string): boolean {
  return /[.?!…。．？！]$/u.test(phrase) || phrase.split(/\s+/u).length > LONGEST_PHRASE
}

function bareWords(tokens: readonly QueryToken[]): readonly string[] {
  return tokens.flatMap((token, i) => (token.kind === 'word' && tokens[i - 1]?.kind !== 'field' ? [token.text] : []))
}

function isFunctionWord(word: string): boolean {
  // `what's`, `don't` and `I’m` are of the same kind.
  return FUNCTION_WORDS.has(word.toLowerCase()) || /['’]/u.test(word)
}

function longestRun(tokens: readonly QueryToken[]): number {
  let longest = 0
  let run = 0
  for (const { kind } of tokens) {
    run = kind === 'word' ? run + 1 : 0
    longest = Math.max(longest, run)
  }
  return longest
}

/** In `get weather AND send mail` the AND joins clauses; taken at its word it would ask for `weather AND send`. */
function joinsClauses(tokens: readonly QueryToken[], i: number): boolean {
  return tokens[i]?.kind === 'and' && [i - 2, i - 1, i + 1, i + 2].every((at) => tokens[at]?.kind === 'word')
}

/** In a text without lower case, a capital `AND` means nothing. */
function isShouted(words: readonly string[]): boolean {
  return words.some((word) => /\p{Lu}/u.test(word)) && !words.some((word) => /\p{Ll}/u.test(word))
}

/** Whether every two operands have an operator between them, as in `CSV AND NOT JSON` but not `DO NOT DELETE`. */
function standsBetweenOperators(tokens: readonly QueryToken[]): boolean {
  return tokens.every((token, i) => !STARTS_OPERAND.has(token.kind) || !ENDS_OPERAND.has(tokens[i - 1]?.kind ?? 'open'))
}
