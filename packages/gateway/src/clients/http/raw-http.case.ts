// HTTP as bytes, for tests that control every byte of a request.

import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'

/** Headers by name. */
export type Headers = Readonly<Record<string, string>>

/** A request with a body, as it is sent. */
export const asBytes = (path: string, headers: Headers, body: string, method = 'POST'): Buffer =>
  Buffer.from(
    [
      `${method} ${path} HTTP/1.1`,
      'Host: localhost',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      `Content-Length: ${Buffer.byteLength(body)}`,
      '',
      body,
    ].join('\r\n'),
  )

/** Sends the pieces one after another and reads so many answers, or all until the connection ends. */
export function sendPieces(port: number, pieces: readonly Buffer[], answers = 1): Promise<string> {
  return new Promise((resolve) => {
    let reply = ''
    const socket = connect(port, '127.0.0.1', () => void write())
    const write = async (): Promise<void> => {
      socket.setNoDelay(true)
      for (const piece of pieces) {
        socket.write(piece)
        // Both ends live in this process: some turns later the other one has read it.
        for (let turn = 0; turn < 4; turn++) await nextTurn()
      }
    }
    socket.on('data', (chunk: Buffer) => {
      reply += chunk.toString('latin1')
      if (answersIn(reply) >= answers) socket.destroy()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(reply))
  })
}

function answersIn(reply: string): number {
  const end = reply.indexOf('\r\n\r\n')
  if (end < 0) return 0
  const head = reply.slice(0, end)
  const length = /^content-length: (\d+)$/im.exec(head)?.[1]
  const begin = end + 4
  if (head.startsWith('HTTP/1.1 100 ')) return answersIn(reply.slice(begin))
  if (length !== undefined) {
    const whole = begin + Number(length)
    return reply.length < whole ? 0 : 1 + answersIn(reply.slice(whole))
  }
  if (!/^transfer-encoding: chunked$/im.test(head)) return 0
  const last = reply.indexOf('0\r\n\r\n', begin)
  return last < 0 ? 0 : 1 + answersIn(reply.slice(last + 5))
}
