import type { QueryLeaf, QueryNode } from '../../query/query.ts'
import type { SearchField } from '../../search-provider.ts'
import { normaliseText } from '../../text/normalise.ts'
import { isStopWord } from '../../text/stop-words.ts'
import { tokenise } from '../../text/tokenise.ts'
import type { Corpus } from './corpus.ts'
import { WHOLE_FLAG } from './document-reader.ts'
import { bitOf, fieldBitsIn } from './posting.ts'
import type { View } from './view.ts'

/** A prefix of a query, with the terms that begin so. */
export interface PrefixTerms {
  readonly prefix: string
  readonly terms: readonly number[]
  /** How many visible documents it matches. */
  readonly count: number
}

/** Which documents a structured query lets through, and what they are ranked by. */
export interface StructuredMatch {
  /** 1 for a visible document that matches, by number. */
  readonly matching: Uint8Array
  /** The words that a match may be ranked by: all but the excluded ones. */
  readonly text: string
  readonly prefixes: readonly PrefixTerms[]
}

const ALL_FIELDS = -1

/** Evaluates the tree of a query over a view. */
export function matchStructured(root: QueryNode, corpus: Corpus, view: View): StructuredMatch {
  const matcher = new StructuredMatcher(corpus, view)
  const matching = matcher.match(root, false)
  return { matching, text: matcher.texts.join(' '), prefixes: matcher.prefixes }
}

class StructuredMatcher {
  readonly texts: string[] = []
  readonly prefixes: PrefixTerms[] = []
  readonly #corpus: Corpus
  readonly #view: View

  constructor(corpus: Corpus, view: View) {
    this.#corpus = corpus
    this.#view = view
  }

  match(node: QueryNode, isExcluded: boolean): Uint8Array {
    switch (node.kind) {
      case 'and':
        return node.children.map((child) => this.match(child, isExcluded)).reduce(intersect)
      case 'or':
        return node.children.map((child) => this.match(child, isExcluded)).reduce(unite)
      case 'not':
        return this.#allBut(this.match(node.child, !isExcluded))
      case 'words':
      case 'phrase':
        if (!isExcluded) this.texts.push(node.text)
        return node.kind === 'words' ? this.#words(node) : this.#phrase(termsOf(node.text, this.#corpus), node.field)
      case 'prefix':
        return this.#prefix(node, isExcluded)
    }
  }

  /** Any of the words; an identifier among them counts when all its parts are there. */
  #words(leaf: QueryLeaf): Uint8Array {
    const words = leaf.text.split(/\s+/u).filter((word) => word !== '')
    const telling = words.filter((word) => !isStopWord(normaliseText(word)))
    const found = new Uint8Array(this.#corpus.size)
    for (const word of telling.length > 0 ? telling : words) {
      const terms = termsOf(word, this.#corpus)
      if (terms.length > 0) unite(found, this.#all(terms, bitsOf(leaf.field)))
    }
    return found
  }

  #all(terms: readonly number[], fieldBits: number): Uint8Array {
    return terms.map((term) => this.#having(term, fieldBits)).reduce(intersect)
  }

  #having(term: number, fieldBits: number): Uint8Array {
    const found = new Uint8Array(this.#corpus.size)
    const { postings } = this.#corpus
    const { visible } = this.#view
    const start = postings.start(term)
    for (let at = start; at < start + postings.length(term); at++) {
      const document = postings.documents[at] as number
      const isInField = (fieldBitsIn(postings.values[at] as number) & fieldBits) !== 0
      if (isInField && (visible === undefined || visible[document] === 1)) found[document] = 1
    }
    return found
  }

  #phrase(terms: readonly number[], field: SearchField | undefined): Uint8Array {
    if (terms.length === 0) return new Uint8Array(this.#corpus.size)
    const fieldBits = bitsOf(field)
    const found = this.#all(terms, fieldBits)
    if (terms.length === 1) return found
    for (let document = 0; document < found.length; document++) {
      if (found[document] === 1 && !this.#hasPhrase(document, terms, fieldBits)) found[document] = 0
    }
    return found
  }

  #hasPhrase(document: number, terms: readonly number[], fieldBits: number): boolean {
    const termsOfSurfaces = this.#corpus.vocabulary.termsOfSurfaces
    let run: number[] = []
    let isInField = false
    for (const item of this.#corpus.surfaces.get(document)) {
      if (item < 0) {
        isInField = ((1 << (-1 - item)) & fieldBits) !== 0
        run = []
      } else if (isInField && (item & WHOLE_FLAG) === 0) {
        run.push(termsOfSurfaces[item] as number)
        if (run.length > terms.length) run.shift()
        if (run.length === terms.length && run.every((term, i) => term === terms[i])) return true
      }
    }
    return false
  }

  #prefix(leaf: QueryLeaf, isExcluded: boolean): Uint8Array {
    const { vocabulary, postings } = this.#corpus
    const prefix = normaliseText(leaf.text).replace(/[^\p{L}\p{N}]/gu, '')
    const found = new Uint8Array(this.#corpus.size)
    if (prefix === '') return found
    const begins = new Uint8Array(vocabulary.surfaceCount)
    const terms = new Set<number>()
    for (let surface = 0; surface < vocabulary.surfaceCount; surface++) {
      if (!vocabulary.surfaceText(surface).startsWith(prefix)) continue
      begins[surface] = 1
      terms.add(vocabulary.termOf(surface))
    }
    for (const term of terms) unite(found, this.#having(term, bitsOf(leaf.field)))
    // A term joins all forms of a word, and not all of them need to begin with the prefix.
    const count = this.#keepBeginning(found, begins, bitsOf(leaf.field))
    const known = [...terms].filter((term) => postings.length(term) > 0)
    if (!isExcluded) this.prefixes.push({ prefix, terms: known, count })
    return found
  }

  #keepBeginning(found: Uint8Array, begins: Uint8Array, fieldBits: number): number {
    let count = 0
    for (let document = 0; document < found.length; document++) {
      if (found[document] === 0) continue
      if (this.#hasBeginning(document, begins, fieldBits)) count++
      else found[document] = 0
    }
    return count
  }

  #hasBeginning(document: number, begins: Uint8Array, fieldBits: number): boolean {
    let isInField = false
    for (const item of this.#corpus.surfaces.get(document)) {
      if (item < 0) isInField = ((1 << (-1 - item)) & fieldBits) !== 0
      else if (isInField && begins[item & ~WHOLE_FLAG] === 1) return true
    }
    return false
  }

  #allBut(excluded: Uint8Array): Uint8Array {
    const found = new Uint8Array(this.#corpus.size)
    const { visible } = this.#view
    for (const document of this.#corpus.numbers()) {
      if (excluded[document] === 0 && (visible === undefined || visible[document] === 1)) found[document] = 1
    }
    return found
  }
}

/** The terms at the positions of a text; one that no tool has stands as -1 and matches nothing. */
function termsOf(text: string, corpus: Corpus): number[] {
  const terms: number[] = []
  tokenise(text, (token, advances) => {
    if (advances) terms.push(corpus.vocabulary.findStemOf(token))
  })
  return terms
}

function bitsOf(field: SearchField | undefined): number {
  return field === undefined ? ALL_FIELDS : bitOf(field)
}

function intersect(into: Uint8Array, other: Uint8Array): Uint8Array {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) & (other[i] as number)
  return into
}

function unite(into: Uint8Array, other: Uint8Array): Uint8Array {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as number) | (other[i] as number)
  return into
}
