/** Splits a command line as a shell would split it, without running anything: quotes and backslashes only. */
export function splitCommand(line: string): string[] {
  const words: string[] = []
  let word = ''
  // An empty word in quotes counts.
  let isWord = false
  let quote = ''
  for (let at = 0; at < line.length; at++) {
    const letter = line[at] as string
    if (quote !== '') {
      if (letter === quote) quote = ''
      else if (letter === '\\' && quote === '"' && /["\\]/.test(line[at + 1] ?? '')) word += line[++at] ?? ''
      else word += letter
    } else if (/\s/.test(letter)) {
      if (isWord) words.push(word)
      word = ''
      isWord = false
    } else {
      isWord = true
      if (letter === '"' || letter === "'") quote = letter
      else if (letter === '\\' && at + 1 < line.length) word += line[++at] ?? ''
      else word += letter
    }
  }
  return isWord ? [...words, word] : words
}

/** The command line that splits into these words. */
export function joinCommand(words: readonly string[]): string {
  return words.map(quoted).join(' ')
}

function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A shorter line for lists: long paths keep only their end. */
export function shortLine(line: string): string {
  return line.replace(/\S{30,}/g, (word) => {
    const parts = word.split('/')
    return parts[0] === '' && parts.length > 3 ? `…/${parts.slice(-2).join('/')}` : word
  })
}
