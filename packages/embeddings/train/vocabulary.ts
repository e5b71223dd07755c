/** Pieces that English texts with names and figures need: no place holders, no letters that the teacher never learnt. */
export function usefulPieces(vocabulary: readonly string[]): readonly string[] {
  return vocabulary.filter((piece) => !PLACE_HOLDER.test(piece) && !FOREIGN_LETTER.test(piece))
}

const PLACE_HOLDER = /^\[[a-zA-Z0-9]+\]$/

const FOREIGN_LETTER = /(?=\p{L}|\p{N})[^\p{Script=Latin}\p{Script=Greek}\p{Script=Common}]/u

/** The text that stands for a piece alone: a piece that continues a word is shown without its mark. */
export function pieceText(piece: string): string {
  return piece.length > 2 && piece.startsWith('##') ? piece.slice(2) : piece
}
