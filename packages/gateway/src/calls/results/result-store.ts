import { randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { RawJson } from '../../servers/protocol/raw-json.ts'
import { type ContentBlock, SLICE } from './content-blocks.ts'
import { type KeptBlock, type KeptBytes, KeptResult } from './kept-result.ts'
import type { TextSource } from './raw-text.ts'
import { TextIndex } from './text-index.ts'

/** How much is kept, and for how long. */
export interface ResultLimits {
  readonly keptMs: number
  readonly results: number
  readonly bytes: number
  readonly callerResults: number
  readonly callerBytes: number
  /** Larger results are kept in files. */
  readonly memoryBytes: number
}

const ID_BYTES = 12
/** In characters, without the owner. */
export const RESULT_ID_LENGTH = (ID_BYTES / 3) * 4

const MEGABYTE = 1_000_000

/** The limits of a gateway. */
export const RESULT_LIMITS: ResultLimits = {
  keptMs: 15 * 60_000,
  results: 500,
  bytes: 400 * MEGABYTE,
  callerResults: 50,
  callerBytes: 150 * MEGABYTE,
  memoryBytes: 500_000,
}

/** The caller that a result is kept for: the token and the project. */
export interface ResultOwner {
  readonly tokenId: string
  readonly projectId: string
}

/** A result to be kept. */
export interface NewResult {
  readonly owner: ResultOwner
  readonly toolKey: string
  /** The texts, which together are read by page. */
  readonly texts: readonly TextSource[]
  /** Blocks that are kept whole. */
  readonly blocks: readonly { readonly number: number; readonly block: ContentBlock }[]
  /** About how much it is. */
  readonly bytes: number
  readonly firstPageBytes: number
  readonly pageBytes: number
}

interface Entry {
  readonly result: KeptResult
  readonly owner: string
  readonly bytes: number
  readonly expiresAt: number
}

/** The collaborators of the store. */
export interface ResultStoreParts {
  /** Files are made in it and removed from it at once: only this process can read them, and nothing is left behind. */
  readonly folder: string
  readonly now: () => number
  readonly limits?: ResultLimits
  /** The beginning of every id: the replica that keeps the result, where there are several. */
  readonly ownerId?: string
  readonly log?: { warn(facts: object, message: string): void }
}

/** Results that callers read on: each for its caller alone, for some minutes, within limits. */
export class ResultStore {
  readonly #parts: ResultStoreParts
  readonly #limits: ResultLimits
  /** The oldest first. */
  readonly #entries = new Map<string, Entry>()
  #timer: NodeJS.Timeout | undefined
  #isStopped = false

  constructor(parts: ResultStoreParts) {
    this.#parts = parts
    this.#limits = parts.limits ?? RESULT_LIMITS
  }

  get keptMinutes(): number {
    return Math.round(this.#limits.keptMs / 60_000)
  }

  /** Keeps a result; undefined if it is too large, or cannot be written. The oldest results of the caller make room. */
  async keep(given: NewResult): Promise<KeptResult | undefined> {
    const owner = keyOf(given.owner)
    if (given.bytes > this.#limits.callerBytes || this.#isStopped) return undefined
    const bytes = given.bytes > this.#limits.memoryBytes ? new FileBytes(this.#parts.folder) : new MemoryBytes()
    try {
      const id = `${this.#parts.ownerId ?? ''}${randomBytes(ID_BYTES).toString('base64url')}`
      const result = await kept(id, given, bytes)
      if (this.#isStopped) throw new Error('stopped meanwhile')
      this.#add({ result, owner, bytes: bytes.size, expiresAt: this.#parts.now() + this.#limits.keptMs })
      return result
    } catch (error) {
      await bytes.close()
      this.#parts.log?.warn({ error: String(error) }, 'cannot keep a large result; its caller gets the beginning alone')
      return undefined
    }
  }

  /** A result of this caller; undefined for those of others, as for one that never was. */
  get(id: string, owner: ResultOwner): KeptResult | undefined {
    const entry = this.#entries.get(id)
    const isValid = entry !== undefined && entry.owner === keyOf(owner) && entry.expiresAt > this.#parts.now()
    return isValid ? entry.result : undefined
  }

  /** Removes what a killed gateway may have left. */
  async start(): Promise<void> {
    await rm(this.#parts.folder, { recursive: true, force: true }).catch(() => undefined)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    clearTimeout(this.#timer)
    await Promise.all(Array.from(this.#entries.keys(), (id) => this.#remove(id)))
    await this.start()
  }

  #add(entry: Entry): void {
    this.#entries.set(entry.result.id, entry)
    const { callerResults, callerBytes, results, bytes } = this.#limits
    const ofCaller = (): Entry[] => [...this.#entries.values()].filter(({ owner }) => owner === entry.owner)
    this.#makeRoom(ofCaller, { results: callerResults, bytes: callerBytes })
    this.#makeRoom(
      () => this.#ofLargestCaller(),
      { results, bytes },
      () => [...this.#entries.values()],
    )
    this.#timer ??= this.#sweepLater()
  }

  /** Removes the oldest of the candidates until all that are counted are within the limits. */
  #makeRoom(
    candidates: () => readonly Entry[],
    limits: { readonly results: number; readonly bytes: number },
    counted = candidates,
  ): void {
    for (let all = counted(); all.length > limits.results || sizeOf(all) > limits.bytes; all = counted()) {
      const [oldest] = candidates()
      if (oldest === undefined) return
      void this.#remove(oldest.result.id)
    }
  }

  /** A caller with many results must not remove those of the others. */
  #ofLargestCaller(): readonly Entry[] {
    const byOwner = Map.groupBy(this.#entries.values(), ({ owner }) => owner)
    return [...byOwner.values()].toSorted((one, other) => sizeOf(other) - sizeOf(one))[0] ?? []
  }

  #sweepLater(): NodeJS.Timeout {
    return setTimeout(() => {
      for (const { result, expiresAt } of this.#entries.values()) {
        if (expiresAt <= this.#parts.now()) void this.#remove(result.id)
      }
      this.#timer = this.#entries.size > 0 && !this.#isStopped ? this.#sweepLater() : undefined
    }, this.#limits.keptMs / 5).unref()
  }

  async #remove(id: string): Promise<void> {
    const entry = this.#entries.get(id)
    this.#entries.delete(id)
    await entry?.result.close()
  }
}

const keyOf = ({ tokenId, projectId }: ResultOwner): string => JSON.stringify([tokenId, projectId])
const sizeOf = (entries: readonly Entry[]): number => entries.reduce((sum, { bytes }) => sum + bytes, 0)

interface WritableBytes extends KeptBytes {
  readonly size: number
  write(bytes: Buffer): Promise<void>
}

async function kept(id: string, given: NewResult, bytes: WritableBytes): Promise<KeptResult> {
  const index = new TextIndex()
  const texts = given.texts.filter(({ bytes: length }) => length > 0)
  for (const [place, text] of texts.entries()) {
    if (place > 0) await write(index, bytes, Buffer.from('\n'))
    let isFirst = true
    for (const slice of text.slices()) {
      await write(index, bytes, slice, isFirst)
      isFirst = false
    }
  }
  const blocks: KeptBlock[] = []
  for (const { number, block } of given.blocks) {
    const start = bytes.size
    for (const piece of blockJson(block)) await bytes.write(piece)
    const { type, mimeType } = block
    const kind = typeof mimeType === 'string' ? { mimeType } : {}
    blocks.push({ number, type: String(type), ...kind, start, end: bytes.size })
  }
  const { toolKey, firstPageBytes, pageBytes } = given
  return new KeptResult({ id, toolKey, bytes, index, blocks, firstPageBytes, pageBytes })
}

async function write(index: TextIndex, bytes: WritableBytes, slice: Buffer, isFirst = false): Promise<void> {
  for (let at = 0; at < slice.length; at += SLICE) {
    const part = slice.subarray(at, at + SLICE)
    if (isFirst && at === 0) index.begin(part)
    else index.add(part)
    await bytes.write(part)
    await setImmediate()
  }
}

function* blockJson(block: ContentBlock): Generator<Buffer> {
  let before = '{'
  for (const [name, value] of Object.entries(block)) {
    if (value === undefined) continue
    yield Buffer.from(`${before}${JSON.stringify(name)}:`)
    if (value instanceof RawJson) yield* value.pieces
    else yield Buffer.from(JSON.stringify(value))
    before = ','
  }
  yield Buffer.from(before === '{' ? '{}' : '}')
}

class MemoryBytes implements WritableBytes {
  #pieces: Buffer[] = []
  size = 0

  write(bytes: Buffer): Promise<void> {
    // A copy: a slice would hold all of the reply.
    this.#pieces.push(Buffer.from(bytes))
    this.size += bytes.length
    return Promise.resolve()
  }

  read(from: number, to: number): Promise<Buffer> {
    if (this.#pieces.length > 1) this.#pieces = [Buffer.concat(this.#pieces)]
    return Promise.resolve(this.#pieces[0]?.subarray(from, to) ?? Buffer.alloc(0))
  }

  close(): Promise<void> {
    this.#pieces = []
    return Promise.resolve()
  }
}

class FileBytes implements WritableBytes {
  readonly #folder: string
  #file: Promise<FileHandle> | undefined
  #isClosed = false
  size = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  async write(bytes: Buffer): Promise<void> {
    this.#file ??= unnamedFile(this.#folder)
    const file = await this.#file
    let written = 0
    while (written < bytes.length) {
      const { bytesWritten } = await file.write(bytes, written, bytes.length - written, this.size + written)
      written += bytesWritten
    }
    this.size += bytes.length
  }

  async read(from: number, to: number): Promise<Buffer> {
    const length = Math.max(0, Math.min(to, this.size) - from)
    if (this.#file === undefined || this.#isClosed) return Buffer.alloc(0)
    const { buffer, bytesRead } = await (await this.#file).read(Buffer.allocUnsafe(length), 0, length, from)
    return buffer.subarray(0, bytesRead)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#file?.then((file) => file.close()).catch(() => undefined)
  }
}

/** A file without a name: it exists as long as it is open. */
async function unnamedFile(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, randomBytes(12).toString('hex'))
  const file = await open(path, 'wx+', 0o600)
  await rm(path)
  return file
}
