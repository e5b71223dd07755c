import { splitIdentifiers } from '../../src/static/text-pieces.ts'
import { UNKNOWN_PIECE, type WordPiece } from '../../src/wordpiece/word-piece.ts'
import { addScaled, type Matrix, rowOf, zeros } from './matrix.ts'

/** Texts as bags of word pieces: for each text its pieces and how much each counts, one text after the other. */
export interface Bags {
  readonly texts: number
  /** Where each text begins; one more than there are texts. */
  readonly starts: Int32Array
  readonly pieces: Int32Array
  readonly weights: Float32Array
}

/** The bags that the embedder would see, `(1 + ln n) / √different`, so that long texts do not outweigh short ones. */
export function bagsOf(texts: readonly string[], pieces: WordPiece): Bags {
  const starts = new Int32Array(texts.length + 1)
  const allPieces: number[] = []
  const weights: number[] = []
  for (const [nth, text] of texts.entries()) {
    const counts = new Map<number, number>()
    for (const piece of pieces.encode(splitIdentifiers(text))) {
      if (piece !== UNKNOWN_PIECE) counts.set(piece, (counts.get(piece) ?? 0) + 1)
    }
    for (const [piece, times] of counts) {
      allPieces.push(piece)
      weights.push((1 + Math.log(times)) / Math.sqrt(counts.size))
    }
    starts[nth + 1] = allPieces.length
  }
  return { texts: texts.length, starts, pieces: Int32Array.from(allPieces), weights: Float32Array.from(weights) }
}

/** The sum of each text's rows of the table. */
export function sumsOf(bags: Bags, table: Matrix): Matrix {
  const sums = zeros(bags.texts, table.columns)
  for (let text = 0; text < bags.texts; text++) addRows(bags, text, table, rowOf(sums, text))
  return sums
}

/** The sum of the rows of one text, added to `sum`. */
export function addRows(bags: Bags, text: number, table: Matrix, sum: Float32Array): void {
  for (let at = bags.starts[text] ?? 0; at < (bags.starts[text + 1] ?? 0); at++) {
    addScaled(sum, rowOf(table, bags.pieces[at] ?? 0), bags.weights[at] ?? 0)
  }
}

/** Gives every piece of a text its share of the text's vector, added to `table`. */
export function spread(bags: Bags, text: number, vector: Float32Array, table: Matrix): void {
  for (let at = bags.starts[text] ?? 0; at < (bags.starts[text + 1] ?? 0); at++) {
    addScaled(rowOf(table, bags.pieces[at] ?? 0), vector, bags.weights[at] ?? 0)
  }
}
