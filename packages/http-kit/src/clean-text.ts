/** Control characters, direction marks, tags, unpaired surrogates and other invisible characters. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** Whether a text has characters that a reader cannot see, line breaks included. */
export const hasInvisible = (text: string): boolean => text.search(INVISIBLE) >= 0

/** Untrusted text as one line of visible characters, at most `maxLength` long. The text is still untrusted. */
export function cleanText(text: string, maxLength: number): string {
  // Cut first, so that a huge text costs nothing; the factor leaves room for the characters that are removed.
  const line = text
    .slice(0, maxLength * 4)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(INVISIBLE, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  if (line.length <= maxLength) return line
  return `${line.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/u, '')}…`
}
