import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/**
 * A TCP proxy that can be blocked: it cuts its connections and refuses new ones. It can also behave like a pooler that passes
 * on no notifications.
 */
export class TcpProxy {
  readonly url: string
  readonly #server: Server
  readonly #port: number
  readonly #open = new Set<Socket>()
  readonly #withoutNotifications: boolean
  #isBlocked = false

  constructor(url: URL, server: Server, withoutNotifications = false) {
    this.#withoutNotifications = withoutNotifications
    this.#server = server
    const target = { host: url.hostname, port: Number(url.port) }
    const { port } = server.address() as AddressInfo
    this.#port = port
    const own = new URL(url)
    own.port = String(this.#port)
    this.url = own.href
    server.on('connection', (near) => this.#pass(near, connect(target)))
  }

  static async to(url: string, { withoutNotifications = false } = {}): Promise<TcpProxy> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new TcpProxy(new URL(url), server, withoutNotifications)
  }

  block(): void {
    this.#isBlocked = true
    for (const socket of this.#open) socket.destroy()
  }

  open(): void {
    this.#isBlocked = false
  }

  async close(): Promise<void> {
    this.block()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #pass(near: Socket, far: Socket): void {
    for (const socket of [near, far]) {
      this.#open.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        this.#open.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    if (this.#isBlocked) near.destroy()
    else {
      near.pipe(far)
      if (this.#withoutNotifications) passWithoutNotifications(far, near)
      else far.pipe(near)
    }
  }
}

/** Messages of PostgreSQL begin with a letter, `A` for a notification, and their length. */
function passWithoutNotifications(from: Socket, to: Socket): void {
  let kept = Buffer.alloc(0)
  from.on('data', (part) => {
    kept = Buffer.concat([kept, part as Buffer])
    while (kept.length >= 5 && kept.length >= kept.readUInt32BE(1) + 1) {
      const end = kept.readUInt32BE(1) + 1
      if (kept[0] !== 'A'.charCodeAt(0)) to.write(kept.subarray(0, end))
      kept = kept.subarray(end)
    }
  })
}
