import { randomUUID } from 'node:crypto'
import { appendFile, mkdir, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { AuditBacklog, AuditEntry, AuditLog, ChainMark } from '../model/audit.ts'
import { CHAIN_START, linkAfter, storable } from './audit-chain.ts'

/** The file of the log and its limits. */
export interface JsonlAuditOptions {
  readonly path: string
  /** A file that would exceed this size is renamed to `audit.1.jsonl` and so on. */
  readonly maxBytes?: number
  /** How many renamed files are kept. */
  readonly keep?: number
  /** The most entries that wait for the disk; further ones are dropped and recorded as a gap. */
  readonly maxQueue?: number
  /** How long entries wait for a batch, in milliseconds. */
  readonly flushMs?: number
  readonly now?: () => number
  /** Called once when writing begins to fail, and again only after it worked in between. */
  readonly onProblem?: (error: unknown) => void
}

/** Appends entries to a file, one JSON line each, in batches and in the background. */
export class JsonlAuditLog implements AuditLog {
  readonly #options: Required<JsonlAuditOptions>
  /** Several processes may write to the file, each a chain of its own. */
  readonly #writer = randomUUID().slice(0, 8)
  #last: ChainMark = CHAIN_START
  #queue: AuditEntry[] = []
  /** Dropped entries that the file does not tell of yet. */
  #dropped = 0
  #lost = 0
  #size: number | undefined
  #failing = false
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(options: JsonlAuditOptions) {
    this.#options = {
      maxBytes: 64 * 1024 * 1024,
      keep: 4,
      maxQueue: 10_000,
      flushMs: 200,
      now: Date.now,
      onProblem: () => {},
      ...options,
    }
  }

  record(entry: AuditEntry): void {
    if (this.#queue.length >= this.#options.maxQueue) {
      this.#drop(1)
      return
    }
    this.#queue.push(withoutQueries(entry))
    this.#schedule()
  }

  /** Writes the waiting entries. Never throws: a full or missing disk fails no request. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  /** Writes the waiting entries and schedules no further writes. */
  async stop(): Promise<void> {
    await this.flush()
    clearTimeout(this.#timer)
  }

  backlog(): AuditBacklog {
    return { waiting: this.#queue.length, lost: this.#lost }
  }

  #drop(count: number): void {
    this.#dropped += count
    this.#lost += count
  }

  #schedule(): void {
    if (this.#timer !== undefined) return
    this.#timer = setTimeout(() => void this.flush(), this.#options.flushMs)
    this.#timer.unref()
  }

  async #write(): Promise<void> {
    if (this.#queue.length === 0 && this.#dropped === 0) return
    const [entries, dropped, last] = [this.#queue, this.#dropped, this.#last]
    const lines = entries.map((entry) => this.#line(storable(entry)))
    const gap = dropped === 0 ? [] : [`${JSON.stringify({ kind: 'gap', at: this.#options.now(), dropped })}\n`]
    this.#queue = []
    try {
      await this.#append([...lines, ...gap])
      this.#dropped -= dropped
      this.#failing = false
    } catch (error) {
      this.#last = last
      this.#keepForLater(entries)
      if (!this.#failing) this.#options.onProblem(error)
      this.#failing = true
    }
  }

  #line(entry: AuditEntry): string {
    this.#last = linkAfter(this.#last, entry)
    return `${JSON.stringify({ ...entry, chain: { writer: this.#writer, ...this.#last } })}\n`
  }

  #keepForLater(entries: readonly AuditEntry[]): void {
    const all = [...entries, ...this.#queue]
    this.#queue = all.slice(0, this.#options.maxQueue)
    this.#drop(all.length - this.#queue.length)
    this.#schedule()
  }

  async #append(lines: readonly string[]): Promise<void> {
    const { path, maxBytes } = this.#options
    const text = lines.join('')
    const bytes = Buffer.byteLength(text)
    this.#size ??= await this.#open()
    if (this.#size > 0 && this.#size + bytes > maxBytes) {
      await this.#rotate()
      this.#size = 0
    }
    // Unknown until the write is done, because a failed one may have written a part.
    const size: number = this.#size
    this.#size = undefined
    await appendFile(path, text, { mode: 0o600 })
    this.#size = size + bytes
  }

  /** The size of the file. Creates its folder if necessary. */
  async #open(): Promise<number> {
    await mkdir(dirname(this.#options.path), { recursive: true, mode: 0o700 })
    return stat(this.#options.path).then(
      ({ size }) => size,
      (error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return 0
        throw error
      },
    )
  }

  async #rotate(): Promise<void> {
    const { path, keep } = this.#options
    const numbered = (number: number): string =>
      number === 0 ? path : path.replace(/(\.[^./]*)?$/, (extension) => `.${number}${extension}`)
    for (let number = keep - 1; number >= 0; number--) {
      await rename(numbered(number), numbered(number + 1)).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error
      })
    }
  }
}

/** Nothing removes the texts of searches from a file in time, so it has none. */
function withoutQueries(entry: AuditEntry): AuditEntry {
  if (entry.kind !== 'search') return entry
  const { queries: _, ...rest } = entry
  return rest
}
