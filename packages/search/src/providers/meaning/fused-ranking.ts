import { compareIds } from '../compare-ids.ts'
import { COSINE_ONE } from '../../vectors/vector-rows.ts'
import type { Corpus } from '../bm25/index/corpus.ts'
import { visibleCount } from '../bm25/index/frequency.ts'
import type { RankedDocument, WordScores } from '../bm25/score/ranker.ts'
import { ScoreBoard } from '../bm25/score/score-board.ts'
import { HighestValues, topDocuments } from '../bm25/score/top-documents.ts'
import { JUDGED } from '../bm25/parameters.ts'
import type { CorpusView } from '../bm25/index/corpus-view.ts'
import { calibrated, COMPARED_HITS, type MeaningEvidence, type Observe } from '../calibrated.ts'
import type { Calibration } from './calibration.ts'
import { Deviation, type MeaningScores } from './meaning-scores.ts'
import {
  MEANING_WEIGHT,
  MEANT,
  SERVER_NEARNESS_WEIGHT,
  SURER_SHARE,
  TELLING_WORDS,
  UNKNOWN_WORDS_DOUBT,
  UNKNOWN_WORDS_WEIGHT,
} from './parameters.ts'

/** An exact name beats every sum of words and meaning: deviations grow with the root of the number of tools. */
const EXACT_SCORE = 1_000_000
/** Scores of words are rounded to whole numbers of this many parts before they are summed. */
const SCORE_ONE = 65_536

/** As many deviations from the mean as a tool can hardly have. */
const MANY_DEVIATIONS = 10

/** A ranked document, and whether it means what was asked rather than only has the words. */
export interface FusedDocument extends RankedDocument {
  readonly isMeant: boolean
}

/** Traits of the embedder whose cosines are added. */
export interface EmbedderTraits {
  readonly calibration: Calibration
  /** The weight of its cosines compared with the built-in table. */
  readonly weight: number
}

/** Adds what words and meaning say of the documents of a view. One serves all searches: a search never waits in it. */
export class FusedRanking {
  readonly #corpus: Corpus
  readonly #withWords: boolean
  readonly #board = new ScoreBoard()
  readonly #spreadOf: WordSpread

  /** Without words it ranks by meaning alone. */
  constructor(corpus: Corpus, withWords: boolean, spreadOf: WordSpread = wordSpread) {
    this.#corpus = corpus
    this.#withWords = withWords
    this.#spreadOf = spreadOf
  }

