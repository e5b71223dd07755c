import type { ToolChange } from '../../search-provider.ts'
import type { IndexedTool } from '../../tool.ts'
import { type Document, DocumentReader } from './document.ts'
import { GrowableInts } from './growable-ints.ts'
import { PostingLists } from './posting-lists.ts'
import { ServerTable } from './server-table.ts'
import { Vocabulary } from './vocabulary.ts'

/** The inverted index: documents by number, postings by term, servers, and the sums that statistics are made of. */
export class Corpus {
  readonly vocabulary = new Vocabulary()
  readonly postings = new PostingLists()
  readonly servers = new ServerTable(this.vocabulary)
  /** Weighted length of each document, in quarters; its server. */
  readonly lengths = new GrowableInts()
  readonly serverOf = new GrowableInts()
  readonly #reader = new DocumentReader(this.vocabulary)
  readonly #documents: (Document | undefined)[] = []
  readonly #numberOf = new Map<string, number>()
  readonly #free: number[] = []
  #totalLength = 0
  #revision = 0

  /** Changes whenever the tools do; what is derived from the corpus is kept by it. */
  get revision(): number {
    return this.#revision
  }

  /** One past the highest document number. */
  get size(): number {
    return this.#documents.length
  }

  /** Documents in the index. */
  get count(): number {
    return this.#numberOf.size
  }

  get totalLength(): number {
    return this.#totalLength
  }

  /** The document with a number that a posting or the id table gave. */
  document(number: number): Document {
    const document = this.#documents[number]
    if (document === undefined) throw new RangeError(`no document ${number}`)
    return document
  }

  /** The number of a tool's document; absent where the index does not have it. */
  numberOf(id: string): number | undefined {
    return this.#numberOf.get(id)
  }

  /** All document numbers with their tools. */
  *entries(): IterableIterator<readonly [number, IndexedTool]> {
    for (const number of this.#numberOf.values()) yield [number, this.document(number).tool]
  }

  apply(change: ToolChange): void {
    for (const tool of change.removed) this.#remove(tool.id)
    for (const tool of change.changed) this.#replace(tool)
    for (const tool of change.added) this.#replace(tool)
    this.#revision++
  }

  #replace(tool: IndexedTool): void {
    this.#remove(tool.id)
    const document = this.#reader.read(tool)
    const number = this.#free.pop() ?? this.#documents.length
    this.#documents[number] = document
    this.#numberOf.set(tool.id, number)
    this.#totalLength += document.length
    this.lengths.set(number, document.length)
    this.serverOf.set(number, this.servers.addTool(tool, document.nameLength))
    const { terms, postings } = document
    for (let i = 0; i < terms.length; i++) this.postings.set(terms[i] as number, number, postings[i] as number)
  }

  #remove(id: string): void {
    const number = this.#numberOf.get(id)
    if (number === undefined) return
    const document = this.document(number)
    for (const term of document.terms) this.postings.delete(term, number)
    this.servers.removeTool(this.serverOf.get(number), document.nameLength)
    this.#totalLength -= document.length
    this.#numberOf.delete(id)
    this.#documents[number] = undefined
    this.#free.push(number)
  }
}
