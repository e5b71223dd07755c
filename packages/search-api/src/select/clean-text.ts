/** Control characters, direction overrides, tags and what is not seen: none of it helps anybody to understand a tool. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]+/gu

/** One line without unseen characters, at most so many characters long. */
export function cleanText(text: string, most: number): string {
  // Cut first, so that a huge text costs nothing, and leave room for what is removed.
  const line = text
    .slice(0, most * 4)
    .replaceAll(/\s+/gu, ' ')
    .replaceAll(UNSEEN, '')
    .replaceAll(/ {2,}/g, ' ')
    .trim()
  if (line.length <= most) return line
  return `${line.slice(0, most - 1).replace(/[\ud800-\udbff]$/u, '')}…`
}
