/** No English word is longer; what is, is an identifier or noise, and stays as it is. */
const LONGEST_WORD = 64

/** Words that the rules would get wrong. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map([
  ['skis', 'ski'],
  ['skies', 'sky'],
  ['idly', 'idl'],
  ['gently', 'gentl'],
  ['ugly', 'ugli'],
  ['early', 'earli'],
  ['only', 'onli'],
  ['singly', 'singl'],
  ...['sky', 'news', 'howe', 'atlas', 'cosmos', 'bias', 'andes'].map((word) => [word, word] as const),
])

/** Word beginnings behind which the first region starts, wherever the vowels are; by their first letter. */
const FIXED_BEGINNINGS: ReadonlyMap<number, string> = new Map(
  ['arsen', 'commun', 'emerg', 'gener', 'inter', 'later', 'organ', 'past', 'univers'].map((beginning) => [
    beginning.charCodeAt(0),
    beginning,
  ]),
)

/** `proceed` and its like are whole words, not `proc` + `eed`. */
const BEFORE_EED: ReadonlySet<string> = new Set(['proc', 'exc', 'succ'])

/** `evening`, `canning`, `inning` … are nouns of their own. */
const BEFORE_ING: ReadonlySet<string> = new Set(['even', 'cann', 'inn', 'earr', 'herr', 'out'])

/** One rule: `suffix` becomes `replacement` if it lies in the region, and comes after one of the letters `after`. */
interface SuffixRule {
  readonly suffix: string
  readonly replacement: string
  readonly region: 1 | 2
  readonly after?: string
}

/** The rules of a step by their suffix's last letter, longest suffix first: only the longest that fits counts. */
type SuffixStep = readonly (readonly SuffixRule[])[]

const A = 97
const D = 100
const E = 101
const G = 103
const I = 105
const L = 108
const O = 111
const S = 115
const U = 117
const Y = 121
const Z = 122
const APOSTROPHE = 39

const STEP_2 = suffixStep([
  ...region(1, 'tion', 'tional'),
  ...region(1, 'ence', 'enci'),
  ...region(1, 'ance', 'anci'),
  ...region(1, 'able', 'abli'),
  ...region(1, 'ent', 'entli'),
  ...region(1, 'ize', 'izer', 'ization'),
  ...region(1, 'ate', 'ational', 'ation', 'ator'),
  ...region(1, 'al', 'alism', 'aliti', 'alli'),
  ...region(1, 'ful', 'fulness', 'fulli'),
  ...region(1, 'ous', 'ousli', 'ousness'),
  ...region(1, 'ive', 'iveness', 'iviti'),
  ...region(1, 'ble', 'biliti', 'bli'),
  ...region(1, 'less', 'lessli'),
  ...region(1, 'og', 'ogist'),
  { suffix: 'ogi', replacement: 'og', region: 1, after: 'l' },
  { suffix: 'li', replacement: '', region: 1, after: 'cdeghkmnrt' },
])

const STEP_3 = suffixStep([
  ...region(1, 'tion', 'tional'),
  ...region(1, 'ate', 'ational'),
  ...region(1, 'al', 'alize'),
  ...region(1, 'ic', 'icate', 'iciti', 'ical'),
  ...region(1, '', 'ful', 'ness'),
  ...region(2, '', 'ative'),
])

const STEP_4 = suffixStep([
  ...region(2, '', 'al', 'ance', 'ence', 'er', 'ic', 'able', 'ible', 'ant', 'ement', 'ment', 'ent'),
  ...region(2, '', 'ism', 'ate', 'iti', 'ous', 'ive', 'ize'),
  { suffix: 'ion', replacement: '', region: 2, after: 'st' },
])

/**
 * The stem of a lower-case English word by the Porter2 ("Snowball English") algorithm, so that `creating`, `creates`
 * and `create` meet. Words of under three letters or with anything but `a`–`z` and apostrophes come back unchanged.
 */
export function stem(word: string): string {
  if (word.length < 3 || word.length > LONGEST_WORD || !hasOnlyLetters(word)) return word
  const exception = EXCEPTIONS.get(word)
  if (exception !== undefined) return exception
  const bare = word.charCodeAt(0) === APOSTROPHE ? word.slice(1) : word
  // The regions are those of the whole word; steps only ever shorten or lengthen its end.
  const r1 = firstRegion(bare)
  const r2 = regionAfter(bare, r1)
  let stemmed = dropFinalS(dropPossessive(bare))
  stemmed = finalYToI(dropEdOrIng(stemmed, r1))
  stemmed = applySuffixStep(STEP_2, stemmed, r1, r2)
  stemmed = applySuffixStep(STEP_3, stemmed, r1, r2)
  stemmed = applySuffixStep(STEP_4, stemmed, r1, r2)
  return dropFinalEOrL(stemmed, r1, r2)
}

function hasOnlyLetters(word: string): boolean {
  for (let i = 0; i < word.length; i++) {
    const code = word.charCodeAt(i)
    if ((code < A || code > Z) && code !== APOSTROPHE) return false
  }
  return true
}

/** A `y` is a consonant at the beginning of the word and after a vowel. */
function isVowel(word: string, index: number): boolean {
  const code = word.charCodeAt(index)
  if (code === Y) return index > 0 && !isVowel(word, index - 1)
  return code === A || code === E || code === I || code === O || code === U
}

function hasVowelBefore(word: string, end: number): boolean {
  for (let i = 0; i < end; i++) if (isVowel(word, i)) return true
  return false
}

