/** A piece of visible text, or the code points of invisible characters. */
export interface TextPiece {
  readonly text: string
  readonly isInvisible: boolean
}

/**
 * Invisible characters that a model can read: controls (except line breaks and tabs), and characters that change the
 * direction, join, hide, tag or select variants.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class -- these are what it looks for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]+/gu

/** Joiners and variation selectors are part of emoji and stay. */
// oxlint-disable-next-line no-misleading-character-class -- either of them alone
const EMOJI_GLUE = /^[\u200d\ufe0f]+$/u
const PICTOGRAPH = /\p{Extended_Pictographic}$/u

/** Splits a text at invisible characters. The visible pieces joined are the text without them. */
export function splitInvisible(text: string): TextPiece[] {
  const pieces: TextPiece[] = []
  let seen = ''
  let from = 0
  const push = (): void => {
    if (seen !== '') pieces.push({ text: seen, isInvisible: false })
    seen = ''
  }
  for (const match of text.matchAll(INVISIBLE)) {
    seen += text.slice(from, match.index)
    from = match.index + match[0].length
    if (EMOJI_GLUE.test(match[0]) && PICTOGRAPH.test(seen)) {
      seen += match[0]
      continue
    }
    push()
    pieces.push({ text: numbersOf(match[0]), isInvisible: true })
  }
  seen += text.slice(from)
  push()
  return pieces
}

/** The same as one string, for titles, labels and options. */
export function plainText(text: string): string {
  return splitInvisible(text)
    .map((piece) => (piece.isInvisible ? `[${piece.text}]` : piece.text))
    .join('')
}

/** Lists at most three code points and counts the others. */
function numbersOf(characters: string): string {
  const numbers = Array.from(
    characters,
    (character) => `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`,
  )
  return numbers.length <= 3 ? numbers.join(' ') : `${numbers.slice(0, 2).join(' ')} … ×${numbers.length}`
}
