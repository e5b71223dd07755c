import { stem } from './stem.ts'
import { RELATED_WORDS, SYNONYM_GROUPS } from './synonym-table.ts'

/** Another word for a word, as a stem. */
export interface Synonym {
  readonly stem: string
  /** 1 for a word of the same meaning, less for one that only points the same way. */
  readonly closeness: number
}

const SAME = 1
const RELATED = 0.7
/** One word of a phrase counts less than the phrase. */
const PART_OF_PHRASE = 0.5

const NONE: readonly Synonym[] = []

/** A line of the table that a word stands in, and its own place there. */
interface Line {
  readonly words: readonly string[]
  readonly own: number
  readonly closeness: number
}

interface Entry {
  readonly lines: Line[]
  /** Read from the lines when first asked for: a catalog asks for few of them. */
  synonyms: readonly Synonym[] | undefined
}

/** A word of the table that was not looked up yet, nor any other with its first letter. */
interface Unread {
  readonly word: string
  readonly line: Line
}

/**
 * The table by stems. Everything is read when first needed, because a program that never searches by `bm25` should not
 * pay for it, and a catalog needs few of the words.
 */
class SynonymTable {
  /** By the first letter, which stemming keeps: words are stemmed when one of them is looked up. */
  #unread: Map<number, Unread[]> | undefined
  readonly #entries = new Map<string, Entry>()

  find(stemmed: string): readonly Synonym[] {
    this.#unread ??= readTable()
    if (this.#unread.size > 0) this.#readLetter(this.#unread, stemmed.charCodeAt(0))
    const entry = this.#entries.get(stemmed)
    if (entry === undefined) return NONE
    entry.synonyms ??= readLines(stemmed, entry.lines)
    return entry.synonyms
  }

  #readLetter(unread: Map<number, Unread[]>, letter: number): void {
    for (const { word, line } of unread.get(letter) ?? []) {
      const from = stemsOf(word)
      const known = this.#entries.get(from)
      if (known === undefined) this.#entries.set(from, { lines: [line], synonyms: undefined })
      else known.lines.push(line)
    }
    unread.delete(letter)
  }
}

const TABLE = /* @__PURE__ */ new SynonymTable()

/** Other words for a stem; for two neighbouring words ask with both stems joined by `_`. */
export function synonymsOf(stemmed: string): readonly Synonym[] {
  return TABLE.find(stemmed)
}

function readTable(): Map<number, Unread[]> {
  const unread = new Map<number, Unread[]>()
  const add = (word: string, line: Line): void => {
    const known = unread.get(word.charCodeAt(0))
    if (known === undefined) unread.set(word.charCodeAt(0), [{ word, line }])
    else known.push({ word, line })
  }
  for (const group of SYNONYM_GROUPS) {
    const words = group.split(' ')
    for (const [own, word] of words.entries()) add(word, { words, own, closeness: SAME })
  }
  for (const line of RELATED_WORDS) {
    const [from = '', targets = ''] = line.split(': ')
    add(from, { words: targets.split(' '), own: -1, closeness: RELATED })
  }
  return unread
}

function readLines(from: string, lines: readonly Line[]): readonly Synonym[] {
  const known = new Map<string, number>()
  for (const { words, own, closeness } of lines) {
    for (const [place, word] of words.entries()) {
      if (place === own) continue
      for (const [stemmed, share] of readingsOf(word)) {
        if (stemmed !== from) known.set(stemmed, Math.max(closeness * share, known.get(stemmed) ?? 0))
      }
    }
  }
  return Array.from(known, ([stemmed, closeness]) => ({ stem: stemmed, closeness }))
}

/** Stems that a word is found by, each with its share. */
type Readings = readonly (readonly [stem: string, share: number])[]

/** A phrase is asked for by all its words … */
function stemsOf(word: string): string {
  if (!word.includes('_')) return stem(word)
  return word.split('_').map(stem).join('_')
}

/** … and found written as one, or by any of its words. */
function readingsOf(word: string): Readings {
  const words = word.split('_')
  if (words.length === 1) return [[stem(word), 1]]
  return [[stem(words.join('')), 1], ...words.map((part) => [stem(part), PART_OF_PHRASE] as const)]
}
