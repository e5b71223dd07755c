import type { ToolChange } from '../../search-provider.ts'
import { invalidSaved, type SavedReader, type SavedWriter } from '../../../saved/saved-parts.ts'
import type { SavedTools } from '../../../saved/saved-tools.ts'
import type { IndexedTool } from '../../../tool/tool.ts'
import { DocumentReader, WHOLE_FLAG } from './document-reader.ts'
import { GrowableInts } from './growable-ints.ts'
import { IntSlices } from './int-slices.ts'
import { UntokenizedNames } from './untokenized-names.ts'
import type { UnpackedDocument } from './packed-document.ts'
import { PostingLists } from './posting-lists.ts'
import { NO_SERVER, ServerTable } from './server-table.ts'
import { Vocabulary } from './vocabulary.ts'

/** The place of a document that is gone, and of a tool that is not there. */
const NO_PLACE = -1
const UNKNOWN = -2

/** The inverted index: documents by number, postings by term, servers, and the sums that statistics are made of. */
export class Corpus {
  readonly vocabulary: Vocabulary
  readonly postings = new PostingLists()
  readonly servers: ServerTable
  /** The words of each document in reading order, as the reader gives them. */
  readonly surfaces = new IntSlices()
  readonly untokenizedNames = new UntokenizedNames()
  /** By document: weighted length in quarters, words of the name, server. */
  readonly lengths = new GrowableInts()
  readonly nameLengths = new GrowableInts()
  readonly serverOf = new GrowableInts()
  readonly #reader: DocumentReader
  /** By document; the place of one of a saved index until it is first needed. */
  readonly #tools: (IndexedTool | number | undefined)[] = []
  #saved: SavedTools | undefined
  readonly #numberOf = new Map<string, number>()
  readonly #free: number[] = []
  #totalLength = 0
  #revision = 0

  /** @param vocabulary one that others have filled saves numbering its words again */
  constructor(vocabulary = new Vocabulary()) {
    this.vocabulary = vocabulary
    this.servers = new ServerTable(vocabulary)
    this.#reader = new DocumentReader(vocabulary)
  }

  /** Changes whenever the tools do; what is derived from the corpus is kept by it. */
  get revision(): number {
    return this.#revision
  }

  /** One past the highest document number. */
  get size(): number {
    return this.#tools.length
  }

  /** Documents in the index. */
  get count(): number {
    return this.#numberOf.size
  }

  get totalLength(): number {
    return this.#totalLength
  }

