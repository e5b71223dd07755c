import type { Embedder, EmbedOptions } from '@tooldex/search'
import { ToolSearchError } from '@tooldex/search'
import { LONGEST_TEXT, UNKNOWN_PIECE, WordPiece } from '../wordpiece/word-piece.ts'
import { splitIdentifiers } from './identifiers.ts'
import { brokenTable, type Checksum, readTable, type Table } from './table.ts'

/** How many texts are embedded before others get a turn; a few milliseconds of work. */
const TEXTS_PER_TURN = 128

/**
 * Embeds without a model: the vector of a text is the sum of the vectors of its word pieces, which a table has. It
 * needs no network, no waiting and some 10 µs for a query. Texts are read up to 20,000 characters.
 */
export class StaticEmbedder implements Embedder {
  readonly id: string
  readonly dimensions: number
  readonly #table: Table
  readonly #pieces: WordPiece

  /**
   * Takes the bytes of a table file and, where the platform has one, its CRC-32.
   * @throws ToolSearchError EMBEDDER_FAILED when they are not a whole table of a version that this code knows.
   */
  constructor(bytes: Uint8Array, checksumOf?: Checksum) {
    this.#table = readTable(bytes, checksumOf)
    this.#pieces = new WordPiece(this.#table.vocabulary)
    if (this.#pieces.size !== this.#table.scales.length) throw brokenTable('it has not as many word pieces as rows')
    this.id = this.#table.id
    this.dimensions = this.#table.dimensions
  }

  async embed(texts: readonly string[], options: EmbedOptions = {}): Promise<readonly Float32Array[]> {
    const vectors: Float32Array[] = []
    for (const text of texts) {
      options.signal?.throwIfAborted()
      if (vectors.length > 0 && vectors.length % TEXTS_PER_TURN === 0) await turnOfOthers()
      vectors.push(this.embedNow(text))
    }
    options.signal?.throwIfAborted()
    return vectors
  }

  embedNow(text: string): Float32Array {
    if (typeof text !== 'string') {
      throw new ToolSearchError('INVALID_ARGUMENTS', { reason: `only a string can be embedded, not ${typeof text}` })
    }
    const vector = new Float32Array(this.dimensions)
    const words = splitIdentifiers(text.slice(0, LONGEST_TEXT))
    for (const [piece, times] of countsOf(this.#pieces.encode(words))) this.#add(vector, piece, times)
    return unit(vector)
  }

  #add(vector: Float32Array, piece: number, times: number): void {
    const { scales, rows } = this.#table
    // What is said three times does not mean three times as much.
    const weight = (scales[piece] ?? 0) * (1 + Math.log(times))
    const start = piece * this.dimensions
    for (let nth = 0; nth < vector.length; nth++) {
      vector[nth] = (vector[nth] ?? 0) + weight * (rows[start + nth] ?? 0)
    }
  }
}

function countsOf(pieces: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const piece of pieces) if (piece !== UNKNOWN_PIECE) counts.set(piece, (counts.get(piece) ?? 0) + 1)
  return counts
}

/** Of length 1; the zero vector stays what it is. */
function unit(vector: Float32Array): Float32Array {
  let square = 0
  for (const value of vector) square += value * value
  if (square === 0) return vector
  const factor = 1 / Math.sqrt(square)
  for (let nth = 0; nth < vector.length; nth++) vector[nth] = (vector[nth] ?? 0) * factor
  return vector
}

function turnOfOthers(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
