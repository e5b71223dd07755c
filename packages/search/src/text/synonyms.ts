import { stem } from './stem.ts'
import { RELATED_WORDS, SYNONYM_GROUPS } from './synonym-table.ts'

/** Another word for a word, as a stem. `isRelated` marks one that only points the same way. */
export interface Synonym {
  readonly stem: string
  readonly isRelated: boolean
}

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
  const built = new Map<string, Synonym[]>()
  const add = (from: string, to: string, isRelated: boolean): void => {
    if (from === to) return
    const known = built.get(from) ?? []
    if (!known.some((synonym) => synonym.stem === to)) known.push({ stem: to, isRelated })
    built.set(from, known)
  }
  for (const group of SYNONYM_GROUPS) {
    const words = group.split(' ')
    for (const from of words) for (const to of words) for (const part of partsOf(to)) add(stemsOf(from), part, false)
  }
  for (const line of RELATED_WORDS) {
    const [from = '', targets = ''] = line.split(': ')
    for (const to of targets.split(' ')) for (const part of partsOf(to)) add(stemsOf(from), part, true)
  }
  return built
}

/** A phrase is asked for by all its words … */
function stemsOf(word: string): string {
  return word.split('_').map(stem).join('_')
}

/** … and found by any of them, or written as one. */
function partsOf(word: string): readonly string[] {
  const words = word.split('_')
  return words.length === 1 ? [stem(word)] : [stem(words.join('')), ...words.map(stem)]
}
