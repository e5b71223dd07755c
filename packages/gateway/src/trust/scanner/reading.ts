import { hasHidden } from './hidden.ts'

/** A text as a model would understand it: lower case, hidden characters left out, look-alikes replaced, gaps closed. */
export interface Reading {
  readonly text: string
  /** The offset in the original of an offset in `text`. */
  originalOffset(offset: number): number
}

// oxlint-disable-next-line no-control-regex -- a test for ASCII
const ASCII = /^[\u0000-\u007f]*$/
const GAPS = /\s{2,}|[\t\n\r]/

/** Cyrillic, Greek and other letters that look like Latin ones. */
const LOOK_ALIKES = new Map(
  [
    ['аɑα', 'a'],
    ['ЬƄь', 'b'],
    ['сϲᴄ', 'c'],
    ['ԁɗ', 'd'],
    ['еёєҽ', 'e'],
    ['ɡց', 'g'],
    ['һհ', 'h'],
    ['іıɩї', 'i'],
    ['јϳ', 'j'],
    ['кκ', 'k'],
    ['ӏⅼ', 'l'],
    ['ո', 'n'],
    ['оοσօ', 'o'],
    ['рρ', 'p'],
    ['ԛ', 'q'],
    ['гᴦ', 'r'],
    ['ѕꜱ', 's'],
    ['тτ', 't'],
    ['υսц', 'u'],
    ['νѵ', 'v'],
    ['ԝѡ', 'w'],
    ['хχ', 'x'],
    ['уγү', 'y'],
    ['ᴢ', 'z'],
  ].flatMap(([from = '', to = '']) => Array.from(from, (letter) => [letter, to] as const)),
)

/** Reads a text. Takes time in proportion to its length. */
export function readText(original: string): Reading {
  if (ASCII.test(original) && !GAPS.test(original) && !hasHidden(original)) {
    return { text: original.toLowerCase(), originalOffset: (offset) => offset }
  }
  let text = ''
  const offsets: number[] = []
  let offset = 0
  let gapStart = -1
  let lineBreaks = 0
  const push = (piece: string, at: number): void => {
    for (let unit = 0; unit < piece.length; unit++) offsets.push(at)
    text += piece
  }
  for (const character of original) {
    const at = offset
    offset += character.length
    if (isSpace(character)) {
      if (gapStart < 0) gapStart = at
      if (character === '\n' || character === '\u2029') lineBreaks++
      continue
    }
    if (character > '\u007e' || character < ' ') {
      if (hasHidden(character)) continue
    }
    if (gapStart >= 0) {
      // A single line break is where a line was wrapped; an empty line ends a sentence.
      push(lineBreaks > 1 ? '\n' : ' ', gapStart)
      gapStart = -1
      lineBreaks = 0
    }
    push(character < '\u007f' ? character.toLowerCase() : folded(character), at)
  }
  offsets.push(original.length)
  return { text, originalOffset: (place) => offsets[Math.min(place, offsets.length - 1)] ?? 0 }
}

function isSpace(character: string): boolean {
  return character === ' ' || character === '\n' || (character.length === 1 && /\s/u.test(character))
}

function folded(character: string): string {
  const plain = character.normalize('NFKC').toLowerCase()
  if (plain === '’' || plain === '‘' || plain === 'ʼ') return "'"
  if (plain === '“' || plain === '”') return '"'
  if (plain === '–' || plain === '—' || plain === '‑' || plain === '‐') return '-'
  return LOOK_ALIKES.get(plain) ?? plain
}
