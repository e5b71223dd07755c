import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { VectorCache } from '@tooldex/search'
import { VectorFile } from './vector-file.ts'

/** What a folder of vectors needs. */
export interface VectorFilesParts {
  /** Made when first written to. */
  readonly folder: string
  /** Told once of what went wrong; vectors are then made anew rather than read. */
  readonly onProblem?: (error: unknown) => void
}

/** Keeps vectors as one file for each embedder, so that a restart embeds nothing twice. Never fails: it forgets. */
export class VectorFiles implements VectorCache {
  readonly #parts: VectorFilesParts
  readonly #files = new Map<string, VectorFile>()
  #hasTold = false

  constructor(parts: VectorFilesParts) {
    this.#parts = parts
  }

  load(embedderId: string, hashes: readonly string[]): Promise<ReadonlyMap<string, Int8Array>> {
    return this.#file(embedderId)
      .load(hashes)
      .catch((error: unknown) => {
        this.#tell(error)
        return new Map()
      })
  }

  save(embedderId: string, vectors: ReadonlyMap<string, Int8Array>): Promise<void> {
    return this.#file(embedderId)
      .save(vectors)
      .catch((error: unknown) => this.#tell(error))
  }

  #tell(error: unknown): void {
    if (!this.#hasTold) this.#parts.onProblem?.(error)
    this.#hasTold = true
  }

  #file(embedderId: string): VectorFile {
    const known = this.#files.get(embedderId)
    if (known !== undefined) return known
    const file = new VectorFile(join(this.#parts.folder, fileName(embedderId)))
    this.#files.set(embedderId, file)
    return file
  }
}

/** Readable, and different for ids that a file system might take for one. */
function fileName(embedderId: string): string {
  const readable = embedderId.replace(/[^A-Za-z0-9_-]+/gu, '_').slice(0, 60)
  return `${readable}-${createHash('sha256').update(embedderId).digest('hex').slice(0, 16)}.vectors`
}
