import { createHash } from 'node:crypto'
import { appendFile, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { VectorCache } from '@tooldex/search'

/** The settings of a vector folder. */
interface VectorFilesParts {
  /** Created by the first write. */
  readonly folder: string
  /** Receives the first problem; vectors are then computed again instead of loaded. */
  readonly onProblem?: (error: unknown) => void
}

/** Stores vectors in one file per embedder, so that a restart embeds nothing twice. A failure only loses cached vectors. */
export class VectorFiles implements VectorCache {
  readonly #parts: VectorFilesParts
  readonly #files = new Map<string, VectorFile>()
  #hasReported = false

  constructor(parts: VectorFilesParts) {
    this.#parts = parts
  }

  load(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    return this.#file(embedderId)
      .load(hashes)
      .catch((error: unknown) => {
        this.#report(error)
        return new Map()
      })
  }

  save(embedderId: string, vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    return this.#file(embedderId)
      .save(vectors)
      .catch((error: unknown) => this.#report(error))
  }

  #report(error: unknown): void {
    if (!this.#hasReported) this.#parts.onProblem?.(error)
    this.#hasReported = true
  }

  #file(embedderId: string): VectorFile {
    const known = this.#files.get(embedderId)
    if (known !== undefined) return known
    const file = new VectorFile(join(this.#parts.folder, fileName(embedderId)))
    this.#files.set(embedderId, file)
    return file
  }
}

/** Readable, and unique even where the file system ignores case or forbids characters. */
function fileName(embedderId: string): string {
  const readable = embedderId.replace(/[^A-Za-z0-9_-]+/gu, '_').slice(0, 60)
  return `${readable}-${createHash('sha256').update(embedderId).digest('hex').slice(0, 16)}.vectors`
}

/** A larger file consists mostly of outdated vectors. */
const MOST_BYTES = 256 * 1024 * 1024
const [SPACE, NEWLINE] = [0x20, 0x0a]
const LONGEST_HASH = 64

interface Place {
  readonly start: number
  readonly length: number
}

/**
 * Vectors of one embedder, one per line: hash, checksum, numbers. The file is append-only, and each write begins with a
 * newline, so that an unfinished write of a killed process damages only its own line. Several processes may append.
 */
export class VectorFile {
  readonly #path: string
  readonly #mostBytes: number
  #places: Promise<Map<string, Place>> | undefined
  /** Hashes added since the file was scanned. */
  readonly #added = new Set<string>()
  #lastWrite: Promise<unknown> = Promise.resolve()

  constructor(path: string, mostBytes = MOST_BYTES) {
    this.#path = path
    this.#mostBytes = mostBytes
  }

  /** Loads the vectors that are stored and undamaged. */
  async load(hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    await this.#lastWrite
    if (hashes.some((hash) => this.#added.has(hash))) this.#forgetPlaces()
    const places = await this.#readPlaces()
    const wanted = hashes.flatMap((hash) => {
      const place = places.get(hash)
      return place === undefined ? [] : [[hash, place] as const]
    })
    const vectors = wanted.length === 0 ? new Map<string, Int8Array>() : await this.#read(wanted)
    // Damaged vectors may be added again.
    for (const [hash] of wanted) if (!vectors.has(hash)) places.delete(hash)
    return vectors
  }

  /** Appends the vectors that are not stored yet. */
  save(vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    const write = this.#lastWrite.then(() => this.#add(vectors))
    this.#lastWrite = write.catch(() => {})
    return write
  }

  async #add(vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    const places = await this.#readPlaces()
    const fresh = [...vectors].filter(([hash]) => !places.has(hash) && !this.#added.has(hash))
    if (fresh.length === 0) return
    await mkdir(dirname(this.#path), { recursive: true, mode: 0o700 })
    const lines = fresh.map(([hash, vector]) => lineOf(hash, vector))
    await appendFile(this.#path, `\n${lines.join('\n')}\n`, { mode: 0o600 })
    for (const [hash] of fresh) this.#added.add(hash)
  }

  async #read(wanted: readonly (readonly [string, Place])[]): Promise<ReadonlyMap<string, Int8Array>> {
    const vectors = new Map<string, Int8Array>()
    const file = await open(this.#path, 'r')
    try {
      for (const [hash, { start, length }] of wanted) {
        const { buffer } = await file.read(Buffer.alloc(length), 0, length, start)
        const vector = vectorOf(buffer.toString('latin1'), hash)
        if (vector !== undefined) vectors.set(hash, vector)
      }
    } finally {
      await file.close()
    }
    return vectors
  }

  #forgetPlaces(): void {
    this.#places = undefined
    this.#added.clear()
  }

  #readPlaces(): Promise<Map<string, Place>> {
    this.#places ??= this.#scan()
    return this.#places
  }

  async #scan(): Promise<Map<string, Place>> {
    const size = await stat(this.#path).then(
      (found) => found.size,
      () => 0,
    )
    if (size > this.#mostBytes) await rm(this.#path, { force: true })
    if (size === 0 || size > this.#mostBytes) return new Map()
    return placesIn(await readFile(this.#path))
  }
}

function placesIn(bytes: Buffer): Map<string, Place> {
  const places = new Map<string, Place>()
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(NEWLINE, start)
    const end = newline < 0 ? bytes.length : newline
    const space = bytes.subarray(start, Math.min(end, start + LONGEST_HASH + 1)).indexOf(SPACE)
    if (space > 0) places.set(bytes.toString('latin1', start, start + space), { start, length: end - start })
    start = end + 1
  }
  return places
}

function lineOf(hash: string, vector: Int8Array): string {
  const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
  return `${hash} ${checksum(hash, bytes)} ${bytes.toString('base64')}`
}

function vectorOf(line: string, hash: string): Int8Array | undefined {
  const [, sum, text = ''] = line.split(' ')
  const bytes = Buffer.from(text, 'base64')
  return sum === checksum(hash, bytes)
    ? Int8Array.from(new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length))
    : undefined
}

function checksum(hash: string, bytes: Uint8Array): string {
  return crc32(bytes, crc32(hash)).toString(16)
}