  /** The best documents: those whose name it is, then those that have the words or mean the same. */
  rank(
    words: WordScores,
    meaning: MeaningScores,
    { calibration, weight }: EmbedderTraits,
    view: CorpusView,
    depth: number,
    observe?: Observe,
  ): FusedDocument[] {
    const unknownShare = this.#unknownShare(words, view)
    const wordDeviation = this.#spreadOf(words, this.#corpus, view)
    const wanted = Math.max(depth, COMPARED_HITS)
    const meaningWeight = this.#meaningWeight(words, unknownShare, weight)
    this.#fill(words, meaning, calibration, view, { wordDeviation, meaningWeight, wanted: JUDGED + wanted })
    // Who shares no word at all with the tools may mean them in other words, or be talking of something else.
    const trust = 1 - UNKNOWN_WORDS_DOUBT * unknownShare ** 4
    const perScore = wordDeviation.perUnit
    if (this.#withWords) {
      for (const document of topDocuments(this.#board, JUDGED, this.#corpus)) {
        this.#board.values[document] = (this.#board.values[document] as number) + perScore * words.fit.bonus(document)
      }
    }
    const others = topDocuments(this.#board, wanted, this.#corpus).map((document) => {
      const nearness = nearnessOf(document, meaning, calibration)
      const relevance = this.#relevance(document, trust * nearness, words)
      return { document, score: this.#board.values[document] as number, relevance, isMeant: nearness >= MEANT }
    })
    const named = Array.from(words.exact, ([document, exactness]) => {
      const isMeant = nearnessOf(document, meaning, calibration) >= MEANT
      return { document, score: EXACT_SCORE + exactness, relevance: 1, isMeant, isExact: true as const }
    })
    const meant = (document: number): MeaningEvidence => ({
      nearness: nearnessOf(document, meaning, calibration),
      outstanding: Math.min(
        1,
        Math.max(0, meaning.deviation.of(meaning.cosines[document] as number)) / MANY_DEVIATIONS,
      ),
    })
    const found = calibrated(others.sort(this.#best), words, meant, this.#withWords ? 'both' : 'meaning', observe)
    return withoutRises([...named.sort(this.#best), ...found]).slice(0, depth)
  }

  /**
   * Puts the documents on the board that can be among the `wanted` best, and few others. Those that are judged may
   * fall, so that as many more must be there as are judged.
   */
  #fill(
    { totals, exact, matching }: WordScores,
    meaning: MeaningScores,
    calibration: Calibration,
    { visible }: CorpusView,
    { wordDeviation, meaningWeight, wanted }: Fusion,
  ): void {
    const board = this.#board
    board.reset(this.#corpus.size)
    const floor = Math.max(0, calibration.floor * COSINE_ONE)
    // All that the loop needs, at hand: it runs over very many tools.
    const [withWords, { size }, serverOf] = [this.#withWords, this.#corpus, this.#corpus.serverOf.items]
    const { cosines, nearest } = meaning
    const servers = meaning.servers.deviations
    const mostOfServer = SERVER_NEARNESS_WEIGHT * meaning.servers.highest(this.#corpus.servers.size)
    const [wordMean, wordUnit] = [wordDeviation.mean, withWords ? wordDeviation.perUnit : 0]
    const [mean, unit] = [meaning.deviation.mean, meaning.deviation.perUnit]
    const { values: wordScores } = totals
    const isFound = (document: number): boolean => {
      if (exact.has(document) || (visible !== undefined && visible[document] === 0)) return false
      if (matching !== undefined) return matching[document] === 1
      return (withWords && (wordScores[document] as number) > 0) || (nearest[document] as number) > floor
    }
    const highest = new HighestValues(wanted)
    let least = Number.NEGATIVE_INFINITY
    for (let document = 0; document < size; document++) {
      const ofMeaning = meaningWeight * (((cosines[document] as number) - mean) * unit)
      const ofBoth = ((wordScores[document] as number) - wordMean) * wordUnit + ofMeaning
      // Few are near enough to the best to be looked at more closely.
      if (ofBoth + mostOfServer < least || !isFound(document)) continue
      const server = serverOf[document] as number
      const score = ofBoth + (server < 0 ? 0 : SERVER_NEARNESS_WEIGHT * (servers[server] as number))
      if (score < least) continue
      highest.offer(score)
      least = highest.lowest
      board.values[document] = score
      board.touched[board.count++] = document
    }
  }

  /** The share, by rarity, of the query that no tool of the view has, in any word. */
  #unknownShare({ concepts }: WordScores, view: CorpusView): number {
    let [all, unknown] = [0, 0]
    for (const { weight, members } of concepts) {
      all += weight
      const isKnown = members.some(({ term }) => visibleCount(this.#corpus.postings, term, view) > 0)
      if (!isKnown) unknown += weight
    }
    return all === 0 ? 1 : unknown / all
  }

  /** Meaning counts more where the words are unknown, and less where there are many of them. */
  #meaningWeight({ concepts }: WordScores, unknownShare: number, weight: number): number {
    if (!this.#withWords) return 1
    const ofTable = MEANING_WEIGHT + UNKNOWN_WORDS_WEIGHT * unknownShare
    return weight * ofTable * Math.min(1, TELLING_WORDS / concepts.length)
  }

  #relevance(document: number, nearness: number, { totals, relevancePerScore }: WordScores): number {
    if (!this.#withWords) return nearness
    const said = Math.min(1, relevancePerScore * (totals.values[document] as number))
    return SURER_SHARE * Math.max(said, nearness) + (1 - SURER_SHARE) * Math.min(said, nearness)
  }

  readonly #best = (a: RankedDocument, b: RankedDocument): number =>
    b.score - a.score || compareIds(this.#corpus.tool(a.document).id, this.#corpus.tool(b.document).id)
}

/** How words and meaning are added. */
interface Fusion {
  readonly wordDeviation: Deviation
  readonly meaningWeight: number
  /** How many of the best documents are needed. */
  readonly wanted: number
}

/** No tool gets a higher relevance than one ranked before it: order and relevance agree. */
function withoutRises(ranked: readonly FusedDocument[]): FusedDocument[] {
  let least = 1
  return ranked.map((found) => {
    least = Math.min(least, found.relevance)
    return { ...found, relevance: least }
  })
}

/** How the words' scores are spread over all tools of a view; those without a word have 0. */
export type WordSpread = (words: WordScores, corpus: Corpus, view: CorpusView) => Deviation

const wordSpread: WordSpread = ({ totals }, _, { count }) => {
  const { sum, squares } = sumsOf(totals)
  return Deviation.ofSums(count, sum, squares)
}

/** The sums that the spread of scores follows from: of whole numbers, so that they are exact in any order. */
export function sumsOf({ values, touched, count }: ScoreBoard): { readonly sum: number; readonly squares: number } {
  let [sum, squares] = [0, 0]
  for (let i = 0; i < count; i++) {
    const score = Math.round((values[touched[i] as number] as number) * SCORE_ONE)
    sum += score
    squares += score * score
  }
  return { sum: sum / SCORE_ONE, squares: squares / (SCORE_ONE * SCORE_ONE) }
}

/** How much of a document's meaning is that of the query, 0 to 1. */
function nearnessOf(document: number, meaning: MeaningScores, { floor, ceiling }: Calibration): number {
  const cosine = (meaning.nearest[document] as number) / COSINE_ONE
  return Math.min(1, Math.max(0, (cosine - floor) / (ceiling - floor)))
}
