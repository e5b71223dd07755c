import type { Corpus } from './corpus.ts'
import type { PostingLists } from './posting-lists.ts'
import type { CorpusView } from './corpus-view.ts'

/** How many documents of the view, or of the catalog that they are a part of, have a stem. */
export function stemFrequency(stem: string, corpus: Corpus, view: CorpusView): number {
  return view.catalog?.frequencies.get(stem) ?? visibleCount(corpus.postings, corpus.vocabulary.findTerm(stem), view)
}

/** The inverse document frequency of BM25, never negative. */
export function rarity(frequency: number, count: number): number {
  return Math.log(1 + (count - frequency + 0.5) / (frequency + 0.5))
}

/** How many documents of the view have a term. */
export function visibleCount(postings: PostingLists, term: number, view: CorpusView): number {
  const length = postings.length(term)
  const { visible } = view
  if (visible === undefined || length === 0) return length
  const start = postings.start(term)
  const documents = postings.documents
  let count = 0
  for (let at = start; at < start + length; at++) count += visible[documents[at] as number] as number
  return count
}
