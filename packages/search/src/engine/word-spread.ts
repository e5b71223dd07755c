import type { Corpus } from '../providers/bm25/index/corpus.ts'
import type { CorpusView } from '../providers/bm25/index/corpus-view.ts'
import { saturations } from '../providers/bm25/index/frequency.ts'
import { frequencyIn } from '../providers/bm25/index/posting.ts'
import type { WordStatistics } from '../providers/bm25/index/word-statistics.ts'
import { K1, ONE } from '../providers/bm25/parameters.ts'
import type { Concept } from '../providers/bm25/query/concepts.ts'
import type { WordScores } from '../providers/bm25/score/ranker.ts'
import { sumsOf } from '../providers/meaning/fused-ranking.ts'
import { Deviation } from '../providers/meaning/meaning-scores.ts'

/**
 * By what the scores of tools that are no candidates differ from those of independent words, as measured on a catalog of
 * 100,000: words that belong together are in the same tools, and the best clause of a long query adds to its whole.
 */
const MEASURED = { words: { mean: 1, deviation: 1.15 }, clauses: { mean: 1.9, deviation: 2.2 } } as const

/** How the words' scores are spread over a catalog of which the corpus has only the candidates. */
export function catalogWordSpread(words: WordScores, corpus: Corpus, view: CorpusView): Deviation {
  const { sum, squares } = sumsOf(words.totals)
  if (view.catalog === undefined) return Deviation.ofSums(view.count, sum, squares)
  const ofWords = expected(words.concepts, corpus, view, view.catalog)
  const measured = words.hasClauses ? MEASURED.clauses : MEASURED.words
  const mean = measured.mean * ofWords.mean
  const variance = measured.deviation ** 2 * ofWords.variance
  const others = Math.max(0, view.count - corpus.count)
  return Deviation.ofSums(view.count, sum + others * mean, squares + others * (variance + mean * mean))
}

/**
 * What the tools of a catalog that are no candidates are expected to score: as if words were in tools independently of
 * each other, as often as they are on average in those that have them.
 */
function expected(
  concepts: readonly Concept[],
  corpus: Corpus,
  view: CorpusView,
  { count, stems }: WordStatistics,
): { readonly mean: number; readonly variance: number } {
  let [mean, variance] = [0, 0]
  for (const { members } of concepts) {
    const known = members
      .map(({ term, weight }) => {
        const { tools = 0, occurrences = 0 } = stems.get(corpus.vocabulary.termText(term)) ?? {}
        const frequency = tools === 0 ? 0 : occurrences / tools
        return { share: tools / count, score: (weight * frequency) / (frequency + K1 * ONE) }
      })
      .toSorted((a, b) => b.score - a.score)
    // Of several words for one thing a tool is paid for the best.
    let [without, ofConcept, squares] = [1, 0, 0]
    for (const { share, score } of known) {
      ofConcept += without * share * score
      squares += without * share * score * score
      without *= 1 - share
    }
    mean += ofConcept
    variance += squares - ofConcept * ofConcept
  }
  const best = bestScore(concepts, corpus, view)
  return best === 0 ? { mean: 0, variance: 0 } : { mean: mean / best, variance: variance / best ** 2 }
}

/** The highest score of a candidate for the words alone, by which the scores of all were divided. */
function bestScore(concepts: readonly Concept[], corpus: Corpus, view: CorpusView): number {
  const { whole, perLength } = saturations(view).tools
  let most = 0
  for (const document of corpus.numbers()) {
    const length = corpus.lengths.get(document)
    let score = 0
    for (const { members } of concepts) {
      let best = 0
      for (const { term, weight } of members) {
        const frequency = frequencyIn(corpus.postings.valueOf(term, document))
        best = Math.max(best, (weight * frequency) / (frequency + whole + perLength * length))
      }
      score += best
    }
    most = Math.max(most, score)
  }
  return most
}
