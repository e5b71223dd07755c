import type { QueryReader } from '../../../query/query-reader.ts'
import { expansionOf } from '../../../text/abbreviations.ts'
import { actionsOf } from '../../../text/actions.ts'
import { stem } from '../../../text/stem.ts'
import { isStopWord } from '../../../text/stop-words.ts'
import { synonymsOf } from '../../../text/synonyms.ts'
import type { Corpus } from '../index/corpus.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { stemFrequency, visibleCount } from '../index/frequency.ts'
import { editDistance, typoCorrections } from './typo-corrections.ts'

/** In longer queries an unknown word is a name rather than a typo. */
const MOST_WORDS = 8
/** A correction is certain where the next likely word is this much rarer among the tools. */
const AHEAD = 3
/** Of shorter words too many others are one letter away. */
const SHORTEST_CERTAIN = 4
/** From here on a word with a changed letter is hardly another word. */
const LONG = 7
const WORDS = /[\p{L}\p{N}]+/gu
const PLAIN = /^[a-z]+$/
/** A word with a capital is a name where the sentence does not begin with it. */
const NAME = /^\p{Lu}/u

/**
 * A short text with its certainly misspelt words as tools write them. The visible tools decide what is certain; names,
 * known words and texts in other languages stay as they are.
 */
export function correctSpelling(text: string, corpus: Corpus, view: CorpusView, reader?: QueryReader): string {
  const words = text.match(WORDS) ?? []
  if (words.length === 0 || words.length > MOST_WORDS || reader?.read(text) !== undefined) return text
  return text.replace(WORDS, (word, place: number) => {
    const isName = NAME.test(word) && place > 0 && words.some((other) => !NAME.test(other))
    return isName ? word : (certainSpelling(word.toLowerCase(), corpus, view) ?? word)
  })
}

function certainSpelling(word: string, corpus: Corpus, view: CorpusView): string | undefined {
  if (word.length < SHORTEST_CERTAIN || !PLAIN.test(word) || isKnown(word, corpus, view)) return undefined
  const [best, next] = likelyMeant(word, corpus, view)
    .map((term) => ({
      form: nearestForm(word, term, corpus, view),
      stem: corpus.vocabulary.termText(term),
      count: frequencyOf(term, corpus, view),
    }))
    .filter(({ form }) => form !== '' && !isStopWord(form))
    .toSorted((a, b) => b.count - a.count)
  if (best === undefined || (next !== undefined && best.count < AHEAD * next.count)) return undefined
  return isSlip(word, best.form) || isSlip(word, best.stem) ? best.form : undefined
}

function frequencyOf(term: number, corpus: Corpus, view: CorpusView): number {
  return stemFrequency(corpus.vocabulary.termText(term), corpus, view)
}

/**
 * Whether one word is the other with a slip of the keyboard. A changed letter makes another word (_horse_, _house_), so
 * that it is a slip in long words only; letters swapped, doubled or left out rarely do.
 */
function isSlip(typed: string, meant: string): boolean {
  if (typed.length >= LONG) return editDistance(typed, meant, 2) <= 2
  if (editDistance(typed, meant, 1) > 1) return false
  const longer = meant.length - typed.length
  if (longer === 0) return [...typed].toSorted().join('') === [...meant].toSorted().join('')
  return longer > 0 || typed.length > SHORTEST_CERTAIN
}

function isKnown(word: string, corpus: Corpus, view: CorpusView): boolean {
  const stemmed = stem(word)
  if (isStopWord(word) || expansionOf(word) !== undefined || actionsOf(stemmed, true) !== 0) return true
  return synonymsOf(stemmed).length > 0 || stemFrequency(stemmed, corpus, view) > 0
}

/** The terms that a word may be a misspelling of. */
export function likelyMeant(word: string, corpus: Corpus, view: CorpusView): readonly number[] {
  return view.terms.meantBy(word, () => likelyTerms(word, corpus, view))
}

function likelyTerms(word: string, corpus: Corpus, view: CorpusView): readonly number[] {
  const hasTerm = (term: number): boolean => visibleCount(corpus.postings, term, view) > 0
  const hasSurface = (surface: number): boolean => isSurfaceVisible(surface, corpus, view)
  return typoCorrections(word, corpus.vocabulary, { hasTerm, hasSurface })
}

/** Of the forms in which visible tools write a term the nearest to a word. */
function nearestForm(word: string, term: number, corpus: Corpus, view: CorpusView): string {
  const { vocabulary } = corpus
  let nearest: { readonly text: string; readonly distance: number } | undefined
  for (const surface of vocabulary.surfacesLike(word).numbers) {
    if (vocabulary.termOf(surface) !== term) continue
    const text = vocabulary.surfaceText(surface)
    const distance = editDistance(word, text, word.length)
    const isNearer = nearest === undefined || distance < nearest.distance
    const isTie = distance === nearest?.distance && text < nearest.text
    if ((isNearer || isTie) && isSurfaceVisible(surface, corpus, view)) nearest = { text, distance }
  }
  return nearest?.text ?? ''
}

/** Whether a visible document writes its word so. */
function isSurfaceVisible(
  surface: number,
  { vocabulary, postings, surfaces }: Corpus,
  { visible }: CorpusView,
): boolean {
  const term = vocabulary.termOf(surface)
  const start = postings.start(term)
  for (let at = start; at < start + postings.length(term); at++) {
    const document = postings.documents[at] as number
    if (visible !== undefined && visible[document] === 0) continue
    for (const item of surfaces.get(document)) if (item >= 0 && (item & ~WHOLE_FLAG) === surface) return true
  }
  return false
}
