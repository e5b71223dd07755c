import { connect, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

const OPENED_AT_ONCE = 10
const PAUSE_MS = 5

const head = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 60000\r\n\r\n`

/** The bytes of each connection, in turn: nothing, half a head of two kinds, half a body at either endpoint. */
const SENT: readonly string[] = [
  '',
  'POST /open/mcp HTTP/1.1\r\nHost: local',
  'GET /healthz HTTP/1.1\r\n',
  `${head('/guarded/mcp')}${'x'.repeat(20_000)}`,
  `${head('/open/mcp')}${'x'.repeat(20_000)}`,
]

/** Connections that never send a whole request. */
export class Flood implements Disposable {
  readonly #sockets: Socket[] = []
  #closed = 0
  readonly #replies = new Map<string, number>()

  /** Connections that the other side closed. */
  get closed(): number {
    return this.#closed
  }

  /** Replies by status. */
  get replies(): ReadonlyMap<string, number> {
    return this.#replies
  }

  /** Opens a number of connections. Resolves once all are open. */
  async open(url: string, count: number): Promise<void> {
    const port = Number(new URL(url).port)
    for (let index = 0; index < count; index++) {
      this.#openOne(port, SENT[index % SENT.length] ?? '')
      if (index % OPENED_AT_ONCE === 0) await delay(PAUSE_MS)
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #openOne(port: number, text: string): void {
    const socket = connect(port, '127.0.0.1')
    this.#sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => this.#closed++)
    socket.once('data', (reply) => {
      const status = reply.toString('latin1', 9, 12)
      this.#replies.set(status, (this.#replies.get(status) ?? 0) + 1)
    })
    if (text !== '') socket.write(text)
  }
}
