import { HttpConnection, type WireAnswer } from './http-connection.ts'

const UNSAFE_VALUE = /[^\t\x20-\x7e]/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** What a POST carries. */
export interface WirePost {
  /** Plain ones, see below. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly signal?: AbortSignal | undefined
}

/**
 * HTTP/1.1 over kept-open connections to one address without TLS, as little of it as calls need. Node's own client costs
 * as much as all the rest of a call; whatever it alone can do still goes through it.
 */
export class HttpWire {
  readonly #host: string
  readonly #port: number
  readonly #start: string
  readonly #connections = new Set<HttpConnection>()
  #free: HttpConnection[] = []
  #isClosed = false

  constructor({ hostname, port, host, pathname, search }: URL) {
    this.#host = hostname.replace(/^\[|\]$/g, '')
    this.#port = Number(port === '' ? 80 : port)
    this.#start = `POST ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\nconnection: keep-alive\r\n`
  }

  /** Resolves with the head of the answer. @throws the signal's reason, or the network's error */
  async post({ headers, body, signal }: WirePost): Promise<WireAnswer> {
    signal?.throwIfAborted()
    const request = `${this.#start}${headerLines(headers)}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
    const connection = this.#connection()
    if (signal === undefined) return connection.send(request)
    const onAbort = (): void => connection.destroy(signal.reason as Error)
    signal.addEventListener('abort', onAbort, { once: true })
    const answer = await connection.send(request).catch((error: unknown) => {
      signal.removeEventListener('abort', onAbort)
      throw error
    })
    if (Buffer.isBuffer(answer.body)) signal.removeEventListener('abort', onAbort)
    else answer.body.once('close', () => signal.removeEventListener('abort', onAbort))
    return answer
  }

  /** Breaks everything off. */
  close(): void {
    this.#isClosed = true
    const reason = Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
    for (const connection of this.#connections) connection.destroy(reason)
  }

  /** The one that was used last is the least likely to be closed by the server. */
  #connection(): HttpConnection {
    if (this.#isClosed) throw Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
    for (let last = this.#free.pop(); last !== undefined; last = this.#free.pop()) {
      if (last.isFree) return last
      last.destroy(new Error('Not used in time'))
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

/** Whether headers are of the plain kind that this client sends. */
export function arePlainHeaders(headers: Readonly<Record<string, string>>): boolean {
  for (const name in headers) {
    if (!TOKEN.test(name) || UNSAFE_VALUE.test(headers[name] ?? '')) return false
  }
  return true
}

function headerLines(headers: Readonly<Record<string, string>>): string {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
}
