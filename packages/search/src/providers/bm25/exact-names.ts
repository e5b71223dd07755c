import { splitIdentifier } from '../../text/split-identifier.ts'
import { foldCase } from '../../text/normalise.ts'
import { tokenise } from '../../text/tokenise.ts'
import type { Corpus } from './corpus.ts'
import { nameCountIn } from './document.ts'
import type { View } from './view.ts'

/** Longer texts are not names. */
const LONGEST_NAME = 300

/**
 * The visible tools whose name, key or `server name` the query is, however it is written: `create_issue`,
 * `createIssue`, `github:create_issue`, `github__create-issue`.
 */
export function exactMatches(query: string, corpus: Corpus, view: View): readonly number[] {
  const text = query.trim()
  if (text === '' || text.length > LONGEST_NAME) return []
  const byId = corpus.numberOf(text)
  if (byId !== undefined && isVisible(byId, view)) return [byId]
  const folded = foldName(text)
  if (folded === '') return []
  return candidates(text, corpus, view).filter((document) => {
    const { name, namespace } = corpus.document(document).tool
    const foldedName = foldName(name)
    return foldedName === folded || (namespace !== undefined && foldName(namespace) + foldedName === folded)
  })
}

/** Tools that have the last word of the query in their name, or its last identifier as a whole. */
function candidates(text: string, corpus: Corpus, view: View): number[] {
  let last = ''
  tokenise(text, (token) => {
    last = token
  })
  const surface = corpus.vocabulary.findSurface(last)
  if (surface < 0) return []
  const { postings } = corpus
  const term = corpus.vocabulary.termOf(surface)
  const found: number[] = []
  const start = postings.start(term)
  for (let at = start; at < start + postings.length(term); at++) {
    const document = postings.documents[at] as number
    if (nameCountIn(postings.values[at] as number) > 0 && isVisible(document, view)) found.push(document)
  }
  return found
}

function foldName(name: string): string {
  return foldCase(splitIdentifier(name).join(''))
}

function isVisible(document: number, view: View): boolean {
  return view.visible === undefined || view.visible[document] === 1
}
