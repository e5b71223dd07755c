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
/** One word of a phrase says less than the phrase. */
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

/** The words with one first letter, which stemming keeps; stemmed when one of them is first asked for. */
interface Drawer {
  unread: { readonly word: string; readonly line: Line }[]
  readonly entries: Map<string, Entry>
}

let table: ReadonlyMap<string, Drawer> | undefined

/**
 * Other words for a stem; for two neighbouring words ask with both stems joined by `_`. Built at first use, because a
 * program that never searches by `bm25` should not pay for it.
 */
export function synonymsOf(stemmed: string): readonly Synonym[] {
  table ??= buildTable()
  const drawer = table.get(stemmed.charAt(0))
  if (drawer === undefined) return NONE
  if (drawer.unread.length > 0) readDrawer(drawer)
  const entry = drawer.entries.get(stemmed)
  if (entry === undefined) return NONE
  entry.synonyms ??= readLines(stemmed, entry.lines)
  return entry.synonyms
}

function buildTable(): ReadonlyMap<string, Drawer> {
  const built = new Map<string, Drawer>()
  const add = (word: string, line: Line): void => {
    const known = built.get(word.charAt(0))
    if (known === undefined) built.set(word.charAt(0), { unread: [{ word, line }], entries: new Map() })
    else known.unread.push({ word, line })
  }
  for (const group of SYNONYM_GROUPS) {
    const words = group.split(' ')
    for (const [own, word] of words.entries()) add(word, { words, own, closeness: SAME })
  }
  for (const line of RELATED_WORDS) {
    const [said = '', targets = ''] = line.split(': ')
    add(said, { words: targets.split(' '), own: -1, closeness: RELATED })
  }
  return built
}

function readDrawer(drawer: Drawer): void {
  for (const { word, line } of drawer.unread) {
    const from = stemsOf(word)
    const known = drawer.entries.get(from)
    if (known === undefined) drawer.entries.set(from, { lines: [line], synonyms: undefined })
    else known.lines.push(line)
  }
  drawer.unread = []
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
