import { RawJson } from '../../servers/protocol/raw-json.ts'
import { SLICE } from './content-blocks.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c] as const
/** The longest escape of one character, a surrogate pair; a slice holds more than two. */
export const LONGEST_ESCAPE = 12
const HIGH_SURROGATE = /^\\u[dD][89abAB][0-9a-fA-F]{2}$/
const ESCAPED_UNIT = 6

/** A text that may be too long to be held at once. */
export interface TextSource {
  /** About how many bytes it has. */
  readonly bytes: number
  /** Its UTF-8. Unpaired surrogates become U+FFFD. */
  slices(): Iterable<Buffer>
}

/** The text of a value: a string, or a raw JSON string; undefined for any other. */
export function textSource(value: unknown, sliceBytes = SLICE): TextSource | undefined {
  if (typeof value === 'string') return { bytes: Buffer.byteLength(value), slices: () => [Buffer.from(value, 'utf8')] }
  if (!(value instanceof RawJson) || value.pieces[0]?.[0] !== QUOTE) return undefined
  return { bytes: value.bytes - 2, slices: () => decodedSlices(value, sliceBytes) }
}

/** A value as JSON text. */
export function jsonSource(value: unknown): TextSource {
  const json = value instanceof RawJson ? value : new RawJson([Buffer.from(JSON.stringify(value))])
  return { bytes: json.bytes, slices: () => slicesOf(json) }
}

function* slicesOf({ pieces }: RawJson): Generator<Buffer> {
  for (const piece of pieces) {
    for (let at = 0; at < piece.length; at += SLICE) yield piece.subarray(at, at + SLICE)
  }
}

function* decodedSlices(json: RawJson, sliceBytes: number): Generator<Buffer> {
  // Without the quotes.
  const end = json.bytes - 1
  let at = 1
  while (at < end) {
    const bytes = Buffer.concat(json.between(at, Math.min(at + sliceBytes, end)))
    const cut = at + bytes.length === end ? bytes.length : safeCut(bytes)
    yield Buffer.from(JSON.parse(`"${bytes.toString('utf8', 0, cut)}"`) as string, 'utf8')
    at += cut
  }
}

/** The last place at which no character and no escape is cut in two. The bytes begin at such a place. */
function safeCut(bytes: Buffer): number {
  const last = bytes.lastIndexOf(BACKSLASH)
  if (last < bytes.length - LONGEST_ESCAPE) return characterStart(bytes, bytes.length)
  const run = runBefore(bytes, last + 1)
  // An even number of backslashes stands for half as many, and what follows them is no escape.
  if (run % 2 === 0) return characterStart(bytes, bytes.length)
  const before = last - ESCAPED_UNIT
  const isPaired = before >= 0 && HIGH_SURROGATE.test(bytes.toString('latin1', before, last))
  return isPaired && runBefore(bytes, before + 1) % 2 === 1 ? before : last
}

/** The number of backslashes directly before an offset. */
function runBefore(bytes: Buffer, offset: number): number {
  let at = offset
  while (at > 0 && bytes[at - 1] === BACKSLASH) at--
  return offset - at
}

/** The offset itself, or the start of the UTF-8 character that it is in. */
export function characterStart(bytes: Buffer, offset: number): number {
  let start = offset - 1
  while (start >= 0 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start--
  const first = bytes[start] ?? 0
  const length = first < 0x80 ? 1 : first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2
  return start + length <= offset ? offset : start
}
