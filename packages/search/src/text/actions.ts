import { ACTION_VERBS, type Action, OPPOSED_ACTIONS, OPPOSITES } from './action-table.ts'
import { stem } from './stem.ts'

/** Kinds of actions as bits of a number. */
export type ActionBits = number

const ACTIONS = Object.keys(ACTION_VERBS) as Action[]
const bitOf = (action: Action): ActionBits => 1 << ACTIONS.indexOf(action)

interface Verb {
  bits: ActionBits
  /** Whether it is also a noun in one of its kinds. */
  isNoun: boolean
}

const VERBS = /* @__PURE__ */ readVerbs()
const BASE_FORMS: ReadonlySet<string> = /* @__PURE__ */ new Set(
  Object.values(ACTION_VERBS).flatMap((verbs) => verbs.replaceAll('?', '').split(' ')),
)
const OPPOSED = /* @__PURE__ */ readOpposed()
const OPPOSITE_STEMS = /* @__PURE__ */ readOpposites()

/** The kinds of a verb, given by its stem; 0 for any other word, and away from a verb's place for one that is a noun. */
export function actionsOf(stemmed: string, atVerbsPlace: boolean): ActionBits {
  const verb = VERBS.get(stemmed)
  return verb === undefined || (verb.isNoun && !atVerbsPlace) ? 0 : verb.bits
}

/** Whether a word (not stemmed) is a verb in its base form: _announcement_ has the stem of one and is none. */
export function isBaseVerb(word: string): boolean {
  return BASE_FORMS.has(word)
}

/** The kinds that cannot serve any of the asked ones. */
export function opposedTo(asked: ActionBits): ActionBits {
  let opposed = asked === 0 ? 0 : -1
  for (const [number, bits] of OPPOSED.entries()) if ((asked & (1 << number)) !== 0) opposed &= bits
  return opposed & ~asked
}

/** The stems of the words that mean the opposite. */
export function oppositesOf(stemmed: string): readonly string[] {
  return OPPOSITE_STEMS.get(stemmed) ?? []
}

function readVerbs(): ReadonlyMap<string, Verb> {
  const verbs = new Map<string, Verb>()
  for (const action of ACTIONS) {
    for (const word of ACTION_VERBS[action].split(' ')) {
      const isNoun = word.endsWith('?')
      const stemmed = stem(isNoun ? word.slice(0, -1) : word)
      const known = verbs.get(stemmed)
      verbs.set(stemmed, { bits: (known?.bits ?? 0) | bitOf(action), isNoun: isNoun || known?.isNoun === true })
    }
  }
  return verbs
}

function readOpposed(): readonly ActionBits[] {
  const opposed = ACTIONS.map(() => 0)
  for (const [one, other] of OPPOSED_ACTIONS) {
    opposed[ACTIONS.indexOf(one)] = (opposed[ACTIONS.indexOf(one)] ?? 0) | bitOf(other)
    opposed[ACTIONS.indexOf(other)] = (opposed[ACTIONS.indexOf(other)] ?? 0) | bitOf(one)
  }
  return opposed
}

function readOpposites(): ReadonlyMap<string, readonly string[]> {
  const opposites = new Map<string, string[]>()
  const add = (from: string, to: string): void => {
    opposites.set(stem(from), [...(opposites.get(stem(from)) ?? []), stem(to)])
  }
  for (const pair of OPPOSITES) {
    const [one = '', other = ''] = pair.split(' ')
    add(one, other)
    add(other, one)
  }
  return opposites
}
