import type { RangeSink } from './tokenise.ts'

// Classes of ASCII characters.
const OTHER = 0
const LOWER = 1
const UPPER = 2
const DIGIT = 3
const CONNECTOR = 4
const APOSTROPHE = 5

const CLASS = new Uint8Array(128)
for (let code = 97; code <= 122; code++) CLASS[code] = LOWER
for (let code = 65; code <= 90; code++) CLASS[code] = UPPER
for (let code = 48; code <= 57; code++) CLASS[code] = DIGIT
for (const sign of '_.-') CLASS[sign.charCodeAt(0)] = CONNECTOR
CLASS["'".charCodeAt(0)] = APOSTROPHE

const isAlphanumeric = (kind: number): boolean => kind >= LOWER && kind <= DIGIT

/**
 * `tokenise` for text of ASCII alone, which is nearly all text: a scan of characters instead of Unicode expressions. What is
 * not a plain word goes to `identifier`, so that the rules for identifiers stand in one place.
 */
export function tokeniseAscii(
  text: string,
  sink: RangeSink,
  identifier: (chunk: string, sink: RangeSink) => void,
): void {
  const end = text.length
  let at = 0
  while (at < end) {
    if (!isAlphanumeric(classAt(text, at))) {
      at++
      continue
    }
    const start = at
    const first = classAt(text, at++)
    let isPlain = first !== DIGIT
    let capitals = first === UPPER ? 1 : 0
    for (let kind = classAt(text, at); isAlphanumeric(kind); kind = classAt(text, ++at)) {
      if (kind === DIGIT) isPlain = false
      else if (kind === UPPER) capitals++
    }
    if (joinsNext(text, at)) {
      at = endOfChunk(text, at)
      isPlain = false
    }
    const isOneWord = capitals === 0 || (capitals === 1 && first === UPPER) || capitals === at - start
    if (isPlain && isOneWord) sink(text, start, at, true)
    else identifier(text.slice(start, at), sink)
  }
}

function classAt(text: string, at: number): number {
  return at < text.length ? (CLASS[text.charCodeAt(at)] as number) : OTHER
}

/** Whether a sign at `at` ties what is before it to what comes after. */
function joinsNext(text: string, at: number): boolean {
  return classAt(text, at) >= CONNECTOR && isAlphanumeric(classAt(text, at + 1))
}

function endOfChunk(text: string, at: number): number {
  let end = at
  while (joinsNext(text, end)) {
    end++
    while (isAlphanumeric(classAt(text, end))) end++
  }
  return end
}