  /** The tool of a document whose number a posting or `numberOf` gave. */
  tool(document: number): IndexedTool {
    const tool = this.#tools[document]
    if (tool === undefined) throw new RangeError(`no document ${document}`)
    if (typeof tool !== 'number') return tool
    const read = (this.#saved as SavedTools).at(tool)
    this.#tools[document] = read
    return read
  }

  /** The number of a tool's document; absent where the index does not have it. */
  numberOf(id: string): number | undefined {
    return this.#numberOf.get(id)
  }

  /** The numbers of all documents. */
  numbers(): Iterable<number> {
    return this.#numberOf.values()
  }

  apply(change: ToolChange): void {
    for (const tool of change.removed) this.#remove(tool.id)
    for (const tool of change.changed) this.#put(tool)
    for (const tool of change.added) this.#put(tool)
    this.#revision++
  }

  /** Writes everything that was derived from the tools as parts of a saved index. */
  save(to: SavedWriter): void {
    const ids: (string | null)[] = Array.from({ length: this.size }, () => null)
    for (const [id, document] of this.#numberOf) ids[document] = id
    // The ids are there already where the tools are saved as well.
    const { places } = to
    if (places === undefined) to.json('corpus.ids', ids)
    else
      to.numbers(
        'corpus.places',
        Int32Array.from(ids, (id) => places.get(id ?? '') ?? NO_PLACE),
      )
    this.vocabulary.save(to)
    this.postings.save(to, 'corpus.postings', this.vocabulary.termCount)
    this.surfaces.save(to, 'corpus.surfaces', this.size)
    this.servers.save(to)
    this.untokenizedNames.save(to)
    for (const [name, ints] of this.#counters()) to.numbers(name, ints.items.slice(0, this.size))
  }

  /**
   * Takes over a saved corpus; this one must be empty.
   * @throws ToolSearchError INVALID_SAVED_INDEX if it was made of other tools
   */
  restore(from: SavedReader, tools: SavedTools): void {
    const places = placesIn(from, tools)
    this.#saved = tools
    for (let document = 0; document < places.length; document++) {
      const place = places[document] as number
      this.#tools.push(place === NO_PLACE ? undefined : place)
      if (place === NO_PLACE) this.#free.push(document)
      else this.#numberOf.set(tools.ids[place] as string, document)
    }
    this.vocabulary.restore(from)
    this.postings.restore(from, 'corpus.postings')
    this.surfaces.restore(from, 'corpus.surfaces')
    this.servers.restore(from)
    this.untokenizedNames.restore(from)
    for (const [name, ints] of this.#counters()) ints.restore(from.ints(name))
    for (const document of this.numbers()) this.#totalLength += this.lengths.get(document)
    this.#revision++
  }

  #counters(): readonly (readonly [name: string, ints: GrowableInts])[] {
    return [
      ['corpus.lengths', this.lengths],
      ['corpus.nameLengths', this.nameLengths],
      ['corpus.serverOf', this.serverOf],
    ]
  }

  /** Puts tools that were read before, in place of those with the same id. */
  putRead(tools: Iterable<readonly [tool: IndexedTool, read: UnpackedDocument]>): void {
    for (const [tool, read] of tools) {
      this.#remove(tool.id)
      this.#reader.replay(read)
      this.#add(tool, this.servers.addRead(read, this.#reader.nameLength))
    }
    this.#revision++
  }

  /** Takes tools out; ids that the corpus does not have are passed over. */
  remove(ids: Iterable<string>): void {
    for (const id of ids) this.#remove(id)
    this.#revision++
  }

  #put(tool: IndexedTool): void {
    this.#remove(tool.id)
    this.#reader.read(tool)
    this.#add(tool, this.servers.addTool(tool, this.#reader.nameLength))
  }

  #add(tool: IndexedTool, server: number): void {
    const reader = this.#reader
    const document = this.#free.pop() ?? this.#tools.length
    this.#tools[document] = tool
    this.#numberOf.set(tool.id, document)
    this.untokenizedNames.add(tool.name, document)
    this.#totalLength += reader.length
    this.lengths.set(document, reader.length)
    this.nameLengths.set(document, reader.nameLength)
    this.serverOf.set(document, server)
    this.surfaces.set(document, reader.surfaces.items, reader.count)
    for (let i = 0; i < reader.termCount; i++) {
      const term = reader.terms.get(i)
      this.postings.set(term, document, reader.postings.get(term))
    }
  }

  #remove(id: string): void {
    const document = this.#numberOf.get(id)
    if (document === undefined) return
    for (const surface of this.surfaces.get(document)) {
      if (surface >= 0) this.postings.delete(this.vocabulary.termOf(surface & ~WHOLE_FLAG), document)
    }
    this.surfaces.delete(document)
    this.untokenizedNames.delete(this.tool(document).name, document)
    this.servers.removeTool(this.serverOf.get(document), this.nameLengths.get(document))
    this.serverOf.set(document, NO_SERVER)
    this.#totalLength -= this.lengths.get(document)
    this.#numberOf.delete(id)
    this.#tools[document] = undefined
    this.#free.push(document)
  }
}

/**
 * By document: the place of its tool.
 * @throws ToolSearchError INVALID_SAVED_INDEX unless every tool has a document
 */
function placesIn(from: SavedReader, tools: SavedTools): Int32Array {
  const places = from.has('corpus.places')
    ? from.ints('corpus.places')
    : Int32Array.from(from.json('corpus.ids') as readonly (string | null)[], (id) =>
        id === null ? NO_PLACE : (tools.placeOf(id) ?? UNKNOWN),
      )
  const left = new Uint8Array(tools.ids.length).fill(1)
  for (const place of places) {
    if (place === NO_PLACE) continue
    if (left[place] !== 1) throw invalidSaved('it was made of other tools')
    left[place] = 0
  }
  if (left.includes(1)) throw invalidSaved('it was made of other tools')
  return places
}
