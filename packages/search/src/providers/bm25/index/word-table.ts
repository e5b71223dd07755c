import { type SavedReader, type SavedWriter, startsOf } from '../../../saved/saved-parts.ts'
import { GrowableInts } from './growable-ints.ts'

/** No such word: what a lookup answers. */
export const NO_WORD = -1

/**
 * Numbers for words, looked up by a range of a text instead of a string of their own: while a catalog is read, nearly
 * every word is an old one, and making strings only to ask for them would be half of the work. ASCII capitals are
 * folded.
 */
export class WordTable {
  /** Those of a saved table stand in one text until they are first needed. */
  readonly #words: (string | undefined)[] = []
  #savedText = ''
  #savedStarts: Int32Array = new Int32Array(0)
  #savedLengths: Int32Array = new Int32Array(0)
  /** Tools are untrusted: their words must not be able to collide in one slot on purpose. */
  readonly #seed = Math.floor(Math.random() * 2 ** 32) | 0
  readonly #hashes = new GrowableInts(1024)
  /** Open addressing: 1 + the number of a word, or 0. The size is a power of two. */
  #slots = new Int32Array(2048)

  get size(): number {
    return this.#words.length
  }

  word(number: number): string {
    const known = this.#words[number]
    if (known !== undefined) return known
    if (number >= this.#savedLengths.length) return ''
    const start = this.#savedStarts[number] as number
    const word = this.#savedText.slice(start, start + (this.#savedLengths[number] as number))
    this.#words[number] = word
    return word
  }

  /** The number of the word at a range of a text, or `NO_WORD`. */
  find(text: string, start: number, end: number): number {
    const hash = hashOf(this.#seed, text, start, end)
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = (this.#slots[slot] as number) - 1
      if (number < 0) return NO_WORD
      if (this.#hashes.get(number) === hash && isAt(this.word(number), text, start, end)) return number
    }
  }

  /** Adds a word in lower case that the table does not have. */
  add(word: string): number {
    const number = this.#words.length
    if (2 * (number + 1) > this.#slots.length) this.#grow()
    this.#words.push(word)
    const hash = hashOf(this.#seed, word, 0, word.length)
    this.#hashes.set(number, hash)
    this.#place(number, hash)
    return number
  }

  /** Writes all words as parts of a saved index. */
  save(to: SavedWriter, name: string): void {
    const words = Array.from({ length: this.size }, (_, number) => this.word(number))
    to.json(`${name}.text`, words.join(''))
    to.numbers(
      `${name}.lengths`,
      Int32Array.from(words, (word) => word.length),
    )
  }

  /** Takes over saved words; the table must be empty. Slots are filled anew, because the seed is another one. */
  restore(from: SavedReader, name: string): void {
    const text = from.json(`${name}.text`) as string
    const lengths = from.ints(`${name}.lengths`)
    const starts = startsOf(lengths)
    this.#savedText = text
    this.#savedStarts = starts
    this.#savedLengths = lengths
    this.#words.length = lengths.length
    let slots = this.#slots.length
    while (2 * lengths.length > slots) slots *= 2
    this.#slots = new Int32Array(slots)
    this.#hashes.reserve(lengths.length)
    for (let number = 0; number < lengths.length; number++) {
      const start = starts[number] as number
      const hash = hashOf(this.#seed, text, start, start + (lengths[number] as number))
      this.#hashes.set(number, hash)
      this.#place(number, hash)
    }
  }

  #place(number: number, hash: number): void {
    const mask = this.#slots.length - 1
    let slot = hash & mask
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
    this.#slots[slot] = number + 1
  }

  #grow(): void {
    this.#slots = new Int32Array(2 * this.#slots.length)
    for (let number = 0; number < this.#words.length; number++) this.#place(number, this.#hashes.get(number))
  }
}

// Both fold capitals in the loop itself: they run for every letter of a catalog, from the first one on.

/** FNV-1a over code units, stirred so that the low bits depend on all. */
function hashOf(seed: number, text: string, start: number, end: number): number {
  let hash = 0x811c9dc5 ^ seed
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    hash = Math.imul(hash ^ (code >= 65 && code <= 90 ? code + 32 : code), 0x01000193)
  }
  hash ^= hash >>> 15
  return Math.imul(hash, 0x2c1b3c6d) | 0
}

function isAt(word: string, text: string, start: number, end: number): boolean {
  if (word.length !== end - start) return false
  for (let i = 0; i < word.length; i++) {
    const code = text.charCodeAt(start + i)
    if (word.charCodeAt(i) !== (code >= 65 && code <= 90 ? code + 32 : code)) return false
  }
  return true
}
