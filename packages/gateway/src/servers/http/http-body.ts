import { LARGE_REPLY, LargeReply } from '../protocol/large-reply.ts'
import { OutputThrottle } from '../protocol/output-throttle.ts'
import { BodyTooLarge } from '../protocol/errors.ts'

/** Takes a body as it arrives. */
export interface BodyReader {
  data(piece: Buffer): void
  /** The body is complete; with an error if it was cut off. */
  end(error?: Error): void
}

interface Flow {
  pause(): void
  resume(): void
}

const ENDLESS: Flow = { pause: () => {}, resume: () => {} }

/**
 * The body of a response. Pieces that arrive before there is a reader are kept for it. A reader works synchronously and
 * bounds what it keeps; only messages that answer nothing slow the server down.
 */
export class HttpBody {
  readonly #cancel: () => void
  readonly #flow: Flow
  #gate: OutputThrottle | undefined
  #reader: BodyReader | undefined
  #kept: Buffer[] = []
  #isOver = false
  #error: Error | undefined

  /** @param cancel ends the rest of the response */
  constructor(cancel: () => void, flow: Flow = ENDLESS) {
    this.#cancel = cancel
    this.#flow = flow
  }

  push(piece: Buffer): void {
    if (this.#isOver) return
    if (this.#reader === undefined) this.#kept.push(piece)
    else this.#reader.data(piece)
  }

  /** Counts a message that the server sent on its own account; a server that sends many has to wait. */
  slowDown(cost: number): void {
    if (this.#isOver) return
    this.#gate ??= new OutputThrottle({
      pause: () => this.#flow.pause(),
      resume: () => {
        if (!this.#isOver) this.#flow.resume()
      },
    })
    this.#gate.spend(cost)
  }

  /** No more pieces will arrive. */
  finish(error?: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#error = error
    this.#reader?.end(error)
  }

  /** Hands the body to its only reader. */
  read(reader: BodyReader): void {
    const kept = this.#kept
    this.#kept = []
    this.#reader = reader
    for (const piece of kept) if (this.#reader === reader) reader.data(piece)
    if (this.#isOver && this.#reader === reader) reader.end(this.#error)
  }

  /** Drops the rest; the reader is not called again. */
  cancel(): void {
    this.#reader = undefined
    this.#kept = []
    if (this.#isOver) return
    this.#isOver = true
    this.#cancel()
  }
}

/** The longest error body that is read. */
const ERROR_BODY_BYTES = 65_536

/** Reads the body of an error response; an empty text if it is too long or was cut off. */
export function readRefusal(body: HttpBody, maxBytes: number): Promise<string> {
  return readText(body, Math.min(maxBytes, ERROR_BODY_BYTES)).catch(() => '')
}

/** Reads a whole body. @throws BodyTooLarge, or the error that cut it off */
export async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  return textOf(await readPieces(body, maxBytes))
}

/**
 * Reads a body of JSON. The content of a large reply is checked as it arrives and left raw.
 * @throws like readText, or SyntaxError
 */
export async function readJson(body: HttpBody, maxBytes: number): Promise<unknown> {
  let reply: LargeReply | undefined
  const watch = (piece: Buffer, pieces: readonly Buffer[], bytes: number): void => {
    if (bytes <= LARGE_REPLY) return
    for (const each of reply === undefined ? pieces : [piece]) (reply ??= new LargeReply()).add(each)
  }
  const pieces = await readPieces(body, maxBytes, watch)
  return reply?.message(pieces) ?? JSON.parse(textOf(pieces))
}

type PieceWatch = (piece: Buffer, pieces: readonly Buffer[], bytes: number) => void

function readPieces(body: HttpBody, maxBytes: number, watch?: PieceWatch): Promise<readonly Buffer[]> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    body.read({
      data: (piece) => {
        bytes += piece.length
        if (bytes > maxBytes) {
          body.cancel()
          reject(new BodyTooLarge(maxBytes))
          return
        }
        pieces.push(piece)
        watch?.(piece, pieces, bytes)
      },
      end: (error) => (error === undefined ? resolve(pieces) : reject(error)),
    })
  })
}

function textOf(pieces: readonly Buffer[]): string {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only.toString() : Buffer.concat(pieces).toString()
}
