import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { foldName } from '../index/untokenized-names.ts'
import { nameCountIn } from '../index/posting.ts'
import type { CorpusView } from '../index/corpus-view.ts'

/** Longer texts are not names. */
export const LONGEST_NAME = 300

/** How exactly the query is a tool's name: the higher, the more. */
const AS_KEY = 3
const AS_NAME = 2
const FOLDED = 1

/**
 * The visible tools whose name or key the query is, however it is written: `create_issue`, `createIssue`, `create
 * issue`, `github:create_issue`, `github__create-issue`. Each with how exactly it is, as written above as folded.
 *
 * Where the query is a structured one that lets only `matching` through, other tools count only as written: `NOT
 * delete` is the name of `not_delete`, but does not ask for it.
 */
export function exactMatches(
  query: string,
  corpus: Corpus,
  view: CorpusView,
  matching?: Uint8Array,
): ReadonlyMap<number, number> {
  const found = new Map<number, number>()
  const text = query.trim()
  if (text === '' || text.length > LONGEST_NAME) return found
  const folded = foldName(text)
  for (const word of possibleNames(text)) {
    for (const document of toolsNamed(word, corpus, view)) {
      const { name, namespace } = corpus.tool(document)
      if (matching?.[document] === 0 && name !== text) continue
      const foldedName = foldName(name)
      const foldedKey = namespace === undefined ? foldedName : foldName(namespace) + foldedName
      if (foldedName === folded || foldedKey === folded) found.set(document, name === text ? AS_NAME : FOLDED)
    }
  }
  const byKey = corpus.numberOf(text)
  if (byKey !== undefined && isVisible(byKey, view)) found.set(byKey, AS_KEY)
  return found
}

/** The text as a name, and what stands behind each sign that may part server and tool. */
export function possibleNames(text: string): ReadonlySet<string> {
  const names = new Set([foldName(text)])
  for (const { 0: sign, index } of text.matchAll(/[:./]|__/gu)) names.add(foldName(text.slice(index + sign.length)))
  names.delete('')
  return names
}

/** Visible tools whose whole name is the word: a name of one word, or one whose parts make it. */
function toolsNamed(word: string, corpus: Corpus, view: CorpusView): number[] {
  const untokenized = [...corpus.untokenizedNames.get(word)].filter((document) => isVisible(document, view))
  return [...untokenized, ...toolsWithWhole(word, corpus, view)]
}

function toolsWithWhole(word: string, corpus: Corpus, view: CorpusView): number[] {
  const surface = corpus.vocabulary.findSurface(word)
  if (surface < 0) return []
  const { postings } = corpus
  const term = corpus.vocabulary.termOf(surface)
  const found: number[] = []
  const start = postings.start(term)
  for (let at = start; at < start + postings.length(term); at++) {
    if (nameCountIn(postings.values[at] as number) === 0) continue
    const document = postings.documents[at] as number
    if (isVisible(document, view) && isWholeName(document, surface, corpus)) found.push(document)
  }
  return found
}

/** Decided by numbers alone: many names share a common word, and comparing texts would be slow. */
function isWholeName(document: number, surface: number, corpus: Corpus): boolean {
  if (corpus.nameLengths.get(document) === 1) return true
  const { items } = corpus.surfaces
  const start = corpus.surfaces.start(document) + 1
  for (let at = start; at < start + corpus.nameLengths.get(document); at++) {
    if (items[at] === (surface | WHOLE_FLAG)) return true
  }
  return false
}

function isVisible(document: number, view: CorpusView): boolean {
  return view.visible === undefined || view.visible[document] === 1
}
