/**
 * The words of a text as uncased BERT sees them: lower case without accents, every punctuation mark and every
 * ideograph a word of its own, control characters gone.
 */
export function splitWords(text: string): string[] {
  return PLAIN.test(text) ? plainWords(text.toLowerCase()) : (normalize(text).match(WORDS) ?? [])
}

/** Printable ASCII and its white space: most texts, and much faster without Unicode tables. */
const PLAIN = /^[\t\n\r -~]*$/

// ASCII symbols such as $ and + count as punctuation, too, although Unicode says otherwise.
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

function plainWords(text: string): string[] {
  const words: string[] = []
  let start = -1
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isLetterOrDigit(code)) {
      if (start < 0) start = at
      continue
    }
    if (start >= 0) words.push(text.slice(start, at))
    start = -1
    if (code > SPACE) words.push(text.charAt(at))
  }
  if (start >= 0) words.push(text.slice(start))
  return words
}

const SPACE = 0x20

function isLetterOrDigit(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x30 && code <= 0x39)
}
