import { parseQuery } from '../../../query/parse-query.ts'
import type { QueryNode } from '../../../query/query.ts'
import type { QueryReader } from '../../../query/query-reader.ts'
import { normaliseText } from '../../../text/normalise.ts'
import { clausesOf } from './clauses.ts'
import { possibleNames } from './exact-names.ts'
import { translatedStems } from './concepts.ts'
import { rarity } from '../index/frequency.ts'
import { lettersOf } from '../index/words-by-letter.ts'
import { typoCorrections } from './typo-corrections.ts'
import * as parameters from '../parameters.ts'
import { type QueryTerm, queryWords } from './query-terms.ts'

const { MOST_QUERY_CHARACTERS, SYNONYM_WEIGHT, TYPO_WEIGHT } = parameters

/** A word that a query asks for, with its other words. */
export interface WantedWord {
  readonly word: string
  readonly stem: string
  /** More than 1 where the query repeats the word. */
  readonly emphasis: number
  readonly others: readonly OtherWord[]
}

/** Another word for a word that a query asks for. */
export interface OtherWord {
  readonly stem: string
  readonly share: number
  /** The stem whose rarity counts, for the meaning of a foreign word; absent: that of the typed word. */
  readonly rarityOf?: string
}

/** The words that a store must look up to find every tool that `Bm25Provider` could rank high. */
export interface Wanted {
  readonly words: readonly WantedWord[]
  /** Beginnings of words. */
  readonly prefixes: readonly string[]
  /** Names that the query may be, as `foldName` folds them. */
  readonly names: readonly string[]
  /** Whether the query language was used: then more than the best have to be looked at, for some will not match. */
  readonly structured: boolean
  /** Whether it asks for several things: the ranker scores each of them as well, so that the order may be another. */
  readonly severalThings: boolean
}

/** A stem to look up and what a full match is worth; of the members of one concept the best counts. */
export interface WeightedTerm {
  readonly concept: number
  readonly stem: string
  readonly weight: number
  /** The weight before rarity, for servers. */
  readonly share: number
}

/** In longer queries an unknown word is a name rather than a typo; the same limit as in the ranker. */
const MOST_WORDS_WITH_TYPOS = 8
/** Longer texts are not names. */
const LONGEST_NAME = 300

/** The words that a query asks for. */
export function wantedBy(query: string, reader?: QueryReader): Wanted {
  const text = query.slice(0, MOST_QUERY_CHARACTERS).trim()
  const { root, structured } = parseQuery(text)
  const positive: { texts: string[]; prefixes: string[] } = { texts: [], prefixes: [] }
  if (structured && root !== null) collect(root, positive)
  else positive.texts.push(text)
  const { terms } = queryWords(positive.texts.join('\n'), reader)
  return {
    words: terms.map((term) => ({
      word: term.word,
      stem: term.stem,
      emphasis: 1 + Math.log(term.count),
      others: othersOf(term),
    })),
    prefixes: positive.prefixes,
    names: text === '' || text.length > LONGEST_NAME ? [] : [...possibleNames(text)],
    structured,
    severalThings: !structured && clausesOf(text, reader).length > 0,
  }
}

function othersOf(term: QueryTerm): readonly OtherWord[] {
  if (term.meanings.length === 0) {
    return term.synonyms.map(({ stem, closeness }) => ({ stem, share: SYNONYM_WEIGHT * closeness }))
  }
  const emphasis = 1 + Math.log(term.count)
  const [, ...meant] = translatedStems(term, false)
  return meant.map(({ stem, rarityOf, share }) => ({ stem, rarityOf, share: share / emphasis }))
}

function collect(node: QueryNode, into: { readonly texts: string[]; readonly prefixes: string[] }): void {
  switch (node.kind) {
    case 'not':
      return
    case 'and':
    case 'or':
      for (const child of node.children) collect(child, into)
      return
    case 'prefix': {
      const prefix = normaliseText(node.text).replace(/[^\p{L}\p{N}]/gu, '')
      if (prefix !== '') into.prefixes.push(prefix)
      return
    }
    default:
      into.texts.push(node.text)
  }
}

/** The words that no tool has and that stand for nothing else: perhaps misspelt. */
export function unknownWords({ words, structured }: Wanted, frequencies: ReadonlyMap<string, number>): string[] {
  if (structured || words.length > MOST_WORDS_WITH_TYPOS) return []
  return words.filter(({ stem, others }) => others.length === 0 && !frequencies.has(stem)).map(({ word }) => word)
}

/** The stems that a misspelt word may stand for. A store knows stems, not how tools write their words. */
export function likelyStems(word: string, stems: readonly string[]): readonly string[] {
  const vocabulary = {
    termsLike: () => ({ numbers: stems.map((_, i) => i), letters: stems.map(lettersOf) }),
    termText: (term: number) => stems[term] ?? '',
    surfacesLike: () => ({ numbers: [], letters: [] }),
    surfaceText: () => '',
    termOf: (surface: number) => surface,
  }
  const all = { hasTerm: () => true, hasSurface: () => false }
  return typoCorrections(word, vocabulary, all).map((term) => vocabulary.termText(term))
}

/** The stems of all that is wanted, weighed as the ranker does. `meant` has the stems for words that no tool has. */
export function weighTerms(
  { words }: Wanted,
  count: number,
  frequencies: ReadonlyMap<string, number>,
  meant: ReadonlyMap<string, readonly string[]>,
): readonly WeightedTerm[] {
  return words.flatMap(({ word, stem, emphasis, others }, concept) => {
    const weightOf = (own: string): number => rarity(frequencies.get(own) ?? 0, count) * emphasis
    return [
      { concept, stem, weight: weightOf(stem), share: emphasis },
      ...others.map(({ stem: other, share, rarityOf = stem }) => ({
        concept,
        stem: other,
        weight: weightOf(rarityOf) * share,
        share: emphasis * share,
      })),
      ...(meant.get(word) ?? []).map((other) => ({
        concept,
        stem: other,
        weight: TYPO_WEIGHT * rarity(frequencies.get(other) ?? 0, count),
        share: TYPO_WEIGHT,
      })),
    ]
  })
}
