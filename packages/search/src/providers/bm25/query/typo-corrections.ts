import { stem } from '../../../text/stem.ts'
import type { Vocabulary } from '../index/vocabulary.ts'
import { lettersApart, lettersOf } from '../index/words-by-letter.ts'

const SHORTEST = 4
/** Comparing longer words would be slow. */
const LONGEST = 40
/** Words from this length on may have two typos. */
const LONG = 8
const LETTERS_ONLY = /^[a-z]+$/

/** Where words are looked up. */
type NearbyWords = Pick<Vocabulary, 'termsLike' | 'termText' | 'surfacesLike' | 'surfaceText' | 'termOf'>

/** Which words exist for a search; the others leave no trace. */
export interface WordsInView {
  hasTerm(term: number): boolean
  /** A term can be there without all of its surfaces. */
  hasSurface(surface: number): boolean
}

/**
 * The terms that an unknown word may be a typo of: the same first letter, one edit (two in a long word), the
 * nearest ones only. Stems are compared with the word and its stem, and words as tools write them with the word: either
 * can be nearer, since a typo in an ending changes the stem.
 */
export function typoCorrections(word: string, vocabulary: NearbyWords, inView: WordsInView): number[] {
  if (word.length < SHORTEST || word.length > LONGEST || !LETTERS_ONLY.test(word)) return []
  const stemmed = stem(word)
  let allowed = word.length >= LONG ? 2 : 1
  let nearest = new Set<number>()
  const consider = (term: number, distance: number, isThere: () => boolean): void => {
    if (distance > allowed || (distance === allowed && nearest.has(term)) || !isThere()) return
    if (distance < allowed) nearest = new Set()
    allowed = distance
    nearest.add(term)
  }
  const [letters, stemLetters] = [lettersOf(word), lettersOf(stemmed)]
  const terms = vocabulary.termsLike(word)
  for (let place = 0; place < terms.numbers.length; place++) {
    const own = terms.letters[place] as number
    if (lettersApart(own, letters) > 2 * allowed && lettersApart(own, stemLetters) > 2 * allowed) continue
    const term = terms.numbers[place] as number
    const text = vocabulary.termText(term)
    if (text.length < SHORTEST - 1) continue
    if (text.length < stemmed.length - allowed || text.length > word.length + allowed) continue
    const distance = Math.min(editDistance(word, text, allowed), editDistance(stemmed, text, allowed))
    consider(term, distance, () => inView.hasTerm(term))
  }
  const surfaces = vocabulary.surfacesLike(word)
  for (let place = 0; place < surfaces.numbers.length; place++) {
    if (lettersApart(surfaces.letters[place] as number, letters) > 2 * allowed) continue
    const surface = surfaces.numbers[place] as number
    const text = vocabulary.surfaceText(surface)
    if (text.length < SHORTEST) continue
    const distance = editDistance(word, text, allowed)
    consider(vocabulary.termOf(surface), distance, () => inView.hasSurface(surface))
  }
  return [...nearest].sort((a, b) => a - b)
}

/** The number of letters added, left out, changed or swapped with the next; `most + 1` for anything above `most`. */
export function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1
  let beforeLast: number[] = []
  let last = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    let least = i
    for (let j = 1; j <= b.length; j++) {
      const isSame = a.charCodeAt(i - 1) === b.charCodeAt(j - 1)
      let cost = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (isSame ? 0 : 1))
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      if (isSwap) cost = Math.min(cost, at(beforeLast, j - 2) + 1)
      row.push(cost)
      if (cost < least) least = cost
    }
    if (least > most) return most + 1
    beforeLast = last
    last = row
  }
  return at(last, b.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] as number
}
