import { foldCase } from '../../text/normalise.ts'
import { splitIdentifier } from '../../text/split-identifier.ts'
import { tokenise } from '../../text/tokenise.ts'
import type { Corpus } from './corpus.ts'
import { WHOLE_FLAG } from './document-reader.ts'
import { nameCountIn } from './posting.ts'
import type { View } from './view.ts'

/** Longer texts are not names. */
const LONGEST_NAME = 300

/**
 * The visible tools whose name or key the query is, however it is written: `create_issue`, `createIssue`,
 * `create issue`, `github:create_issue`, `github__create-issue`.
 */
export function exactMatches(query: string, corpus: Corpus, view: View): readonly number[] {
  const text = query.trim()
  if (text === '' || text.length > LONGEST_NAME) return []
  const byId = corpus.numberOf(text)
  if (byId !== undefined && isVisible(byId, view)) return [byId]
  const folded = foldName(text)
  if (folded === '') return []
  const found = new Set<number>()
  for (const word of new Set([folded, lastToken(text)])) {
    for (const document of toolsNamed(word, corpus, view)) {
      const { name, namespace } = corpus.tool(document)
      const foldedName = foldName(name)
      const foldedKey = namespace === undefined ? foldedName : foldName(namespace) + foldedName
      if (foldedName === folded || foldedKey === folded) found.add(document)
    }
  }
  return [...found]
}

/** The last word of the text, or the whole of its last identifier. */
function lastToken(text: string): string {
  let last = ''
  tokenise(text, (token) => {
    last = token
  })
  return last
}

/** Visible tools whose whole name is the word: a name of one word, or one whose parts make it. */
function toolsNamed(word: string, corpus: Corpus, view: View): number[] {
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

/** Told from the numbers alone: many names have a common word among others, and comparing texts would cost. */
function isWholeName(document: number, surface: number, corpus: Corpus): boolean {
  if (corpus.nameLengths.get(document) === 1) return true
  const { items } = corpus.surfaces
  const start = corpus.surfaces.start(document) + 1
  for (let at = start; at < start + corpus.nameLengths.get(document); at++) {
    if (items[at] === (surface | WHOLE_FLAG)) return true
  }
  return false
}

function foldName(name: string): string {
  return foldCase(splitIdentifier(name).join(''))
}

function isVisible(document: number, view: View): boolean {
  return view.visible === undefined || view.visible[document] === 1
}
