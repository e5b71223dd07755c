import { ToolSearchError } from '@tooldex/search'

/** A vector for each word piece: signed bytes, and for each row the value of one unit. */
export interface Table {
  /** Names the table; a table that was trained anew has another name through its checksum. */
  readonly id: string
  readonly dimensions: number
  /** The word pieces in the order of the rows, separated by line feeds, in UTF-16. */
  readonly vocabulary: Uint16Array
  readonly scales: Float32Array
  /** Row after row. */
  readonly rows: Int8Array
}

/*
 * The file, little-endian:
 *   0  "TDXTABLE"       8  format version      12  dimensions    16  rows
 *  20  bytes of id     24  bytes of pieces     28  CRC-32 of everything after the head
 *  32  scales (float32 each), pieces separated by line feeds (UTF-16), rows (int8 each), id (UTF-8)
 */
const MAGIC = 'TDXTABLE'
const VERSION = 1
const HEAD_BYTES = 32
const MOST_DIMENSIONS = 4_096

/** The bytes of a table, as `readTable` takes them. */
export function writeTable(table: Table): Uint8Array {
  const utf8 = new TextEncoder()
  const id = utf8.encode(table.id)
  const parts = [new Uint8Array(HEAD_BYTES), bytesOf(table.scales), bytesOf(table.vocabulary), bytesOf(table.rows), id]
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let end = 0
  for (const part of parts) {
    bytes.set(part, end)
    end += part.length
  }
  bytes.set(utf8.encode(MAGIC))
  const head = new DataView(bytes.buffer)
  const numbers = [VERSION, table.dimensions, table.scales.length, id.length, table.vocabulary.byteLength]
  for (const [nth, number] of numbers.entries()) head.setUint32(8 + 4 * nth, number, true)
  head.setUint32(28, crc32(bytes.subarray(HEAD_BYTES)), true)
  return bytes
}

/** CRC-32; a platform's own is ten times as fast as ours. */
export type Checksum = (bytes: Uint8Array) => number

/**
 * Reads a table without copying its rows.
 * @throws ToolSearchError EMBEDDER_FAILED when the bytes are not a whole table of a version that this code knows.
 */
export function readTable(given: Uint8Array, checksumOf: Checksum = crc32): Table {
  const bytes = aligned(given)
  const { dimensions, rows, idBytes, pieceBytes, checksum } = readHead(bytes, checksumOf)
  const piecesStart = HEAD_BYTES + 4 * rows
  const rowsStart = piecesStart + pieceBytes
  const scales = new Float32Array(bytes.buffer, bytes.byteOffset + HEAD_BYTES, rows)
  if (!scales.every(Number.isFinite)) throw brokenTable('a scale is not a number')
  const name = new TextDecoder().decode(bytes.subarray(bytes.length - idBytes))
  return {
    id: `${name}:${checksum.toString(16).padStart(8, '0')}`,
    dimensions,
    vocabulary: new Uint16Array(bytes.buffer, bytes.byteOffset + piecesStart, pieceBytes / 2),
    scales,
    rows: new Int8Array(bytes.buffer, bytes.byteOffset + rowsStart, rows * dimensions),
  }
}

interface Head {
  readonly dimensions: number
  readonly rows: number
  readonly idBytes: number
  readonly pieceBytes: number
  readonly checksum: number
}

function readHead(bytes: Uint8Array, checksumOf: Checksum): Head {
  if (bytes.length < HEAD_BYTES) throw brokenTable('it is cut off')
  if (new TextDecoder().decode(bytes.subarray(0, MAGIC.length)) !== MAGIC) throw brokenTable('it is not a table')
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [version = 0, dimensions = 0, rows = 0, idBytes = 0, pieceBytes = 0, checksum = 0] = Array.from(
    { length: 6 },
    (_, nth) => view.getUint32(8 + 4 * nth, true),
  )
  if (version !== VERSION) throw brokenTable(`it has format version ${version}, and this code reads version ${VERSION}`)
  if (dimensions === 0 || dimensions > MOST_DIMENSIONS || rows === 0 || pieceBytes % 2 !== 0)
    throw brokenTable('its sizes make no sense')
  const expected = HEAD_BYTES + rows * (4 + dimensions) + idBytes + pieceBytes
  if (bytes.length !== expected) throw brokenTable(`it has ${bytes.length} bytes instead of ${expected}`)
  if (checksumOf(bytes.subarray(HEAD_BYTES)) !== checksum) throw brokenTable('its checksum does not fit its content')
  return { dimensions, rows, idBytes, pieceBytes, checksum }
}

/** The error for a table that cannot be used. */
export function brokenTable(reason: string): ToolSearchError {
  return new ToolSearchError('EMBEDDER_FAILED', {
    reason: `the table of word vectors cannot be used: ${reason}`,
    remedy: 'Install @tooldex/embeddings again, or train a table with this version.',
  })
}

/**
 * Floats can be read in place only at addresses divisible by four; a part of a larger buffer may start elsewhere, and is
 * copied. A `slice` would be no copy where the bytes are a `Buffer` of Node.
 */
function aligned(bytes: Uint8Array): Uint8Array {
  return bytes.byteOffset % 4 === 0 ? bytes : new Uint8Array(bytes)
}

function bytesOf(numbers: Float32Array | Int8Array | Uint16Array): Uint8Array {
  return new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

const CRC_TABLE = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1
  return value
})

/** CRC-32, for platforms without one. */
export function crc32(bytes: Uint8Array): number {
  let sum = -1
  for (let at = 0; at < bytes.length; at++) sum = (CRC_TABLE[(sum ^ (bytes[at] ?? 0)) & 0xff] ?? 0) ^ (sum >>> 8)
  return ~sum >>> 0
}
