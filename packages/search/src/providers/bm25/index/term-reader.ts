import { tokenise } from '../../../text/tokenise.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { DocumentReader } from './document-reader.ts'
import { MOST_FIELD_CHARACTERS, SERVER_NAME_COUNT } from '../parameters.ts'
import { frequencyIn, nameCountIn } from './posting.ts'
import { Vocabulary } from './vocabulary.ts'

/** The words of a tool that a store keeps to find it. */
export interface ToolTerms {
  readonly terms: readonly ToolTerm[]
  /** Weighted number of words. */
  readonly length: number
  /** Number of words of the name. */
  readonly nameLength: number
}

/** A stem in a tool. */
export interface ToolTerm {
  readonly stem: string
  /** Weighted by field. */
  readonly frequency: number
  /** How often the name has it. */
  readonly nameCount: number
}

/** The words of a server's own text that a store keeps. */
export interface ServerTerms {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** The vocabulary is let go at this size, so that a reader of millions of tools stays small. */
const MOST_WORDS = 100_000

/** Reads tools into the terms that `Bm25Provider` ranks by, for stores that keep postings of their own. */
export class TermReader {
  #vocabulary = new Vocabulary()
  #reader = new DocumentReader(this.#vocabulary)

  read(tool: IndexedTool): ToolTerms {
    this.#forgetTooMuch()
    const reader = this.#reader
    reader.read(tool)
    const terms = Array.from({ length: reader.termCount }, (_, i) => {
      const term = reader.terms.get(i)
      const posting = reader.postings.get(term)
      return {
        stem: this.#vocabulary.termText(term),
        frequency: frequencyIn(posting),
        nameCount: nameCountIn(posting),
      }
    })
    return { terms, length: reader.length, nameLength: reader.nameLength }
  }

  /** The terms of the name and the description of a tool's server. */
  readServer({ namespace = '', namespaceDescription = '' }: IndexedTool): ServerTerms {
    this.#forgetTooMuch()
    const counts = new Map<string, number>()
    let length = 0
    const read = (text: string, times: number): void =>
      tokenise(text, (token) => {
        const stem = this.#vocabulary.termText(this.#vocabulary.termOf(this.#vocabulary.intern(token)))
        counts.set(stem, (counts.get(stem) ?? 0) + times)
        length += times
      })
    read(namespace, SERVER_NAME_COUNT)
    read(namespaceDescription.slice(0, MOST_FIELD_CHARACTERS), 1)
    return { counts, length }
  }

  #forgetTooMuch(): void {
    if (this.#vocabulary.surfaceCount <= MOST_WORDS) return
    this.#vocabulary = new Vocabulary()
    this.#reader = new DocumentReader(this.#vocabulary)
  }
}
