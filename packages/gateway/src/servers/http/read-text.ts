import { BodyTooLarge } from './http-reply.ts'
import { LARGE_REPLY, LargeReply } from '../protocol/large-reply.ts'
import type { HttpBody } from './http-body.ts'

/** Of an answer that is an error nobody reads more than this. */
const ERROR_BODY_BYTES = 65_536

/** The whole of a body. @throws BodyTooLarge, or what broke it off */
export async function readText(body: HttpBody, maxBytes: number): Promise<string> {
  return textOf(await readPieces(body, maxBytes))
}

/**
 * The JSON of a body, at once where all of it is there; the content of a large reply is checked as it comes and left raw.
 * @throws like readText, or SyntaxError
 */
export function readJson(body: HttpBody, maxBytes: number): unknown {
  const whole = body.takeWhole()
  return whole === undefined ? readAsItComes(body, maxBytes) : jsonOf(whole, maxBytes)
}

function jsonOf(whole: Buffer, maxBytes: number): unknown {
  if (whole.length > maxBytes) throw new BodyTooLarge(maxBytes)
  if (whole.length <= LARGE_REPLY) return JSON.parse(whole.toString())
  const reply = new LargeReply()
  reply.add(whole)
  return reply.message([whole]) ?? JSON.parse(whole.toString())
}

async function readAsItComes(body: HttpBody, maxBytes: number): Promise<unknown> {
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
        if (bytes <= maxBytes) {
          pieces.push(piece)
          watch?.(piece, pieces, bytes)
          return
        }
        body.cancel()
        reject(new BodyTooLarge(maxBytes))
      },
      end: (error) => {
        if (error !== undefined) reject(error)
        else if (bytes <= maxBytes) resolve(pieces)
      },
    })
  })
}

/** What an answer that is an error says; as much of it as anybody reads, and nothing where it cannot be read. */
export function readRefusal(body: HttpBody, maxBytes: number): Promise<string> {
  return readText(body, Math.min(maxBytes, ERROR_BODY_BYTES)).catch(() => '')
}

function textOf(pieces: readonly Buffer[]): string {
  const [only] = pieces
  return pieces.length === 1 && only !== undefined ? only.toString() : Buffer.concat(pieces).toString()
}
