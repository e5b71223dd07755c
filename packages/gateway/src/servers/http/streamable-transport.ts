import { type JSONRPCMessage, SdkErrorCode, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import { Cancellation } from '../protocol/cancellation.ts'
import { isRecord, parseJson } from '@tooldex/http-kit/json'
import type { HttpTransport } from '../../model/server.ts'
import { networkReason, type ServerLabel, tooLarge } from '../protocol/errors.ts'
import { failureMessage, type ServerSendOptions, type ServerTransport } from '../protocol/server-transport.ts'
import { HttpClient, type HttpParts } from './http-client.ts'
import { headerOf, type HttpAnswer } from './http-exchange.ts'
import { MessageStreams } from './message-streams.ts'
import { readJson, readRefusal } from './http-body.ts'
import {
  accepting,
  addedHeaders,
  bodyHeaders,
  EVENTS,
  fixedHeaders,
  type Headers,
  JSON_TYPE,
  mediaType,
  unexpectedContent,
} from './headers.ts'

/** How long a server may take to end its session when we close. */
const END_SESSION_MS = 500

/**
 * Streamable HTTP, both eras: every message is a POST, answered with JSON or with a stream of events; a server with sessions
 * may have one more stream for its own requests and notifications. Refusals are the SDK's errors, by which its client
 * detects the era.
 */
export class StreamableTransport implements ServerTransport {
  readonly hasPerRequestStream = true
  onclose: Transport['onclose']
  onerror: Transport['onerror']
  onmessage: Transport['onmessage']
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  listening: Promise<void> | undefined
  readonly #server: ServerLabel
  readonly #client: HttpClient
  readonly #maxReplyBytes: number
  readonly #fixed: Headers
  readonly #streams: MessageStreams
  #protocolVersion: string | undefined
  #sessionId: string | undefined
  #posting: Headers
  #reading: Headers
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(server: ServerLabel, transport: HttpTransport, { dispatcher, credentials, maxReplyBytes }: HttpParts) {
    this.#server = server
    this.#maxReplyBytes = maxReplyBytes
    this.#fixed = this.#posting = this.#reading = fixedHeaders(transport.headers)
    const onUnreachable = (error: unknown): void => this.#unreachable(error)
    this.#client = new HttpClient({ dispatcher, url: new URL(transport.url), credentials, onUnreachable })
    this.#renewHeaders()
    this.#streams = new MessageStreams(maxReplyBytes, {
      message: (message) => this.onmessage?.(message),
      tooLarge: (id) => this.#tooLarge(id),
      failed: (error) => this.onerror?.(error),
      open: (lastEventId, cancellation) => this.#get(lastEventId, cancellation),
    })
  }

  /** The server's id of our session, if it has one. */
  get sessionId(): string | undefined {
    return this.#sessionId
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version
    this.#renewHeaders()
  }

  /** @throws SdkHttpError for a refusal, BodyTooLarge, or the network error */
  send(message: JSONRPCMessage, options: ServerSendOptions = {}): Promise<void> {
    const { requestSignal } = options
    return this.#post(
      message,
      requestSignal === undefined ? options : { ...options, cancellation: Cancellation.by(requestSignal) },
    )
  }

  close(): Promise<void> {
    this.#closing ??= this.#endSession()
    return this.#closing
  }

  async #post(message: JSONRPCMessage, options: ServerSendOptions): Promise<void> {
    const method = 'method' in message ? message.method : undefined
    const requestId = method !== undefined && 'id' in message ? message.id : undefined
    const { cancellation } = options
    if (method === 'initialize') this.#setSession(undefined)
    try {
      const headers = this.#headersFor(message, options)
      const answer = await this.#client.send({ method: 'POST', headers, body: JSON.stringify(message), cancellation })
      if (answer.status < 200 || answer.status > 299) return await this.#refused(message, answer)
      if (method === 'initialize') this.#setSession(headerOf(answer, 'mcp-session-id'))
      if (requestId !== undefined && answer.status !== 202) {
        return await this.#answered(requestId, answer, options)
      }
      await readRefusal(answer.body, this.#maxReplyBytes)
      if (method === 'notifications/initialized' && answer.status === 202) this.#listen()
    } catch (error) {
      if (cancellation?.isCancelled !== true) this.onerror?.(error as Error)
      throw error
    }
  }

  async #answered(id: string | number, answer: HttpAnswer, options: ServerSendOptions): Promise<void> {
    const type = mediaType(answer)
    if (type === EVENTS) return this.#streams.read(answer.body, { id, options })
    if (type !== JSON_TYPE) throw unexpectedContent(answer)
    this.#deliver(await readJson(answer.body, this.#maxReplyBytes), options)
  }

  #deliver(received: unknown, { onRequestStreamEnd }: ServerSendOptions): void {
    for (const each of Array.isArray(received) ? received : [received]) {
      if (isRecord(each)) this.onmessage?.(each as unknown as JSONRPCMessage)
    }
    // A reply that was not among them will not arrive any more.
    onRequestStreamEnd?.()
  }

  /** A refusal of 2026-07-28 is a JSON-RPC error in the body. @throws SdkHttpError for any other */
  async #refused(message: JSONRPCMessage, { status, statusText, body }: HttpAnswer): Promise<void> {
    const text = await readRefusal(body, this.#maxReplyBytes)
    const reply = status === 400 && bodyHeaders(message) !== undefined ? parseJson(text) : undefined
    if (isRecord(reply) && isRecord(reply['error']) && 'id' in message && reply['id'] === message.id) {
      this.onmessage?.(reply as unknown as JSONRPCMessage)
      return
    }
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
      status,
      statusText,
      text,
    })
  }

  /** Opens the stream for the server's own messages, if it has one. */
  #listen(): void {
    this.listening = this.#get(undefined).then(
      (answer) => answer && this.#streams.read(answer.body, { id: undefined, options: {} }),
      (error: Error) => this.onerror?.(error),
    )
  }

  /** @returns undefined if the server has no such stream. @throws SdkHttpError, or the network error */
  async #get(lastEventId: string | undefined, cancellation?: Cancellation): Promise<HttpAnswer | undefined> {
    const headers = lastEventId === undefined ? this.#reading : { ...this.#reading, 'last-event-id': lastEventId }
    const answer = await this.#client.send({ method: 'GET', headers, cancellation })
    const { status, statusText } = answer
    const isOk = status >= 200 && status <= 299
    if (isOk && mediaType(answer) === EVENTS) return answer
    answer.body.cancel()
    if (isOk || status === 405) return undefined
    throw new SdkHttpError(SdkErrorCode.ClientHttpFailedToOpenStream, `Failed to open SSE stream: ${statusText}`, {
      status,
      statusText,
    })
  }

  #unreachable(error: unknown): void {
    if (this.#isClosed) return
    this.closeReason = networkReason(error) ?? 'cannot be reached'
    this.onlost?.(this.closeReason)
  }

  #tooLarge(id: string | number): void {
    this.onmessage?.(failureMessage(id, tooLarge(this.#server, this.#maxReplyBytes)))
  }

  #setSession(id: string | undefined): void {
    this.#sessionId = id
    this.#renewHeaders()
  }

  /** Builds the headers that all messages share, once per change instead of once per message. */
  #renewHeaders(): void {
    const fixed: Record<string, string> = { ...this.#fixed }
    if (this.#sessionId !== undefined) fixed['mcp-session-id'] = this.#sessionId
    if (this.#protocolVersion !== undefined) fixed['mcp-protocol-version'] = this.#protocolVersion
    const accept = accepting(fixed, JSON_TYPE, EVENTS)
    this.#posting = { ...fixed, 'content-type': JSON_TYPE, accept }
    this.#reading = { ...fixed, accept: accepting(fixed, EVENTS) }
  }

  #headersFor(message: JSONRPCMessage, { headers }: ServerSendOptions): Headers {
    const repeated = bodyHeaders(message)
    if (repeated === undefined && headers === undefined) return this.#posting
    return { ...this.#posting, ...repeated, ...addedHeaders(headers ?? {}) }
  }

  /** Ends the session of the older eras; does not wait for a server that hangs. */
  async #endSession(): Promise<void> {
    this.#isClosed = true
    this.#streams.close()
    if (this.sessionId !== undefined) {
      const deleted = this.#client.send({ method: 'DELETE', headers: this.#reading }).catch(() => {})
      await Promise.race([deleted, new Promise((done) => setTimeout(done, END_SESSION_MS).unref())])
    }
    this.#client.close()
    this.onclose?.()
  }
}
