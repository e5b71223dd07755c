import type { RuleName } from './finding.ts'
import { readText } from './reading.ts'
import { BAIT } from './signals/bait.ts'
import { MEDDLING } from './signals/meddling.ts'
import { ORDERS } from './signals/orders.ts'
import type { Signal } from './signals/signal.ts'
import { WRONGS } from './signals/wrongs.ts'

/** What kind of text is read: something that describes a tool or server, something that a tool answered, or a call. */
export type Surface = 'definition' | 'result'

/** A signal in a text. */
export interface Hit {
  readonly signal: Signal
  readonly offset: number
  readonly length: number
}

/** All signals. */
export const SIGNALS: readonly Signal[] = [...ORDERS, ...WRONGS, ...MEDDLING, ...BAIT]

/** Texts about attacks quote them. */
const ABOUT_ATTACKS =
  /\b(?:injections?|attacks?|attackers?|phishing|jailbreaks?|adversarial|malicious|detect(?:s|ion|or)?|suspicious|security (?:article|advisory|scanner|research)|advisory|owasp|cve-\d{4})\b/
const QUOTED = new Set<RuleName>(['override', 'instructions-to-model', 'concealment'])
const QUOTES = new Set(['"', "'", '`', '«', '»'])

/** What stands before a phrase that is reported and not said. */
const REPORTED =
  /\b(?:attempts?|tr(?:y|ies|ying)|designed|used|wants?|manipulat\w{1,4}|trick\w{0,3}|detects?|phrases?|such as|like|e\.g\.|for example|examples?|contain(?:s|ing)?|asks?|tells?|instruct(?:s|ing))\b[^.\n]{0,20}$/

/**
 * Compiles the patterns, a part of one in each step. V8 compiles a pattern at its first use, and to machine code at its second:
 * some 200 ms for all of them, during which no call would be answered.
 */
export function* compileSignals(): Generator<undefined, void, undefined> {
  for (const { pattern } of SIGNALS) {
    for (let use = 0; use < 2; use++) {
      pattern.exec('the text of a tool')
      yield
    }
  }
}

/** The signals of a text, each at its first place. */
export function signalsOf(original: string, surface: Surface): Hit[] {
  if (original.length < 8) return []
  const reading = readText(original)
  const hits: Hit[] = []
  const isAboutAttacks = ABOUT_ATTACKS.test(reading.text)
  const purposeEnd = endOfPurpose(reading.text)
  for (const signal of SIGNALS) {
    if (signal.isForResults === true && surface !== 'result') continue
    if (signal.isForDefinitions === true && surface !== 'definition') continue
    const text = signal.isRaw === true ? original : reading.text
    const match =
      signal.isNotPurpose === true ? afterPurpose(signal.pattern, text, purposeEnd, surface) : signal.pattern.exec(text)
    if (match === null) continue
    const end = match.index + match[0].length
    if (isAboutAttacks && QUOTED.has(signal.rule) && isQuotation(text, match.index, end)) continue
    const offset = signal.isRaw === true ? match.index : reading.originalOffset(match.index)
    const until = signal.isRaw === true ? end : reading.originalOffset(end)
    hits.push({ signal, offset, length: Math.max(1, until - offset) })
  }
  return hits
}

/** Where the first sentence ends; it tells what the tool does, unless it begins as an order. */
function endOfPurpose(text: string): number {
  if (ORDER_FIRST.test(text)) return 0
  const end = SENTENCE_END.exec(text)
  return end === null ? text.length : end.index
}

const ORDER_FIRST = /^[^\n]{0,60}?\b(?:you|always|never|must|before|important|please|whenever)\b/
const SENTENCE_END = /[.!?;](?: |$)|\n|: (?=[a-z]+ (?:the|all|any|your|to)\b)|<|\[/

function afterPurpose(pattern: RegExp, text: string, purposeEnd: number, surface: Surface): RegExpExecArray | null {
  if (surface === 'result' || purposeEnd === 0) return pattern.exec(text)
  const match = pattern.exec(text.slice(purposeEnd))
  if (match !== null) match.index += purposeEnd
  return match
}

/** Whether a phrase is a quotation: an opening quote close before it and a closing one close behind. */
function isQuotation(text: string, start: number, end: number): boolean {
  if (REPORTED.test(text.slice(Math.max(0, start - 40), start))) return true
  const before = [...text.slice(Math.max(0, start - 12), start)].some((character) => QUOTES.has(character))
  const after = [...text.slice(end, end + 24)].some((character) => QUOTES.has(character))
  return before && after
}
