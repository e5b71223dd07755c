import { BodyTooLarge } from '../http-reply.ts'
import type { HttpBody } from './http-body.ts'

/** Of an answer that is an error nobody reads more than this. */
const ERROR_BODY_BYTES = 65_536

/** The whole of a body. @throws BodyTooLarge, or what broke it off */
export function readText(body: HttpBody, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    let bytes = 0
    body.read({
      data: (piece) => {
        bytes += piece.length
        if (bytes <= maxBytes) {
          pieces.push(piece)
          return
        }
        body.cancel()
        reject(new BodyTooLarge(maxBytes))
      },
      end: (error) => {
        if (error !== undefined) reject(error)
        else if (bytes <= maxBytes) resolve(textOf(pieces))
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
