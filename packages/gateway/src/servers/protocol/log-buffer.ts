import { cleanLines } from '@tooldex/http-kit/clean-text'
import { LineSplitter } from './line-splitter.ts'

/** One line that a server wrote, and when (epoch milliseconds). */
export interface LogLine {
  readonly at: number
  readonly line: string
}

/** How much is kept, and the clock. */
export interface LogBufferOptions {
  readonly now: () => number
  /** Default 500. */
  readonly maxLines?: number
  /** Default 4,096. */
  readonly maxLineBytes?: number
  /** Masks secrets: a server may repeat its command line. */
  readonly mask?: (line: string) => string
  /** Gets every line, too: the buffer of the whole server, beside that of one process. */
  readonly also?: LogBuffer
}

/** The latest lines of a server's output, safe to show in a terminal or a page. */
export class LogBuffer {
  readonly #now: () => number
  readonly #maxLines: number
  readonly #maxLineBytes: number
  readonly #mask: (line: string) => string
  readonly #also: LogBuffer | undefined
  readonly #splitter: LineSplitter
  /** A ring: once full, the oldest line is at `#next`. */
  readonly #lines: LogLine[] = []
  #next = 0

  constructor({ now, maxLines = 500, maxLineBytes = 4_096, mask = String, also }: LogBufferOptions) {
    this.#also = also
    this.#mask = mask
    this.#now = now
    this.#maxLines = maxLines
    this.#maxLineBytes = maxLineBytes
    this.#splitter = new LineSplitter(maxLineBytes, {
      line: (bytes) => this.add(bytes),
      overlong: () => this.#cut(),
    })
  }

  /** Adds bytes and keeps whole lines. */
  write(chunk: Buffer): void {
    const start = this.#startOfKept(chunk)
    if (start > 0) this.#splitter.end()
    this.#splitter.push(chunk.subarray(start))
  }

  /** Keeps a last line without a newline. */
  flush(): void {
    this.#splitter.end()
  }

  /** Keeps one line. Of a line that was overwritten with carriage returns, as progress bars do, the last state is kept. */
  add(bytes: Buffer | string): void {
    const text = typeof bytes === 'string' ? bytes : bytes.toString('utf8', 0, this.#maxLineBytes)
    const states = text.split('\r').map(withoutControls)
    const line = states.findLast((state) => state.trim() !== '')
    if (line === undefined) return
    this.#lines[this.#next] = { at: this.#now(), line: this.#mask(line.slice(0, this.#maxLineBytes)) }
    this.#next = (this.#next + 1) % this.#maxLines
    this.#also?.add(line)
  }

  /** Oldest first. */
  lines(): readonly LogLine[] {
    return [...this.#lines.slice(this.#next), ...this.#lines.slice(0, this.#next)]
  }

  /** The newest lines' text, oldest of them first. */
  last(count: number): readonly string[] {
    return this.lines()
      .slice(-count)
      .map(({ line }) => line)
  }

  /** Skips the lines of a chunk that would be dropped again at once. */
  #startOfKept(chunk: Buffer): number {
    let start = chunk.length
    for (let lines = 0; lines <= this.#maxLines && start > 0; ) {
      const previous = chunk.lastIndexOf('\n', start - 1)
      if (start - previous > 1) lines++
      start = previous
    }
    return start > 0 ? start + 1 : 0
  }

  #cut() {
    let head = Buffer.alloc(0)
    return {
      add: (piece: Buffer) => {
        const room = this.#maxLineBytes - head.length
        if (room > 0) head = Buffer.concat([head, piece.subarray(0, room)])
      },
      end: () => this.add(head),
    }
  }
}

/** Removes control characters and terminal sequences; tabs become spaces. */
export function withoutControls(text: string): string {
  return cleanLines(text).replaceAll('\n', '').replaceAll('\t', ' ')
}
