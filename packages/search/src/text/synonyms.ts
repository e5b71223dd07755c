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
let table: ReadonlyMap<string, readonly Synonym[]> | undefined

/**
 * Other words for a stem; for two neighbouring words ask with both stems joined by `_`. Built at first use, because a
 * program that never searches by `bm25` should not pay for it.
 */
export function synonymsOf(stemmed: string): readonly Synonym[] {
  table ??= buildTable()
  return table.get(stemmed) ?? NONE
}

function buildTable(): ReadonlyMap<string, readonly Synonym[]> {
  const built = new Map<string, Map<string, number>>()
  const add = (from: string, readings: Readings, closeness: number): void => {
    const known = built.get(from) ?? new Map<string, number>()
    for (const [stemmed, share] of readings) {
      if (stemmed !== from) known.set(stemmed, Math.max(closeness * share, known.get(stemmed) ?? 0))
    }
    built.set(from, known)
  }
  for (const group of SYNONYM_GROUPS) {
    // Each word is read once: somebody waits for the first search.
    const words = group.split(' ').map((word) => ({ stems: stemsOf(word), readings: readingsOf(word) }))
    for (const from of words) for (const to of words) if (from !== to) add(from.stems, to.readings, SAME)
  }
  for (const line of RELATED_WORDS) {
    const [said = '', targets = ''] = line.split(': ')
    const from = stemsOf(said)
    for (const to of targets.split(' ')) add(from, readingsOf(to), RELATED)
  }
  return new Map(Array.from(built, ([from, known]) => [from, synonymList(known)]))
}

function synonymList(known: ReadonlyMap<string, number>): readonly Synonym[] {
  return Array.from(known, ([stemmed, closeness]) => ({ stem: stemmed, closeness }))
}

/** Stems that a word is found by, each with its share. */
type Readings = readonly (readonly [stem: string, share: number])[]

/** A phrase is asked for by all its words … */
function stemsOf(word: string): string {
  return word.split('_').map(stem).join('_')
}

/** … and found written as one, or by any of its words. */
function readingsOf(word: string): Readings {
  const words = word.split('_')
  if (words.length === 1) return [[stem(word), 1]]
  return [[stem(words.join('')), 1], ...words.map((part) => [stem(part), PART_OF_PHRASE] as const)]
}
