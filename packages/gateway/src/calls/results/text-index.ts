import { JsonChecker } from '../../servers/protocol/json-checker.ts'

const [NEWLINE, QUOTE, BACKSLASH, COMMA, OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [
  0x0a, 0x22, 0x5c, 0x2c, 0x7b, 0x7d, 0x5b, 0x5d,
] as const
/** Bytes between two checkpoints. */
const STRIDE = 4_096
/** A text that is JSON up to here is treated as JSON. */
const JSON_PREFIX = 65_536
const IGNORE = (): void => undefined

/** A part of a text: one block of the result. */
interface Part {
  readonly start: number
  end: number
  readonly isJson: boolean
}

/** What is known before a byte of the text. */
interface Checkpoint {
  readonly newlines: number
  readonly depth: number
  readonly isInString: boolean
}

/** A place where a text may be cut. The lower the rank, the better. */
interface Cut {
  readonly offset: number
  readonly rank: number
}

/** Walks over UTF-8: counts lines, and knows the nesting of JSON. */
class Walk {
  newlines: number
  depth: number
  isInString: boolean
  #isEscaped = false

  constructor({ newlines, depth, isInString }: Checkpoint) {
    this.newlines = newlines
    this.depth = depth
    this.isInString = isInString
  }

  get isBetweenCharacters(): boolean {
    return !this.#isEscaped
  }

  /** Calls `onCut` with the offset after each place between lines, or between records and members of JSON. */
  over(bytes: Buffer, isJson: boolean, onCut: (offset: number, rank: number) => void): void {
    if (!isJson) {
      for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
        this.newlines++
        onCut(at + 1, 0)
      }
      return
    }
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] ?? 0
      if (byte === NEWLINE) this.newlines++
      if (this.isInString) this.#inString(byte)
      else if (byte === QUOTE) this.isInString = true
      else if (byte === COMMA) onCut(at + 1, this.depth)
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) this.depth++
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) this.depth--
    }
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false
    else if (byte === BACKSLASH) this.#isEscaped = true
    else if (byte === QUOTE) this.isInString = false
  }
}

const START: Checkpoint = { newlines: 0, depth: 0, isInString: false }

/**
 * Where lines and records begin in a text that is not in memory: a checkpoint every few kilobytes, from which the bytes
 * behind it are read again.
 */
export class TextIndex {
  readonly #parts: Part[] = []
  /** By offset; the first is at 0. */
  readonly #checkpoints: { readonly offset: number; readonly state: Checkpoint }[] = [{ offset: 0, state: START }]
  #walk = new Walk(START)
  #size = 0
  #last: number = NEWLINE

  get size(): number {
    return this.#size
  }

  get lines(): number {
    return this.#walk.newlines + (this.#last === NEWLINE ? 0 : 1)
  }

  /** Whether the whole text is one JSON value. */
  get isJson(): boolean {
    return this.#parts.length === 1 && this.#parts[0]?.isJson === true
  }

  /** @param bytes the first of a new part */
  begin(bytes: Buffer): void {
    this.#walk = new Walk({ ...START, newlines: this.#walk.newlines })
    this.#parts.push({ start: this.#size, end: this.#size, isJson: isJsonLike(bytes) })
    this.#checkpoint()
    this.add(bytes)
  }

  /** More bytes of the part. */
  add(bytes: Buffer): void {
    const part = this.#parts.at(-1)
    if (part === undefined) return
    for (let at = 0; at < bytes.length; at += STRIDE) {
      const slice = bytes.subarray(at, at + STRIDE)
      this.#walk.over(slice, part.isJson, IGNORE)
      this.#size += slice.length
      this.#checkpoint()
    }
    part.end = this.#size
    this.#last = bytes.at(-1) ?? this.#last
  }

  /** The offset of the checkpoint from which a place is reached. */
  checkpointBefore(offset: number): number {
    return this.#checkpointFor(({ offset: known }) => known <= offset).offset
  }

  /** The offset of the checkpoint from which a line is reached; lines count from 1. */
  checkpointOfLine(line: number): number {
    return this.#checkpointFor(({ state }) => state.newlines < line - 1).offset
  }

  /** The number of newlines before a checkpoint. */
  newlinesAt(checkpoint: number): number {
    return this.#checkpointFor(({ offset }) => offset <= checkpoint).state.newlines
  }

  /**
   * The best place to cut within the bytes, after `least`; undefined if there is none. Places between lines come first; in
   * JSON the least nested, so that records stay whole. Of equal places the last one is taken.
   * @param from the offset of the first byte: that of a checkpoint
   */
  bestCut(bytes: Buffer, from: number, least: number): number | undefined {
    let best: Cut | undefined
    const end = from + bytes.length
    for (const part of this.#parts) {
      if (part.end <= from || part.start >= end) continue
      const start = Math.max(part.start, from)
      const { state } = this.#checkpointFor(({ offset }) => offset <= start)
      const walk = new Walk(state)
      const slice = bytes.subarray(start - from, Math.min(part.end, end) - from)
      walk.over(slice, part.isJson, (after, rank) => {
        const offset = start + after
        if (offset > least && (best === undefined || rank <= best.rank)) best = { offset, rank }
      })
      // Between two blocks.
      if (part.end <= end && part.end > least) best = { offset: part.end, rank: 0 }
    }
    return best?.offset
  }

  /** What closes the JSON that is open at the end of the bytes; empty unless the text is JSON. @param bytes from the start */
  closing(bytes: Buffer): string {
    if (!this.isJson) return ''
    const open: string[] = []
    let [isInString, isEscaped] = [false, false]
    for (const byte of bytes) {
      if (isInString) {
        isInString = byte !== QUOTE || isEscaped
        isEscaped = byte === BACKSLASH && !isEscaped
      } else if (byte === QUOTE) isInString = true
      else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) open.push(byte === OPEN_OBJECT ? '}' : ']')
      else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) open.pop()
    }
    return isInString ? '' : open.toReversed().join('')
  }

  #checkpoint(): void {
    const { newlines, depth, isInString, isBetweenCharacters } = this.#walk
    // The next one will do.
    if (!isBetweenCharacters) return
    this.#checkpoints.push({ offset: this.#size, state: { newlines, depth, isInString } })
  }

  /** The last checkpoint for which a condition holds; it holds for all before that. */
  #checkpointFor(holds: (checkpoint: { readonly offset: number; readonly state: Checkpoint }) => boolean) {
    let [low, high] = [0, this.#checkpoints.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const checkpoint = this.#checkpoints[middle]
      if (checkpoint !== undefined && holds(checkpoint)) low = middle
      else high = middle - 1
    }
    return this.#checkpoints[low] ?? { offset: 0, state: START }
  }
}

/** The number of newlines in the bytes. */
export function newlinesIn(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count++
  return count
}

function isJsonLike(bytes: Buffer): boolean {
  const first = bytes.subarray(0, JSON_PREFIX)
  const opening = first.toString('latin1', 0, 100).trimStart()[0]
  if (opening !== '{' && opening !== '[') return false
  const checker = new JsonChecker({ opened: IGNORE, closed: IGNORE, key: IGNORE })
  checker.add(first)
  return !checker.isWrong
}
