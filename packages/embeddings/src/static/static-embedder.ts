import { type Embedder, type EmbedOptions, ToolSearchError } from '@tooldex/search'
import { LONGEST_TEXT, WordPiece } from '../wordpiece/word-piece.ts'
import { RowSum } from './row-sum.ts'
import { brokenTable, type Checksum, readTable } from './table.ts'
import { TextPieces } from './text-pieces.ts'

/** Texts that are embedded before the event loop continues; a few milliseconds of work. */
const TEXTS_PER_TURN = 128

/**
 * Embeds without a model: the vector of a text is the sum of the vectors of its word pieces, from a table. It
 * needs no network and some 10 µs for a query. Texts are read up to 20,000 characters.
 */
export class StaticEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly language = 'en'
  readonly #pieces: TextPieces
  readonly #rows: RowSum
  /** A search asks for the vector of its query twice: to rank, and to find like queries. */
  #last: { readonly text: string; readonly vector: Float32Array } | undefined

  /**
   * Takes the bytes of a table file and, if the platform has one, its CRC-32.
   * @throws ToolSearchError EMBEDDER_FAILED when they are not a whole table of a version that this code knows.
   */
  constructor(bytes: Uint8Array, checksumOf?: Checksum) {
    const table = readTable(bytes, checksumOf)
    const pieces = new WordPiece(table.vocabulary)
    if (pieces.size !== table.scales.length) throw brokenTable('it has not as many word pieces as rows')
    this.#pieces = new TextPieces(pieces)
    this.#rows = new RowSum(table)
    this.id = table.id
    this.dimensions = table.dimensions
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      options.signal?.throwIfAborted()
      if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await nextTurn()
      vectors.push(this.embedNow(text))
    }
    options.signal?.throwIfAborted()
    return vectors
  }

  embedNow(text: string): Float32Array {
    if (typeof text !== 'string') {
      throw new ToolSearchError('INVALID_ARGUMENTS', { reason: `only a string can be embedded, not ${typeof text}` })
    }
    const read = text.slice(0, LONGEST_TEXT)
    if (this.#last?.text !== read) this.#last = { text: read, vector: this.#rows.of(this.#pieces.of(read)) }
    // Callers may change what they get.
    return this.#last.vector.slice()
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
