import { Readable } from 'node:stream'
import { type CutWatch, limitEvents } from './reply-limit.ts'

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

/** What an answer begins with, and where its body is. */
export interface HttpMessage {
  readonly statusCode: number
  readonly statusMessage: string
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The whole of it, or what is still to come. */
  readonly body: Buffer | Readable
}

/** An HTTP answer with as much of the `Response` interface as the SDK uses, at a fraction of its price. */
export class HttpReply {
  readonly status: number
  readonly statusText: string
  readonly ok: boolean
  readonly url: string
  readonly type = 'default'
  readonly redirected = false
  readonly #message: HttpMessage
  readonly #maxBytes: number
  readonly #watch: CutWatch
  #body: ReadableStream<Uint8Array> | undefined

  constructor(message: HttpMessage, url: string, maxBytes: number, watch: CutWatch) {
    const { statusCode, statusMessage } = message
    this.status = statusCode
    this.statusText = statusMessage
    this.ok = statusCode >= 200 && statusCode < 300
    this.url = url
    this.#message = message
    this.#maxBytes = this.ok ? maxBytes : Math.min(maxBytes, ERROR_BODY_BYTES)
    this.#watch = watch
  }

  get headers(): { get(name: string): string | null; has(name: string): boolean } {
    const { headers } = this.#message
    const get = (name: string): string | null => {
      const value = headers[name.toLowerCase()]
      return typeof value === 'object' ? value.join(', ') : (value ?? null)
    }
    return { get, has: (name) => get(name) !== null }
  }

  /** Whether the body is one JSON text. */
  get isJson(): boolean {
    return /^application\/json\s*(?:;|$)/i.test(String(this.#message.headers['content-type']))
  }

  /** For event streams, which are read as they come. */
  get body(): ReadableStream<Uint8Array> {
    const { body } = this.#message
    const readable = Buffer.isBuffer(body) ? Readable.from([body]) : body
    const stream = () => Readable.toWeb(readable) as ReadableStream<Uint8Array>
    this.#body ??= stream().pipeThrough(limitEvents(this.#maxBytes, this.#watch))
    return this.#body
  }

  /** @throws BodyTooLarge */
  async text(): Promise<string> {
    const { body } = this.#message
    if (!Buffer.isBuffer(body)) return readText(body, this.#maxBytes)
    if (body.length > this.#maxBytes) throw new BodyTooLarge(this.#maxBytes)
    return body.toString()
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text())
  }
}

function readText(body: Readable, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let bytes = 0
    body.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > maxBytes) body.destroy(new BodyTooLarge(maxBytes))
      else chunks.push(chunk)
    })
    body.once('error', reject)
    body.once('end', () => resolve(Buffer.concat(chunks).toString()))
  })
}
