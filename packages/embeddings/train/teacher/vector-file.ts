import { createHash } from 'node:crypto'
import { closeSync, existsSync, openSync, readFileSync, truncateSync, writeSync } from 'node:fs'

const HASH_BYTES = 16

/**
 * Vectors by text in one file that only grows, so that a stopped run continues where it was. A record is the
 * hash of the text and the vector; a record that was cut off is dropped.
 */
export class VectorFile {
  readonly #vectors = new Map<string, Float32Array>()
  readonly #file: number
  readonly #dimensions: number

  constructor(path: string, dimensions: number) {
    this.#dimensions = dimensions
    if (existsSync(path)) this.#read(path)
    this.#file = openSync(path, 'a')
  }

  get(text: string): Float32Array | undefined {
    return this.#vectors.get(hashOf(text).toString('latin1'))
  }

  add(text: string, vector: Float32Array): void {
    const hash = hashOf(text)
    this.#vectors.set(hash.toString('latin1'), vector)
    const numbers = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    writeSync(this.#file, Buffer.concat([hash, numbers]))
  }

  close(): void {
    closeSync(this.#file)
  }

  #read(path: string): void {
    const bytes = readFileSync(path)
    const size = HASH_BYTES + 4 * this.#dimensions
    const whole = bytes.length - (bytes.length % size)
    if (whole < bytes.length) truncateSync(path, whole)
    for (let at = 0; at < whole; at += size) {
      const numbers = bytes.buffer.slice(bytes.byteOffset + at + HASH_BYTES, bytes.byteOffset + at + size)
      this.#vectors.set(bytes.toString('latin1', at, at + HASH_BYTES), new Float32Array(numbers))
    }
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest().subarray(0, HASH_BYTES)
}
