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

/** Identifiers longer than this are hashes or data, not names: their whole is not kept. */
export const LONGEST_WHOLE = 64
/** `s3`, `k8s`, `mp3`, `2fa`: codes that are words; splitting them leaves only noise. */
export const LONGEST_CODE = 4

const isAlphanumeric = (kind: number): boolean => kind >= LOWER && kind <= DIGIT

/**
 * `tokenise` for text of ASCII alone, which is nearly all text: the same rules as a scan of characters, several times
 * as fast as expressions over Unicode. Chunks with an apostrophe are rare and go to `contraction`.
 */
export function tokeniseAscii(
  text: string,
  sink: RangeSink,
  contraction: (chunk: string, sink: RangeSink) => void,
): void {
  const end = text.length
  let at = 0
  while (at < end) {
    const first = CLASS[text.charCodeAt(at)] as number
    if (!isAlphanumeric(first)) {
      at++
      continue
    }
    const start = at
    let isPlain = first !== DIGIT
    let capitals = first === UPPER ? 1 : 0
    for (at++; at < end; at++) {
      const kind = CLASS[text.charCodeAt(at)] as number
      if (kind === LOWER) continue
      if (kind === UPPER) capitals++
      else if (kind === DIGIT) isPlain = false
      else break
    }
    if (joinsNext(text, at)) {
      at = endOfChunk(text, at)
      isPlain = false
    }
    const isOneWord = capitals === 0 || (capitals === 1 && first === UPPER) || capitals === at - start
    if (isPlain && isOneWord) sink(text, start, at, true)
    else if (hasApostrophe(text, start, at)) contraction(text.slice(start, at), sink)
    else splitIdentifier(text, start, at, sink)
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

function hasApostrophe(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (classAt(text, at) === APOSTROPHE) return true
  return false
}

/** The parts of an identifier, then the whole of it. */
function splitIdentifier(text: string, start: number, end: number, sink: RangeSink): void {
  let parts = 0
  let connectors = 0
  for (let at = start; at < end; ) {
    if (classAt(text, at) === CONNECTOR) {
      connectors++
      at++
      continue
    }
    const pieceEnd = endOfPiece(text, at, end)
    const isCode = pieceEnd - at <= LONGEST_CODE && hasDigit(text, at, pieceEnd)
    while (at < pieceEnd) {
      const partEnd = isCode ? pieceEnd : endOfPart(text, at, pieceEnd)
      sink(text, at, partEnd, true)
      parts++
      at = partEnd
    }
  }
  if (parts < 2 || end - start > LONGEST_WHOLE) return
  if (connectors === 0) return sink(text, start, end, false)
  const whole = text.slice(start, end).replace(/[_.-]/g, '')
  sink(whole, 0, whole.length, false)
}

function endOfPiece(text: string, start: number, end: number): number {
  let at = start
  while (at < end && classAt(text, at) !== CONNECTOR) at++
  return at
}

function hasDigit(text: string, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (classAt(text, at) === DIGIT) return true
  return false
}

/** Digits, a word with or without a capital, or capitals; of capitals before a word, the last belongs to the word. */
function endOfPart(text: string, start: number, end: number): number {
  const first = classAt(text, start)
  let at = start + 1
  while (at < end && classAt(text, at) === first) at++
  if (first !== UPPER || at === end || classAt(text, at) !== LOWER) return at
  if (at - start > 1) return at - 1
  while (at < end && classAt(text, at) === LOWER) at++
  return at
}
