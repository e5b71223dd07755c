import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { type CutWatch, limitEvents } from '../protocol/reply-limit.ts'

/** A body that grew over its limit. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge'
  readonly maxBytes: number

  constructor(maxBytes: number) {
    super(`The body is larger than ${maxBytes} bytes`)
    this.maxBytes = maxBytes
  }
}

/** Of an answer that is an error nobody reads more than this. */
const ERROR_BODY_BYTES = 65_536

/** An HTTP answer with as much of the `Response` interface as the SDK uses, at a fraction of its price. */
export class HttpReply {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly url: string
  readonly type = 'default'
  readonly redirected = false
  readonly headers: { get(name: string): string | null; has(name: string): boolean }
  readonly #message: IncomingMessage
  readonly #maxBytes: number
  readonly #watch: CutWatch
  #body: ReadableStream<Uint8Array> | undefined

  constructor(message: IncomingMessage, url: string, maxBytes: number, watch: CutWatch) {
    const { statusCode = 0, statusMessage = '', headers } = message
    const get = (name: string): string | null => {
      const value = headers[name.toLowerCase()]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    }
    this.status = statusCode
    this.statusText = statusMessage
    this.ok = statusCode >= 200 && statusCode < 300
    this.url = url
    this.headers = { get, has: (name) => get(name) !== null }
    this.#message = message
    this.#maxBytes = this.ok ? maxBytes : Math.min(maxBytes, ERROR_BODY_BYTES)
    this.#watch = watch
  }

  /** For event streams, which are read as they come. */
  get body(): ReadableStream<Uint8Array> {
    const stream = () => Readable.toWeb(this.#message) as ReadableStream<Uint8Array>
    this.#body ??= stream().pipeThrough(limitEvents(this.#maxBytes, this.#watch))
    return this.#body
  }

  /** @throws BodyTooLarge */
  async text(): Promise<string> {
    const chunks: Buffer[] = []
    let bytes = 0
    for await (const chunk of this.#message as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > this.#maxBytes) throw new BodyTooLarge(this.#maxBytes)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks).toString('utf8')
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}
