import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { isRecord } from '@tooldex/http-kit/json'
import type { HttpTransport } from '../../model/server.ts'
import { Cancellation } from '../protocol/cancellation.ts'
import { HttpStatusError, networkReason, type ServerLabel, tooLarge } from '../protocol/errors.ts'
import { messageCost } from '../protocol/output-throttle.ts'
import { failureMessage, type ServerSendOptions, type ServerTransport } from '../protocol/server-transport.ts'
import { EventReader, type StreamEvent } from './event-reader.ts'
import { accepting, EVENTS, fixedHeaders, type Headers, JSON_TYPE, mediaType, unexpectedContent } from './headers.ts'
import { readRefusal } from './http-body.ts'
import { HttpClient, type HttpParts } from './http-client.ts'
import { brokenOff, type HttpAnswer } from './http-exchange.ts'

/**
 * The old HTTP+SSE transport: the server sends everything on one stream, whose first event names the URL that takes our
 * messages. When the stream breaks, its session is gone.
 */
export class SseTransport implements ServerTransport {
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  onmessage: Transport['onmessage']
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  readonly #server: ServerLabel
  readonly #url: URL
  readonly #client: HttpClient
  readonly #maxReplyBytes: number
  readonly #endpoint = Promise.withResolvers<URL>()
  #headers: Headers
  #isClosed = false

  constructor(server: ServerLabel, transport: HttpTransport, { dispatcher, credentials, maxReplyBytes }: HttpParts) {
    this.#server = server
    this.#url = new URL(transport.url)
    this.#maxReplyBytes = maxReplyBytes
    this.#headers = fixedHeaders(transport.headers)
    const onUnreachable = (error: unknown): void => this.#unreachable(error)
    this.#client = new HttpClient({ dispatcher, url: this.#url, credentials, onUnreachable })
    // `start` and `send` see the rejection; without them it must not end the process.
    this.#endpoint.promise.catch(() => {})
  }

  setProtocolVersion(version: string): void {
    this.#headers = { ...this.#headers, 'mcp-protocol-version': version }
  }

  /** Opens the stream. @throws HttpStatusError, SdkError for another content type, or the network error */
  async start(): Promise<void> {
    const headers = { ...this.#headers, accept: accepting(this.#headers, EVENTS) }
    const answer = await this.#client.send({ method: 'GET', headers })
    await this.#checkStatus(answer)
    if (mediaType(answer) !== EVENTS) throw unexpectedContent(answer)
    const events = new EventReader(this.#maxReplyBytes, {
      event: (event) => {
        const method = this.#received(event)
        if (method !== undefined) answer.body.slowDown(messageCost(method))
      },
      skipped: ({ keys, id }) => {
        const isReply = id !== undefined && !keys.has('method')
        if (isReply) this.onmessage?.(failureMessage(id, tooLarge(this.#server, this.#maxReplyBytes)))
      },
    })
    answer.body.read({ data: (piece) => events.add(piece), end: () => this.#streamEnded() })
    await this.#endpoint.promise
  }

  /** @throws HttpStatusError for a refused message, or the network error */
  async send(message: JSONRPCMessage, { cancellation, requestSignal }: ServerSendOptions = {}): Promise<void> {
    const endpoint = await this.#endpoint.promise
    const answer = await this.#client.send(
      {
        method: 'POST',
        headers: { ...this.#headers, 'content-type': JSON_TYPE },
        body: JSON.stringify(message),
        cancellation: cancellation ?? (requestSignal && Cancellation.by(requestSignal)),
      },
      endpoint,
    )
    await this.#checkStatus(answer)
    await readRefusal(answer.body, this.#maxReplyBytes)
  }

  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#endpoint.reject(brokenOff())
    this.#client.close()
    this.onclose?.()
  }

  async #checkStatus({ status, body }: HttpAnswer): Promise<void> {
    if (status >= 200 && status <= 299) return
    await readRefusal(body, this.#maxReplyBytes)
    throw new HttpStatusError(status)
  }

  /** @returns the method of a message that the server sent on its own account */
  #received({ type, data, reply }: StreamEvent): unknown {
    try {
      if (type === 'endpoint') this.#setEndpoint(data)
      const message: unknown = type === 'message' ? (reply ?? JSON.parse(data)) : undefined
      if (!isRecord(message)) return undefined
      this.onmessage?.(message as unknown as JSONRPCMessage)
      return message['method']
    } catch (error) {
      this.onerror?.(error as Error)
      return undefined
    }
  }

  /** The endpoint gets our headers, so it has to be on the server's own origin. */
  #setEndpoint(text: string): void {
    const endpoint = URL.canParse(text, this.#url.href) ? new URL(text, this.#url) : undefined
    if (endpoint?.origin === this.#url.origin) return this.#endpoint.resolve(endpoint)
    this.#endpoint.reject(new Error('It names an endpoint on another origin'))
  }

  #streamEnded(): void {
    if (this.#isClosed) return
    this.closeReason ??= 'broke its event stream off'
    void this.close()
  }

  #unreachable(error: unknown): void {
    if (this.#isClosed) return
    this.closeReason = networkReason(error) ?? 'cannot be reached'
    this.onlost?.(this.closeReason)
  }
}
