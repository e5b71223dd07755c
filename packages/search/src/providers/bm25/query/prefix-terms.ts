import type { Vocabulary } from '../index/vocabulary.ts'

/** The words that begin with a prefix. */
export interface Beginning {
  /** 1 for a surface that begins so, by number. */
  readonly begins: Uint8Array
  /** The terms all of whose forms begin so, and those of which only some do: `stories` does not begin with `story`. */
  readonly always: readonly number[]
  readonly sometimes: readonly number[]
}

const BEGINS = 1
const DIFFERS = 2

/** Looks through the vocabulary for a prefix, given as surfaces are: normalised. */
export function prefixTerms(prefix: string, vocabulary: Vocabulary): Beginning {
  const begins = new Uint8Array(vocabulary.surfaceCount)
  const formsOf = new Map<number, number>()
  // The forms of a word have their first letter in common.
  for (const surface of vocabulary.surfacesLike(prefix).numbers) {
    const isOne = vocabulary.surfaceText(surface).startsWith(prefix)
    if (isOne) begins[surface] = 1
    const term = vocabulary.termOf(surface)
    formsOf.set(term, (formsOf.get(term) ?? 0) | (isOne ? BEGINS : DIFFERS))
  }
  const always: number[] = []
  const sometimes: number[] = []
  for (const [term, forms] of formsOf) {
    if (forms === BEGINS) always.push(term)
    else if (forms === (BEGINS | DIFFERS)) sometimes.push(term)
  }
  return { begins, always, sometimes }
}
