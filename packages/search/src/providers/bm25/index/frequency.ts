import type { Corpus } from './corpus.ts'
import type { PostingLists } from './posting-lists.ts'
import type { CorpusView } from './corpus-view.ts'
import { B, K1, ONE, SERVER_B, SERVER_K1, SERVER_WEIGHT } from '../parameters.ts'

/** How many documents of the view, or of the catalog that they are a part of, have a stem. */
export function stemFrequency(stem: string, corpus: Corpus, view: CorpusView): number {
  return view.catalog?.stems.get(stem)?.tools ?? visibleCount(corpus.postings, corpus.vocabulary.findTerm(stem), view)
}

/** The inverse document frequency of BM25, never negative. */
export function rarity(frequency: number, count: number): number {
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
}

/** How many documents of the view, or of the catalog that they are a part of, have a term. */
export function visibleCount(postings: PostingLists, term: number, view: CorpusView): number {
  const length = postings.length(term)
  if (view.catalog !== undefined) return term < 0 ? 0 : view.terms.countInCatalog(term)
  return view.visible === undefined || length === 0 ? length : view.terms.of(term).count
}

/** A term's score is `weight × frequency ÷ (frequency + whole + perLength × length)`. */
export interface Saturation {
  readonly whole: number
  readonly perLength: number
}

/** The average lengths of tools and of servers. */
interface Averages {
  readonly averageLength: number
  readonly averageServerLength: number
}

/** How the scores of tools and of servers saturate, and what the best server's adds to its tools' best. */
export function saturations({ averageLength, averageServerLength }: Averages) {
  return {
    tools: { whole: K1 * ONE * (1 - B), perLength: over(K1 * ONE * B, averageLength) },
    servers: { whole: SERVER_K1 * (1 - SERVER_B), perLength: over(SERVER_K1 * SERVER_B, averageServerLength) },
    serverWeight: SERVER_WEIGHT,
  } satisfies { tools: Saturation; servers: Saturation; serverWeight: number }
}

function over(amount: number, average: number): number {
  return average === 0 ? 0 : amount / average
}
