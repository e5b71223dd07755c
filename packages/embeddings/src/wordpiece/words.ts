/** Receives a word: a range of a text, so that words which were seen before need not become strings again. */
export type WordSink = (source: string, start: number, end: number) => void

/**
 * The words of a text as uncased BERT sees them: lower case without accents, every punctuation mark and every
 * ideograph a word of its own, control characters gone.
 */
export function splitWords(text: string): string[] {
  const words: string[] = []
  forEachWord(text, (source, start, end) => words.push(source.slice(start, end)))
  return words
}

/** The same, one after the other. */
export function forEachWord(text: string, sink: WordSink): void {
  if (PLAIN.test(text)) return plainWords(text.toLowerCase(), sink)
  for (const word of normalize(text).match(WORDS) ?? []) sink(word, 0, word.length)
}

/** Printable ASCII and its white space: most texts, and much faster without Unicode tables. */
const PLAIN = /^[\t\n\r -~]*$/

// ASCII symbols such as $ and + count as punctuation, too, unlike in Unicode.
const WORDS = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu

const INVISIBLE = /(?![\t\n\r])[\p{C}\uFFFD]/gu

const IDEOGRAPHS =
  /[\u3400-\u4DBF\u4E00-\u9FFF\uF900-\uFAFF\u{20000}-\u{2A6DF}\u{2A700}-\u{2B81F}\u{2B920}-\u{2CEAF}\u{2F800}-\u{2FA1F}]/gu

function normalize(text: string): string {
  const spaced = text.replace(INVISIBLE, '').replace(IDEOGRAPHS, ' $& ')
  const bare = spaced.normalize('NFD').replace(/\p{Mn}/gu, '')
  // Letter by letter in the reference, which therefore knows no final sigma.
  return bare.replaceAll('Σ', 'σ').toLowerCase()
}

function plainWords(text: string, sink: WordSink): void {
  let start = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const isLetterOrDigit = code >= 0x61 ? code <= 0x7a : code >= 0x30 && code <= 0x39
    if (isLetterOrDigit) {
      if (start < 0) start = at
      continue
    }
    if (start >= 0) sink(text, start, at)
    start = -1
    if (code > SPACE) sink(text, at, at + 1)
  }
  if (start >= 0) sink(text, start, text.length)
}

const SPACE = 0x20
