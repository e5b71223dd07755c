import { stem } from '../stem.ts'
import { synonymsOf } from '../synonyms.ts'
import { GERMAN } from './german.ts'

/** English words that look like words of a phrase book and are not in the vocabulary of tools: no sign of a language. */
const LOOKALIKES = `
absence action affect agora alt alter alternate analyst antes applies art associate assurance attend beginner bin
builder caller camp cargo case chain chamber changer checker checklist circulation cite closer cod coder codex col
commerce compact con conception consult control core crime cube debugger demand description design determine
difference digit don double economic era escalate exists extra face fall false finder flux gen genre grab gross guard
guardian gui hall hole ide impression index indices inscribe interval lad land lang large larger leg legend less libra
limit linear lit lite live liver llama local longer lose loss lost man march marquee med media medicare meld metabase
modification monte node nova offer operation opinion pack packet paginate panel part particular pass past payee payer
peg persona phrase piece plate pointer police pong porto poster precise probe professor prove pulse quarter quit
ranger rapid red redeem reduction registrar relevant render reproduce resolve roll rotate router scanner signal sit
sold son span spanner spender starter sub summer suppression synthesis tempo temporal tester theme tier tip ton tone
topic trait transcript turn utilize verification
`

let words: ReadonlySet<string> | undefined

/** Whether a word is one of the English words that tools and requests are made of; not a stop word. */
export function isEnglishWord(word: string): boolean {
  const stemmed = stem(word)
  if (synonymsOf(stemmed).length > 0) return true
  words ??= readWords()
  return words.has(stemmed)
}

function readWords(): ReadonlySet<string> {
  const meanings = GERMAN.phrases
    .trim()
    .split('\n')
    .flatMap((line) => line.slice(0, line.indexOf(' ')).split(/[/+]/))
  const all = new Set([...meanings, ...LOOKALIKES.trim().split(/\s+/)])
  return new Set(Array.from(all, stem))
}
