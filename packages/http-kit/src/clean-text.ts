/** Control characters, direction marks, tags, unpaired surrogates and other invisible characters, except line breaks and tabs. */
const INVISIBLE = /(?![\n\t])[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]/gu

const [BELL, ESC, CSI, ST, OSC] = [0x07, 0x1b, 0x9b, 0x9c, 0x9d].map((code) => String.fromCharCode(code))

/** Sequences that a terminal obeys: titles and links, cursor movements and colours, device strings, single escapes. */
const SEQUENCES = new RegExp(
  [
    `(?:${ESC}\\]|${OSC})[^${BELL}${ESC}${ST}\\n]*(?:${BELL}|${ESC}\\\\|${ST})?`,
    `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]?`,
    `${ESC}[PX^_][^${ESC}\\n]*(?:${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]?`,
  ].join('|'),
  'g',
)

/** Whether a text has characters that a reader cannot see, line breaks included. */
export const hasInvisible = (text: string): boolean => /[\n\t]/.test(text) || text.search(INVISIBLE) >= 0

/** Untrusted text without terminal sequences and invisible characters. Line breaks and tabs stay. The text is still untrusted. */
export function cleanLines(text: string): string {
  return text.replaceAll('\r\n', '\n').replaceAll(SEQUENCES, '').replaceAll(INVISIBLE, '')
}

/** Untrusted text as one line of visible characters, at most `maxLength` long. The text is still untrusted. */
export function cleanText(text: string, maxLength = Number.POSITIVE_INFINITY): string {
  // Cut first, so that a huge text costs nothing; the factor leaves room for the characters that are removed.
  const line = cleanLines(text.slice(0, maxLength * 4).replaceAll(/[\s\u2028\u2029]+/gu, ' '))
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  if (line.length <= maxLength) return line
  return `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/u, '')}…`
}

/** Text with its invisible characters written as in JSON, `\u202e`, so that a terminal shows them and obeys none. JSON keeps its meaning. */
export function escapeInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, (character) =>
    Array.from({ length: character.length }, (_, at) => escaped(character.charCodeAt(at))).join(''),
  )
}

const escaped = (unit: number): string => `\\u${unit.toString(16).padStart(4, '0')}`
