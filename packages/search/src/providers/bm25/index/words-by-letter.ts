/** Words that begin with one letter: their numbers, and at the same places the letters that they have. */
export interface WordList {
  readonly numbers: readonly number[]
  readonly letters: readonly number[]
}

const NO_WORDS: WordList = { numbers: [], letters: [] }
const FIRST = 97
const LETTERS = 26

/**
 * Numbers of words by their first letter, so that no search has to look through all. Words are listed when a list is
 * first asked for after they came: most searches need none.
 */
export class WordsByLetter {
  readonly #lists = new Map<number, { readonly numbers: number[]; readonly letters: number[] }>()
  readonly #textOf: (number: number) => string
  #listed = 0

  constructor(textOf: (number: number) => string) {
    this.#textOf = textOf
  }

  /** The words below `count` that begin as `word` does. */
  like(word: string, count: number): WordList {
    for (; this.#listed < count; this.#listed++) this.#add(this.#listed)
    return this.#lists.get(word.charCodeAt(0)) ?? NO_WORDS
  }

  #add(number: number): void {
    const text = this.#textOf(number)
    const list = this.#lists.get(text.charCodeAt(0))
    if (list === undefined) this.#lists.set(text.charCodeAt(0), { numbers: [number], letters: [lettersOf(text)] })
    else {
      list.numbers.push(number)
      list.letters.push(lettersOf(text))
    }
  }
}

/** One bit for each letter from a to z that a word has, and one for all other signs. */
export function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at++) {
    const place = word.charCodeAt(at) - FIRST
    letters |= 1 << (place >= 0 && place < LETTERS ? place : LETTERS)
  }
  return letters
}

/** How many letters one of two words has and the other has not. An edit changes two of them at most. */
export function lettersApart(a: number, b: number): number {
  let bits = a ^ b
  bits -= (bits >>> 1) & 0x5555_5555
  bits = (bits & 0x3333_3333) + ((bits >>> 2) & 0x3333_3333)
  return Math.imul((bits + (bits >>> 4)) & 0x0f0f_0f0f, 0x0101_0101) >>> 24
}