function firstRegion(word: string): number {
  const beginning = FIXED_BEGINNINGS.get(word.charCodeAt(0))
  return beginning !== undefined && word.startsWith(beginning) ? beginning.length : regionAfter(word, 0)
}

/** Where the text after the first consonant that follows a vowel starts, seen from `start`. */
function regionAfter(word: string, start: number): number {
  let wasVowel = start > 0 && isVowel(word, start - 1)
  let hasVowel = false
  for (let i = start; i < word.length; i++) {
    const code = word.charCodeAt(i)
    // As in `isVowel`, which would have to look back for a `y`.
    wasVowel = code === Y ? i > 0 && !wasVowel : code === A || code === E || code === I || code === O || code === U
    if (hasVowel && !wasVowel) return i + 1
    hasVowel ||= wasVowel
  }
  return word.length
}

/** Whether the first `end` letters close with a short syllable, such as `hop` or `at`. */
function endsShort(word: string, end: number): boolean {
  if (end < 2 || isVowel(word, end - 1) || !isVowel(word, end - 2)) return word.endsWith('past', end)
  if (end === 2) return true
  const last = word[end - 1]
  return !isVowel(word, end - 3) && last !== 'w' && last !== 'x' && last !== 'y'
}

function dropPossessive(word: string): string {
  if (!word.includes("'")) return word
  if (word.endsWith("'s'")) return word.slice(0, -3)
  if (word.endsWith("'s")) return word.slice(0, -2)
  return word.endsWith("'") ? word.slice(0, -1) : word
}

function dropFinalS(word: string): string {
  const last = word.charCodeAt(word.length - 1)
  if (last !== S && last !== D) return word
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1)
  if (last === D) return word
  if (word.endsWith('sses')) return word.slice(0, -2)
  if (word.endsWith('us') || word.endsWith('ss')) return word
  // `gas` and `this` keep their s: the vowel must not be the letter right before it.
  return hasVowelBefore(word, word.length - 2) ? word.slice(0, -1) : word
}

function dropEdOrIng(word: string, r1: number): string {
  const last = word.charCodeAt(word.length - 1)
  if (last !== D && last !== G && last !== Y) return word
  const core = word.endsWith('ly') ? word.slice(0, -2) : word
  if (core.endsWith('eed')) {
    const start = core.length - 3
    return start < r1 || BEFORE_EED.has(core.slice(0, start)) ? word : core.slice(0, -1)
  }
  if (core.endsWith('ed')) return repairEnd(word, core.length - 2, r1)
  if (!core.endsWith('ing')) return word
  const end = core.length - 3
  if (core === word) {
    // `dying`, `lying`, `tying`
    if (end === 2 && !isVowel(word, 0) && word[1] === 'y' && isVowel(word, 1)) return `${word[0]}ie`
    if (BEFORE_ING.has(word.slice(0, end))) return word
  }
  return repairEnd(word, end, r1)
}

/** Cuts `word` at `end`, unless no vowel would remain, and mends what is left: `hopp` → `hop`, `hop` → `hope`. */
function repairEnd(word: string, end: number, r1: number): string {
  if (!hasVowelBefore(word, end)) return word
  const cut = word.slice(0, end)
  if (cut.endsWith('at') || cut.endsWith('bl') || cut.endsWith('iz')) return `${cut}e`
  if (endsWithDouble(cut)) return end === 3 && 'aeo'.includes(cut.charAt(0)) ? cut : cut.slice(0, -1)
  return end === r1 && endsShort(cut, end) ? `${cut}e` : cut
}

function endsWithDouble(word: string): boolean {
  const last = word.charAt(word.length - 1)
  return word.length > 1 && last === word[word.length - 2] && 'bdfgmnprt'.includes(last)
}

function finalYToI(word: string): string {
  const last = word.length - 1
  return last > 1 && word.charCodeAt(last) === Y && !isVowel(word, last - 1) ? `${word.slice(0, last)}i` : word
}

function dropFinalEOrL(word: string, r1: number, r2: number): string {
  const last = word.length - 1
  const code = word.charCodeAt(last)
  if (code === E) {
    return last >= r2 || (last >= r1 && !endsShort(word, last)) ? word.slice(0, last) : word
  }
  return code === L && last >= r2 && word.charCodeAt(last - 1) === L ? word.slice(0, last) : word
}

function applySuffixStep(step: SuffixStep, word: string, r1: number, r2: number): string {
  const rules = step[word.charCodeAt(word.length - 1) - A]
  if (rules === undefined) return word
  for (let rule = 0; rule < rules.length; rule++) {
    const { suffix, replacement, region, after } = rules[rule] as SuffixRule
    if (!word.endsWith(suffix)) continue
    const start = word.length - suffix.length
    if (start < (region === 1 ? r1 : r2)) return word
    if (after !== undefined && (start === 0 || !after.includes(word.charAt(start - 1)))) return word
    return word.slice(0, start) + replacement
  }
  return word
}

function region(which: 1 | 2, replacement: string, ...suffixes: readonly string[]): SuffixRule[] {
  return suffixes.map((suffix) => ({ suffix, replacement, region: which }))
}

function suffixStep(rules: readonly SuffixRule[]): SuffixStep {
  const longestFirst = rules.toSorted((a, b) => b.suffix.length - a.suffix.length)
  return Array.from({ length: 26 }, (_, letter) =>
    longestFirst.filter(({ suffix }) => suffix.charCodeAt(suffix.length - 1) - A === letter),
  )
}
