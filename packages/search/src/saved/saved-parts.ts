import { ToolSearchError } from '../errors.ts'

/** Changes with every change of what is written; bytes of another version are refused and the index is built anew. */
const FORMAT = 3
/** "TDXI" as bytes. A platform with the other byte order reads another number and refuses the bytes. */
const MAGIC = 0x4958_4454
/** Magic, format, two halves of the checksum, length of the whole, length of the table of parts. */
const HEAD_WORDS = 6
const HEAD_BYTES = 4 * HEAD_WORDS
/** Every part begins at a multiple of this, so that it can be read as numbers of any size. */
const ALIGNMENT = 8

interface Part {
  readonly name: string
  readonly at: number
  readonly length: number
}

/** Collects named parts and joins them to one sequence of bytes with version, length and checksum. */
export class SavedWriter {
  /** The places of the tools by id, where the tools themselves are among the parts. */
  places: ReadonlyMap<string, number> | undefined
  readonly #parts: { readonly name: string; readonly bytes: Uint8Array }[] = []

  /** Adds numbers. */
  numbers(name: string, numbers: Int8Array | Int32Array | Float64Array): void {
    this.#parts.push({ name, bytes: new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength) })
  }

  /** Adds anything that JSON can carry. */
  json(name: string, value: unknown): void {
    this.bytes(name, new TextEncoder().encode(JSON.stringify(value)))
  }

  bytes(name: string, bytes: Uint8Array): void {
    this.#parts.push({ name, bytes })
  }

  /** The whole, once all parts are there. */
  joined(): Uint8Array {
    let end = 0
    const parts: Part[] = this.#parts.map(({ name, bytes }) => {
      const at = end
      end = aligned(at + bytes.length)
      return { name, at, length: bytes.length }
    })
    const table = new TextEncoder().encode(JSON.stringify(parts))
    const start = aligned(HEAD_BYTES + table.length)
    const whole = new Uint8Array(start + end)
    whole.set(table, HEAD_BYTES)
    for (const [nth, { at }] of parts.entries()) whole.set(this.#parts[nth]?.bytes ?? [], start + at)
    const head = new Int32Array(whole.buffer, 0, HEAD_WORDS)
    head.set([MAGIC, FORMAT, 0, 0, whole.length, table.length])
    head.set(checksum(whole), 2)
    return whole
  }
}

/** Reads what `SavedWriter` joined. Numbers are copies unless they are lent: changing them changes no other part. */
export class SavedReader {
  readonly #whole: Uint8Array<ArrayBuffer>
  readonly #start: number
  readonly #parts: ReadonlyMap<string, Part>

  /** @throws ToolSearchError INVALID_SAVED_INDEX for bytes of another format or version, cut or altered ones */
  constructor(bytes: Uint8Array) {
    this.#whole = alignedBytes(bytes)
    const tableLength = checkedHead(this.#whole)
    this.#start = aligned(HEAD_BYTES + tableLength)
    const table = this.#whole.subarray(HEAD_BYTES, HEAD_BYTES + tableLength)
    const parts = JSON.parse(new TextDecoder().decode(table)) as readonly Part[]
    this.#parts = new Map(parts.map((part) => [part.name, part]))
  }

  has(name: string): boolean {
    return this.#parts.has(name)
  }

  ints(name: string): Int32Array {
    return new Int32Array(this.#copy(name))
  }

  /** The numbers where they stand, without copying them. Who wants to change them must take a copy first. */
  lentInts(name: string): Int32Array {
    const bytes = this.bytes(name)
    return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
  }

  smallInts(name: string): Int8Array {
    return new Int8Array(this.#copy(name))
  }

  floats(name: string): Float64Array {
    return new Float64Array(this.#copy(name))
  }

  json(name: string): unknown {
    return JSON.parse(new TextDecoder().decode(this.bytes(name)))
  }

  /** The bytes themselves; they keep the whole in memory. */
  bytes(name: string): Uint8Array<ArrayBuffer> {
    const { at, length } = this.#part(name)
    return this.#whole.subarray(this.#start + at, this.#start + at + length)
  }

  #copy(name: string): ArrayBuffer {
    return this.bytes(name).slice().buffer
  }

  #part(name: string): Part {
    const part = this.#parts.get(name)
    if (part === undefined) throw invalidSaved(`the part "${name}" is missing`)
    return part
  }
}

/** Checks everything about the bytes that can be checked without knowing the parts; answers the length of the table. */
function checkedHead(whole: Uint8Array<ArrayBuffer>): number {
  if (whole.length < HEAD_BYTES) throw invalidSaved('the bytes are cut, or are no saved index')
  const [magic, format, first, second, length, tableLength] = new Int32Array(whole.buffer, whole.byteOffset, HEAD_WORDS)
  if (magic !== MAGIC) throw invalidSaved('the bytes are no saved index, or one of a platform with another byte order')
  if (format !== FORMAT) throw invalidSaved(`the format is ${format}, this version reads ${FORMAT}`)
  if (length !== whole.length) {
    const isCut = whole.length < (length as number)
    const found = `${whole.length} bytes in place of ${length}`
    throw invalidSaved(isCut ? `the bytes are cut: ${found}` : `the length is ${found}`)
  }
  const [expectedFirst, expectedSecond] = checksum(whole)
  if (first !== expectedFirst || second !== expectedSecond) throw invalidSaved('the bytes were altered')
  return tableLength as number
}

/** An INVALID_SAVED_INDEX error. */
export function invalidSaved(reason: string): ToolSearchError {
  return new ToolSearchError('INVALID_SAVED_INDEX', { reason })
}

function aligned(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT
}

/** Typed arrays need a start that is aligned. What Node reads of files is a `Buffer`, of which `slice` makes no copy. */
function alignedBytes(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const { buffer, byteOffset, length } = bytes
  if (byteOffset % ALIGNMENT !== 0 || !(buffer instanceof ArrayBuffer)) return new Uint8Array(bytes)
  return new Uint8Array(buffer, byteOffset, length)
}

/**
 * Two sums over all words but the head's own, which depend on their order: they notice accidents (a cut or damaged
 * file), and must be fast because they run over every byte at each start. They are no protection against forgery.
 */
function checksum(whole: Uint8Array<ArrayBuffer>): readonly [number, number] {
  const words = new Int32Array(whole.buffer, whole.byteOffset, whole.length >> 2)
  // Four sums side by side: none has to wait for the step before of another.
  let [a, b, c, d] = [1, 2, 3, 5]
  let at = 4
  for (; at + 3 < words.length; at += 4) {
    a = Math.imul(a ^ (words[at] as number), MIXER)
    b = Math.imul(b ^ (words[at + 1] as number), MIXER)
    c = Math.imul(c ^ (words[at + 2] as number), MIXER)
    d = Math.imul(d ^ (words[at + 3] as number), MIXER)
  }
  for (; at < words.length; at++) a = Math.imul(a ^ (words[at] as number), MIXER)
  return [stirred(a) ^ Math.imul(stirred(b), 3), stirred(c) ^ Math.imul(stirred(d), 3)]
}

/** Odd, so that multiplying by it loses nothing: every altered word alters its sum. */
const MIXER = 0x85eb_ca6b

function stirred(sum: number): number {
  return Math.imul(sum ^ (sum >>> 15), 0x2c1b_3c6d)
}

/** Where lists of these lengths begin if they stand one after the other. */
export function startsOf(lengths: Int32Array): Int32Array {
  const starts = new Int32Array(lengths.length)
  for (let number = 1; number < lengths.length; number++) {
    starts[number] = (starts[number - 1] as number) + (lengths[number - 1] as number)
  }
  return starts
}
