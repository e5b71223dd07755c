/** Encoded text and what it says. */
export interface Decoded {
  readonly offset: number
  readonly length: number
  readonly encoding: 'base64' | 'hexadecimal' | 'percent' | 'escapes' | 'rot13' | 'reversed' | 'spaced letters'
  readonly text: string
}

/** How much encoded text is decoded. */
const MOST_RUNS = 16
const LONGEST_RUN = 8_192

const BASE64 = /[A-Za-z0-9+/_-]{20,}={0,2}/g
const HEX = /(?:0x|\\x)?[0-9a-fA-F]{2}(?:[ :,]?(?:0x|\\x)?[0-9a-fA-F]{2}){11,}/g
const PERCENT = /(?:[\w.~-]{0,3}%[0-9a-fA-F]{2}){6,}[\w.~-]{0,3}/g
const ESCAPES = /(?:(?:\\u[0-9a-fA-F]{4}|\\x[0-9a-fA-F]{2}|&#x?[0-9a-fA-F]{2,5};) ?){6,}/g
const SPACED = /(?<![\p{L}\p{N}])(?:\p{L}[ ._*-]{1,3}){9,400}\p{L}(?![\p{L}\p{N}])/gu
/** Frequent words of instructions, as rot13 and backwards. */
const ROT13 =
  /\b(?:vtaber|vafgehpgvbaf?|frperg|cnffjbeq|cebzcg|cyrnfr|erirny|qvfertneq|pbasvqragvny|perqragvnyf|rkrphgr|gur|naq|lbh|gb|guvf)\b/gi
const REVERSED =
  /\b(?:erongi|snoitcurtsni|noitcurtsni|drowssap|suoiverp|laever|tpmorp|slaitnederc|terces|eht|uoy|dna)\b/gi

/** Texts hidden by an encoding, decoded. Only those that turn out to be readable. */
export function decodedTexts(text: string): Decoded[] {
  const found: Decoded[] = []
  const add = (encoding: Decoded['encoding'], offset: number, run: string, decoded: string | undefined): void => {
    if (decoded !== undefined && isReadable(decoded))
      found.push({ offset, length: run.length, encoding, text: decoded })
  }
  for (const { 0: run, index } of runsOf(text, BASE64)) add('base64', index, run, fromBase64(run))
  for (const { 0: run, index } of runsOf(text, HEX)) add('hexadecimal', index, run, fromHex(run))
  for (const { 0: run, index } of runsOf(text, PERCENT)) add('percent', index, run, fromPercent(run))
  for (const { 0: run, index } of runsOf(text, ESCAPES)) add('escapes', index, run, fromEscapes(run))
  for (const { 0: run, index } of runsOf(text, SPACED)) {
    found.push({ offset: index, length: run.length, encoding: 'spaced letters', text: unspaced(run) })
  }
  if ((text.match(ROT13)?.length ?? 0) >= 3)
    add('rot13', 0, text, text.slice(0, LONGEST_RUN).replaceAll(/[a-z]/gi, rotated))
  if ((text.match(REVERSED)?.length ?? 0) >= 2)
    add('reversed', 0, text, [...text.slice(0, LONGEST_RUN)].toReversed().join(''))
  return found
}

function runsOf(text: string, pattern: RegExp): RegExpExecArray[] {
  const runs: RegExpExecArray[] = []
  for (const match of text.matchAll(pattern)) {
    if (runs.length >= MOST_RUNS) break
    if (match[0].length <= LONGEST_RUN) runs.push(match)
  }
  return runs
}

/** Words with spaces, not keys, hashes or images. */
function isReadable(text: string): boolean {
  if (text.length < 8) return false
  const letters = text.match(/[\p{L}\p{N} .,:;!?'"/~@_()-]/gu)?.length ?? 0
  return (
    letters / [...text].length > 0.92 &&
    /\p{L}{2,} \p{L}{2,}|\p{L}{3,}[-_/.@]\p{L}{2,}/u.test(text) &&
    /[aeiou]/i.test(text)
  )
}

function fromBase64(run: string): string | undefined {
  // Words of a text are no base64: it has upper and lower case, and mostly digits.
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run)) return undefined
  const standard = run.replaceAll('-', '+').replaceAll('_', '/').replaceAll('=', '')
  const usable = standard.length % 4 === 1 ? standard.slice(0, -1) : standard
  return asText(Uint8Array.from(atob(usable), (character) => character.charCodeAt(0)))
}

function fromHex(run: string): string | undefined {
  const digits = run.replaceAll(/0x|\\x|[ :,]/g, '')
  if (!/[a-f]/i.test(digits) && !/^[2-7]/.test(digits)) return undefined
  const bytes = new Uint8Array(digits.length >> 1)
  for (let index = 0; index < bytes.length; index++)
    bytes[index] = Number.parseInt(digits.slice(index * 2, index * 2 + 2), 16)
  return asText(bytes)
}

function asText(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

function fromPercent(run: string): string | undefined {
  try {
    return decodeURIComponent(run)
  } catch {
    return undefined
  }
}

function fromEscapes(run: string): string {
  return run.replaceAll(
    /\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})|&#x([0-9a-fA-F]{2,5});|&#(\d{2,5});/g,
    (_, u?: string, x?: string, hex?: string, decimal?: string) =>
      String.fromCodePoint(
        Math.min(0x10_ffff, decimal === undefined ? Number.parseInt(u ?? x ?? hex ?? '20', 16) : Number(decimal)),
      ),
  )
}

function rotated(letter: string): string {
  const base = letter <= 'Z' ? 65 : 97
  return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
}

/** Wider gaps are spaces between words: `i g n o r e   a l l`. */
function unspaced(run: string): string {
  return run
    .replaceAll(/([ ._*-])\1\1|[ ._*-]{2,}/g, '\u0000')
    .replaceAll(/[ ._*-]/g, '')
    .replaceAll('\u0000', ' ')
}
