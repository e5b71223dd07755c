import type { QueryReader } from '../../../query/query-reader.ts'
import { type ActionBits, actionsOf, isBaseVerb, oppositesOf } from '../../../text/actions.ts'
import { stem } from '../../../text/stem.ts'
import { isStopWord } from '../../../text/stop-words.ts'
import { tokenise } from '../../../text/tokenise.ts'

/** What a short request says beyond its words. */
export interface Request {
  /** The kinds of its verb; 0 where it has none. */
  readonly actions: ActionBits
  /** The verb, as a stem; empty where it has none. */
  readonly verb: string
  /** Stems of words that mean the opposite of what is asked. */
  readonly opposites: ReadonlySet<string>
  /** Stems of what is excluded: _not Slack_. */
  readonly excluded: ReadonlySet<string>
  /** What is turned into what, as stems: _X to Y_. */
  readonly direction?: Direction
}

/** From one thing to another. */
export interface Direction {
  readonly from: ReadonlySet<string>
  readonly to: ReadonlySet<string>
}

/** Longer texts tell a story: their first verb is not the action. */
const MOST_WORDS = 12
const NOTHING_SAID: Request = { actions: 0, verb: '', opposites: new Set(), excluded: new Set() }

const EXCLUSION =
  /(?<!\b(?:do|does|did|is|are|am|was|can|could|would|should|will|if|or|why|may|might)\s+)(?:,\s*|\bbut\s+)?\b(?:not|no|without|except(?:\s+for)?|excluding|other\s+than|instead\s+of|rather\s+than)\s+(?:in\s+|on\s+|from\s+|for\s+|the\s+|any\s+|a\s+|an\s+)*([^,;.]+)/iu
const MOST_EXCLUDED_WORDS = 4
/** What follows one of these is a noun. */
const DETERMINERS: ReadonlySet<string> = new Set([
  'the',
  'a',
  'an',
  'my',
  'our',
  'your',
  'this',
  'that',
  'what',
  'which',
])
const INFLECTED = /(?:ing|s|ed)$/
const DIRECTION_MARKS: ReadonlySet<string> = new Set(['to', 'into', '2'])

/** The part of a short text that asks for something, and the part that excludes: `search movies`, `tv shows`. */
export function splitExclusion(text: string): { readonly wanted: string; readonly excluded: string } {
  const match = text.length > 200 ? null : EXCLUSION.exec(text)
  if (match === null) return { wanted: text, excluded: '' }
  const [whole, excluded = ''] = match
  const wanted = `${text.slice(0, match.index)} ${text.slice(match.index + whole.length)}`.trim()
  const isShort = wordsOf(excluded).length <= MOST_EXCLUDED_WORDS && wordsOf(text).length <= MOST_WORDS
  const isRequest = wordsOf(wanted).some((word) => !isStopWord(word))
  return isShort && isRequest && wordsOf(excluded).length > 0 ? { wanted, excluded } : { wanted: text, excluded: '' }
}

/** How far from the mark the two things of a direction may be. */
const REACH = 3

/** Reads what a request says beyond its words; of a foreign one in the English words that a reader has for it. */
export function readRequest(wanted: string, excluded: string, reader?: QueryReader): Request {
  const reading = reader?.read(wanted)
  const words = wordsOf(reading === undefined || reading.english === '' ? wanted : reading.english)
  // Who says what to do then asks for several things.
  if (words.length === 0 || words.length > MOST_WORDS || words.includes('then')) return NOTHING_SAID
  const stems = words.map(stem)
  const opposites = new Set(stems.flatMap(oppositesOf))
  const asked = new Set(stems)
  const notWanted = wordsOf(excluded)
    .filter((word) => !isStopWord(word))
    .map(stem)
  const direction = directionOf(words)
  return {
    ...actionOf(words, stems),
    opposites: new Set([...opposites].filter((word) => !asked.has(word))),
    excluded: new Set(notWanted.filter((word) => !asked.has(word))),
    ...(direction !== undefined && { direction }),
  }
}

/** The kinds of the first verb. A word that is a noun as well counts only at the beginning. */
function actionOf(words: readonly string[], stems: readonly string[]): Pick<Request, 'actions' | 'verb'> {
  let isBeginning = true
  for (const [place, word] of words.entries()) {
    const verb = stems[place] ?? ''
    const actions = isBaseVerb(word) || (isBeginning && INFLECTED.test(word)) ? actionsOf(verb, isBeginning) : 0
    if (actions !== 0) return { actions, verb }
    if (!isStopWord(word) || DETERMINERS.has(word)) isBeginning = false
  }
  return { actions: 0, verb: '' }
}

function directionOf(words: readonly string[]): Direction | undefined {
  const mark = words.findIndex((word, place) => place > 0 && DIRECTION_MARKS.has(word))
  if (mark < 0) return undefined
  const said = (some: readonly string[]) => some.filter((word) => !isStopWord(word)).map(stem)
  const [before, after] = [
    said(words.slice(Math.max(0, mark - REACH), mark)),
    said(words.slice(mark + 1, mark + 1 + REACH)),
  ]
  const from = new Set(before.filter((word) => !after.includes(word)))
  const to = new Set(after.filter((word) => !before.includes(word)))
  return from.size === 0 || to.size === 0 ? undefined : { from, to }
}

function wordsOf(text: string): string[] {
  const words: string[] = []
  tokenise(text, (word, advances) => {
    if (advances) words.push(word)
  })
  return words
}
