const MAX_LENGTH = 160

/** How far we look for the end of the first sentence; long enough for white space between 160 characters. */
const WINDOW = 1_000

/** Words whose full stop does not end a sentence. */
const ABBREVIATIONS: ReadonlySet<string> = new Set(
  'e.g i.e eg ie cf vs viz approx ca no nr fig eq sec ch vol pp dr mr mrs ms prof st jr sr al incl excl min max resp'.split(
    ' ',
  ),
)

/** Words whose full stop ends a sentence only where a capital follows. */
const OFTEN_FINAL: ReadonlySet<string> = new Set('etc inc ltd co corp a.m p.m u.s u.k'.split(' '))

/**
 * The first sentence of a description on one line, at most 160 characters, cut at a word with `…` where it is longer.
 * A blank line ends a sentence, too. `undefined` where there is nothing to show.
 */
export function shortDescription(description: string | undefined): string | undefined {
  const start = description?.search(/\S/u) ?? -1
  if (description === undefined || start < 0) return undefined
  const window = description.slice(start, start + WINDOW)
  const paragraph = window.split(/\n[^\S\n]*\n/u, 1)[0] as string
  return shorten(firstSentence(paragraph.replace(/\s+/gu, ' ').trim()))
}

function firstSentence(text: string): string {
  // A CJK stop ends at once; a Latin one only before a space or the end, so that "v1.2" and "file.txt" stay whole.
  for (const match of text.matchAll(/[。！？｡]+[」』）”’]*|[.!?]+["'”’)\]]*(?= |$)/gu)) {
    const end = match.index + match[0].length
    if (!match[0].startsWith('.') || endsSentence(text, match.index, end)) return text.slice(0, end)
  }
  return text
}

function endsSentence(text: string, stop: number, end: number): boolean {
  const word = text
    .slice(text.lastIndexOf(' ', stop - 1) + 1, stop)
    .replace(/^[("'“‘[]+/u, '')
    .toLowerCase()
  if (ABBREVIATIONS.has(word)) return false
  return !OFTEN_FINAL.has(word) || /^\s*(?:\p{Lu}|$)/u.test(text.slice(end, end + 3))
}

function shorten(sentence: string): string {
  if (sentence.length <= MAX_LENGTH) return sentence
  const room = sentence.slice(0, MAX_LENGTH - 1)
  const space = room.lastIndexOf(' ')
  // Text without spaces (CJK, one long word) is cut anywhere, but not inside a surrogate pair.
  const cut = space > MAX_LENGTH / 2 ? room.slice(0, space) : room.replace(/[\uD800-\uDBFF]$/u, '')
  return `${cut.replace(/[\s,;:]+$/u, '')}…`
}
