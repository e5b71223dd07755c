import { DocumentReader } from '../providers/bm25/index/document-reader.ts'
import { type UnpackedDocument, unpackDocument } from '../providers/bm25/index/packed-document.ts'
import { frequencyIn } from '../providers/bm25/index/posting.ts'
import { foldName } from '../providers/bm25/index/untokenized-names.ts'
import { Vocabulary } from '../providers/bm25/index/vocabulary.ts'
import { ONE } from '../providers/bm25/parameters.ts'
import type { AnalysedTool } from './catalog-engine.ts'

/** The words are let go at this number, so that a reader of millions of tools stays small. */
const MOST_WORDS = 100_000

/** What an engine with an index of its own puts into it. */
export interface ToolText {
  /** As `Wanted.names` are folded. */
  readonly name: string
  /** The stems of a tool, each as often as its fields weigh, and those of its server once. */
  readonly stems: ReadonlyMap<string, number>
}

/** Reads analysed tools again. */
export class ToolReader {
  #vocabulary = new Vocabulary()
  #reader = new DocumentReader(this.#vocabulary)

  /** What its numbers of terms are of: another object once the words were let go. */
  get words(): object {
    return this.#vocabulary
  }

  /**
   * What an engine finds a tool by.
   * @throws ToolSearchError INVALID_SAVED_INDEX for terms that were cut or altered
   */
  read(tool: AnalysedTool): ToolText {
    const document = unpackDocument(tool.terms)
    this.replayed(document)
    return this.textOf(document)
  }

  /** The same for the document that was replayed last. */
  textOf({ name, serverStems }: UnpackedDocument): ToolText {
    const reader = this.#reader
    const stems = new Map(serverStems.map(([stem]) => [stem, 1]))
    for (let i = 0; i < reader.termCount; i++) {
      const term = reader.terms.get(i)
      const times = Math.max(1, Math.round(frequencyIn(reader.postings.get(term)) / ONE))
      stems.set(this.termText(term), times)
    }
    return { name: foldName(name), stems }
  }

  /** The document as a reader leaves it behind. Valid until the next one. */
  replayed(document: UnpackedDocument): DocumentReader {
    if (this.#vocabulary.surfaceCount > MOST_WORDS) {
      this.#vocabulary = new Vocabulary()
      this.#reader = new DocumentReader(this.#vocabulary)
    }
    this.#reader.replay(document)
    return this.#reader
  }

  termText(term: number): string {
    return this.#vocabulary.termText(term)
  }
}
