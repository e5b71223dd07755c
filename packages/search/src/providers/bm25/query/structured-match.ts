import type { QueryLeaf, QueryNode } from '../../../query/query.ts'
import type { SearchField } from '../../../tool/tool.ts'
import { normaliseText } from '../../../text/normalise.ts'
import { isStopWord } from '../../../text/stop-words.ts'
import { tokenise } from '../../../text/tokenise.ts'
import type { Corpus } from '../index/corpus.ts'
import { WHOLE_FLAG } from '../index/document-reader.ts'
import { bitOf, fieldBitsIn } from '../index/posting.ts'
import type { CorpusView } from '../index/corpus-view.ts'
import { prefixTerms } from './prefix-terms.ts'

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
export function matchStructured(root: QueryNode, corpus: Corpus, view: CorpusView): StructuredMatch {
  const matcher = new StructuredMatcher(corpus, view)
  const matching = matcher.match(root, false)
  return { matching, text: matcher.texts.join(' '), prefixes: [...matcher.prefixes] }
}

/** How many phrases and prefixes a query has. */
export function countPatterns(node: QueryNode): number {
  switch (node.kind) {
    case 'and':
    case 'or':
      return node.children.reduce((sum, child) => sum + countPatterns(child), 0)
    case 'not':
      return countPatterns(node.child)
    case 'words':
      return 0
    default:
      return 1
  }
}

/** The matches of a phrase or prefix; a query may have the same one many times. */
interface LeafMatch {
  readonly found: Uint8Array
  readonly prefix?: PrefixTerms
}

class StructuredMatcher {
  readonly texts: string[] = []
  readonly prefixes = new Set<PrefixTerms>()
  readonly #corpus: Corpus
  readonly #view: CorpusView
  readonly #known = new Map<string, LeafMatch>()

  constructor(corpus: Corpus, view: CorpusView) {
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
        if (!isExcluded) this.texts.push(node.text)
        return this.#words(node)
      case 'phrase':
        if (!isExcluded) this.texts.push(node.text)
        return this.#once(node).found.slice()
      case 'prefix': {
        const { found, prefix } = this.#once(node)
        if (!isExcluded && prefix !== undefined) this.prefixes.add(prefix)
        return found.slice()
      }
    }
  }

  #once(leaf: QueryLeaf): LeafMatch {
    const key = `${leaf.kind} ${leaf.field ?? ''} ${leaf.text}`
    const known = this.#known.get(key)
    if (known !== undefined) return known
    const match = leaf.kind === 'prefix' ? this.#prefix(leaf) : { found: this.#phrase(leaf) }
    this.#known.set(key, match)
    return match
  }

  /** Any of the words; an identifier among them counts when all its parts are there. */
  #words(leaf: QueryLeaf): Uint8Array {
    const words = leaf.text.split(/\s+/u).filter((word) => word !== '')
    const telling = words.filter((word) => !isStopWord(normaliseText(word)))
    const found = new Uint8Array(this.#corpus.size)
    for (const word of telling.length > 0 ? telling : words) {
      const terms = termsOf(word, this.#corpus)
      const [only] = terms
      if (terms.length > 1) unite(found, this.#all(terms, bitsOf(leaf.field)))
      else if (only !== undefined) this.#mark(found, only, bitsOf(leaf.field))
    }
    return found
  }

  #all(terms: readonly number[], fieldBits: number): Uint8Array {
    return terms.map((term) => this.#mark(new Uint8Array(this.#corpus.size), term, fieldBits)).reduce(intersect)
  }

  /** Adds the visible documents that have a term in one of the fields. */
  #mark(found: Uint8Array, term: number, fieldBits: number): Uint8Array {
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

  #phrase({ text, field }: QueryLeaf): Uint8Array {
    const terms = termsOf(text, this.#corpus)
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
    const { surfaces, vocabulary } = this.#corpus
    const { items } = surfaces
    const termsOfSurfaces = vocabulary.termsOfSurfaces
    const end = surfaces.start(document) + surfaces.length(document)
    let isInField = false
    for (let at = surfaces.start(document); at < end; at++) {
      const item = items[at] as number
      if (item < 0) isInField = isOneOf(item, fieldBits)
      else if (isInField && termsOfSurfaces[item] === terms[0] && this.#continues(at + 1, end, terms)) return true
    }
    return false
  }

  /** Whether the words from `at` on are those of a phrase after its first. */
  #continues(start: number, end: number, terms: readonly number[]): boolean {
    const { items } = this.#corpus.surfaces
    const termsOfSurfaces = this.#corpus.vocabulary.termsOfSurfaces
    let matched = 1
    for (let at = start; at < end && matched < terms.length; at++) {
      const item = items[at] as number
      if ((item & WHOLE_FLAG) !== 0 && item >= 0) continue
      if (item < 0 || termsOfSurfaces[item] !== terms[matched]) return false
      matched++
    }
    return matched === terms.length
  }

  #prefix(leaf: QueryLeaf): LeafMatch {
    const prefix = normaliseText(leaf.text).replace(/[^\p{L}\p{N}]/gu, '')
    const found = new Uint8Array(this.#corpus.size)
    if (prefix === '') return { found }
    const fieldBits = bitsOf(leaf.field)
    const { begins, always, sometimes } = prefixTerms(prefix, this.#corpus.vocabulary)
    for (const term of sometimes) this.#mark(found, term, fieldBits)
    for (let document = 0; document < found.length; document++) {
      if (found[document] === 1 && !this.#hasBeginning(document, begins, fieldBits)) found[document] = 0
    }
    for (const term of always) this.#mark(found, term, fieldBits)
    let count = 0
    for (let document = 0; document < found.length; document++) count += found[document] as number
    const terms = [...always, ...sometimes].filter((term) => this.#corpus.postings.length(term) > 0)
    return { found, prefix: { prefix, terms, count } }
  }

  #hasBeginning(document: number, begins: Uint8Array, fieldBits: number): boolean {
    let isInField = false
    for (const item of this.#corpus.surfaces.get(document)) {
      if (item < 0) isInField = isOneOf(item, fieldBits)
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

/** Whether the mark of a field in a document is that of one of the fields. */
function isOneOf(mark: number, fieldBits: number): boolean {
  return ((1 << (-1 - mark)) & fieldBits) !== 0
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
