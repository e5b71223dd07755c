import type { Cancellation } from '../protocol/cancellation.ts'
import type { HeaderBlock } from './header-block.ts'
import { type HttpAnswer, HttpConnection } from './http-connection.ts'
import { brokenOff } from './malformed.ts'

/** One request as it goes out. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers: HeaderBlock
  readonly body?: string | undefined
  readonly cancellation?: Cancellation | undefined
}

/**
 * HTTP/1.1 over kept-open connections to one host without TLS, as little of it as talking to an MCP server needs. Node's
 * own client costs as much as all the rest of a call; whatever it alone can do still goes through it.
 */
export class HttpWire {
  readonly #host: string
  readonly #port: number
  readonly #common: string
  readonly #connections = new Set<HttpConnection>()
  #free: HttpConnection[] = []
  #isClosed = false

  constructor({ hostname, port, host }: URL) {
    this.#host = hostname.replace(/^\[|\]$/g, '')
    this.#port = Number(port === '' ? 80 : port)
    this.#common = ` HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  }

  /** Resolves with the answer once its head is there. @throws why it was cancelled, or the network's error */
  send(path: string, { method, headers, body, cancellation }: HttpRequest): Promise<HttpAnswer> {
    if (cancellation?.reason !== undefined) return Promise.reject(cancellation.reason)
    if (this.#isClosed) return Promise.reject(brokenOff())
    const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`
    const text = `${method} ${path}${this.#common}${headers.lines}${length}\r\n${body ?? ''}`
    return this.#connection().send(text, cancellation)
  }

  /** Breaks everything off. */
  close(): void {
    this.#isClosed = true
    for (const connection of this.#connections) connection.destroy(brokenOff())
  }

  /** The one that was used last is the least likely to be closed by the server. */
  #connection(): HttpConnection {
    for (let last = this.#free.pop(); last !== undefined; last = this.#free.pop()) {
      if (last.isFree) return last
      last.destroy(brokenOff())
    }
    const made = new HttpConnection(this.#host, this.#port, (connection) => this.#changed(connection))
    this.#connections.add(made)
    return made
  }

  #changed(connection: HttpConnection): void {
    if (!connection.isGone) {
      this.#free.push(connection)
      return
    }
    this.#connections.delete(connection)
    this.#free = this.#free.filter((each) => each !== connection)
  }
}
