/** Control characters, direction marks, tags, halves of characters and what else is not seen. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** What a stranger wrote, as one line of seen characters, at most so many long. It stays a stranger's words. */
export function cleanText(text: string, most: number): string {
  // Cut first: a huge text should cost nothing.
  const seen = text
    .slice(0, most * 4)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNSEEN, '')
  const line = seen.replaceAll(/ {2,}/g, ' ').trim()
  return line.length <= most
    ? line
    : `${line
        .slice(0, most - 1)
        .toWellFormed()
        .replace(/\ufffd$/, '')}…`
}
