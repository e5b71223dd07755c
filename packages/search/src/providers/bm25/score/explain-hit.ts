import { compareIds } from '../../compare-ids.ts'
import { explainMatches, type WordMatch } from '../../explain.ts'
import type { Explanation } from '../../search-provider.ts'
import type { Concept, Member } from '../query/concepts.ts'
import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { FIELDS, fieldBitsIn } from '../index/posting.ts'

/** Other words than the ones typed that are worth telling, per word. */
const MOST_OTHER_WORDS = 2

/** Explains which words of the query a document has, where, and in which other words. */
export function explainHit(document: number, concepts: readonly Concept[], corpus: Corpus): Explanation {
  return explainMatches(concepts.flatMap((concept) => matchesOf(document, concept, corpus)))
}

function matchesOf(document: number, concept: Concept, corpus: Corpus): readonly WordMatch[] {
  const matched = concept.members.filter((member) => fieldBits(document, member, corpus) !== 0)
  const ownTerm = corpus.vocabulary.findTerm(concept.ownStem)
  const own = matched.find((member) => member.term === ownTerm)
  if (own !== undefined) return [{ word: concept.word, fields: fieldsOf(document, own, corpus) }]
  // By text where they are worth the same: the order of numbers would tell which tools came before.
  const { vocabulary } = corpus
  const best = (a: Member, b: Member): number =>
    b.weight - a.weight || compareIds(vocabulary.termText(a.term), vocabulary.termText(b.term))
  const others = matched.sort(best).slice(0, MOST_OTHER_WORDS)
  return others.map((member) => ({
    word: `${concept.word} → ${wordFor(document, member.term, corpus)}`,
    fields: fieldsOf(document, member, corpus),
  }))
}

function fieldsOf(document: number, member: Member, corpus: Corpus): WordMatch['fields'] {
  const bits = fieldBits(document, member, corpus)
  return FIELDS.filter((_, number) => (bits & (1 << number)) !== 0)
}

function fieldBits(document: number, member: Member, corpus: Corpus): number {
  return fieldBitsIn(corpus.postings.valueOf(member.term, document))
}

/** How the document itself writes a term. */
function wordFor(document: number, term: number, corpus: Corpus): string {
  const { vocabulary } = corpus
  for (const item of corpus.surfaces.get(document)) {
    const surface = item & ~WHOLE_FLAG
    if (item >= 0 && vocabulary.termOf(surface) === term) return vocabulary.surfaceText(surface)
  }
  return vocabulary.termText(term)
}
