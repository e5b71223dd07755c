import { type JSONRPCMessage, SdkError, SdkErrorCode, SdkHttpError, type Transport } from '@modelcontextprotocol/client'
import { Cancellation } from '../protocol/cancellation.ts'
import { isRecord } from '../protocol/is-record.ts'
import type { Credentials } from '../login/with-credentials.ts'
import type { HttpTransport } from '../../model/server.ts'
import { networkReason, type ServerLabel, tooLarge } from '../protocol/server-failure.ts'
import { failureMessage, type ServerSendOptions, type ServerTransport } from '../protocol/server-transport.ts'
import { HeaderBlock } from './header-block.ts'
import { HttpClient } from './http-client.ts'
import type { HttpAnswer } from './http-connection.ts'
import type { HttpRequest } from './http-wire.ts'
import { MessageStreams } from './message-streams.ts'
import { readJson, readRefusal } from './read-text.ts'
import { accepting, addedHeaders, bodyHeaders, fixedHeaders } from './request-headers.ts'

/** How long a server may take to let go of its session when we leave. */
const GOODBYE_MS = 500
const EVENTS = 'text/event-stream'
const JSON_TYPE = 'application/json'

/**
 * Streamable HTTP, both eras: every message is a POST, answered with JSON or with a stream of events; a server with sessions
 * may have one more stream for what it says unasked. Refusals are the SDK's errors, by which its client tells the eras apart.
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
  readonly #credentials: Credentials | undefined
  readonly #fixed: Readonly<Record<string, string>>
  readonly #streams: MessageStreams
  #protocolVersion: string | undefined
  #sessionId: string | undefined
  #posting: HeaderBlock
  #reading: HeaderBlock
  #isClosed = false
  #closing: Promise<void> | undefined

  constructor(server: ServerLabel, { url, headers }: HttpTransport, maxReplyBytes: number, credentials?: Credentials) {
    this.#credentials = credentials
    this.#fixed = fixedHeaders(headers)
    this.#posting = this.#reading = new HeaderBlock(this.#fixed)
    this.#server = server
    this.#client = new HttpClient(new URL(url))
    this.#maxReplyBytes = maxReplyBytes
    this.#renewHeaders()
    this.#streams = new MessageStreams(maxReplyBytes, {
      message: (message) => this.onmessage?.(message),
      tooLarge: (id) => this.#tooLarge(id),
      failed: (error) => this.onerror?.(error),
      open: (lastEventId, cancellation) => this.#get(lastEventId, cancellation),
    })
  }

  /** The server's name for our session, once it gave one. */
  get sessionId(): string | undefined {
    return this.#sessionId
  }

  async start(): Promise<void> {}

  setProtocolVersion(version: string): void {
    this.#protocolVersion = version
    this.#renewHeaders()
  }

  /** @throws SdkHttpError for a refusal, BodyTooLarge, or the network's error */
  send(message: JSONRPCMessage, options: ServerSendOptions = {}): Promise<void> {
    const { requestSignal } = options
    return this.#post(
      message,
      requestSignal === undefined ? options : { ...options, cancellation: Cancellation.by(requestSignal) },
    )
  }

  close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  async #post(message: JSONRPCMessage, options: ServerSendOptions): Promise<void> {
    const method = 'method' in message ? message.method : undefined
    const requestId = method !== undefined && 'id' in message ? message.id : undefined
    const { cancellation } = options
    if (method === 'initialize') this.#setSession(undefined)
    try {
      const headers = this.#headersFor(message, options)
      const answer = await this.#exchange({ method: 'POST', headers, body: JSON.stringify(message), cancellation })
      if (answer.status < 200 || answer.status > 299) return await this.#refused(message, answer)
      if (method === 'initialize') this.#setSession(answer.headers.get('mcp-session-id'))
      if (requestId !== undefined && answer.status !== 202) {
        // Nobody waits, not even a moment, for what is there.
        const reading = this.#answered(requestId, answer, options)
        return reading === undefined ? undefined : await reading
      }
      await readRefusal(answer.body, this.#maxReplyBytes)
      if (method === 'notifications/initialized' && answer.status === 202) this.#listen()
    } catch (error) {
      if (cancellation?.isCancelled !== true) this.onerror?.(error as Error)
      throw error
    }
  }

  #answered(id: string | number, answer: HttpAnswer, options: ServerSendOptions): Promise<void> | undefined {
    const type = mediaType(answer)
    if (type === EVENTS) {
      this.#streams.read(answer.body, { id, options })
      return undefined
    }
    if (type !== JSON_TYPE) {
      answer.body.cancel()
      const contentType = answer.headers.get('content-type') ?? null
      throw new SdkError(SdkErrorCode.ClientHttpUnexpectedContent, `Unexpected content type: ${contentType}`, {
        contentType,
      })
    }
    const told = readJson(answer.body, this.#maxReplyBytes)
    if (told instanceof Promise) return told.then((later: unknown) => this.#deliver(later, options))
    this.#deliver(told, options)
    return undefined
  }

  #deliver(told: unknown, { onRequestStreamEnd }: ServerSendOptions): void {
    for (const each of Array.isArray(told) ? told : [told]) {
      if (isRecord(each)) this.onmessage?.(each as unknown as JSONRPCMessage)
    }
    // Whoever still waits for a reply waits in vain.
    onRequestStreamEnd?.()
  }

  /** A refusal of 2026-07-28 is a JSON-RPC error in the body. @throws SdkHttpError for any other */
  async #refused(message: JSONRPCMessage, { status, statusText, body }: HttpAnswer): Promise<void> {
    const text = await readRefusal(body, this.#maxReplyBytes)
    const told = status === 400 && bodyHeaders(message) !== undefined ? parsed(text) : undefined
    if (isRecord(told) && isRecord(told['error']) && 'id' in message && told['id'] === message.id) {
      this.onmessage?.(told as unknown as JSONRPCMessage)
      return
    }
    throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, `Error POSTing to endpoint: ${text}`, {
      status,
      statusText,
      text,
    })
  }

  /** Hears what the server says unasked, where it has a stream for that. */
  #listen(): void {
    this.listening = this.#get(undefined).then(
      (answer) => answer && this.#streams.read(answer.body, { id: undefined, options: {} }),
      (error: Error) => this.onerror?.(error),
    )
  }

  /** @returns nothing where the server has no such stream. @throws SdkHttpError, or the network's error */
  async #get(lastEventId: string | undefined, cancellation?: Cancellation): Promise<HttpAnswer | undefined> {
    const headers = lastEventId === undefined ? this.#reading : this.#reading.with({ 'last-event-id': lastEventId })
    const answer = await this.#exchange({ method: 'GET', headers, cancellation })
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

  /** Shows who we are, and after a 401 once more with what there is instead. */
  async #exchange(request: HttpRequest): Promise<HttpAnswer> {
    const credentials = this.#credentials
    try {
      const known = credentials?.authorization()
      const used = known instanceof Promise ? await known : known
      const answer = await this.#client.send(authorized(request, used))
      return answer.status === 401 && credentials !== undefined
        ? await this.#again(request, answer, credentials, used)
        : answer
    } catch (error) {
      if (!this.#isClosed && request.cancellation?.isCancelled !== true) this.#unreachable(error)
      throw error
    }
  }

  async #again(
    request: HttpRequest,
    refusal: HttpAnswer,
    credentials: Credentials,
    used: string | undefined,
  ): Promise<HttpAnswer> {
    const next = await credentials.refused(used, refusal.headers.get('www-authenticate') ?? '')
    if (next === undefined) return refusal
    refusal.body.cancel()
    return this.#client.send(authorized(request, next))
  }

  #unreachable(error: unknown): void {
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

  /** The same for all messages of a connection, so they are put together when that changes and not with each message. */
  #renewHeaders(): void {
    const fixed: Record<string, string> = { ...this.#fixed }
    if (this.#sessionId !== undefined) fixed['mcp-session-id'] = this.#sessionId
    if (this.#protocolVersion !== undefined) fixed['mcp-protocol-version'] = this.#protocolVersion
    const accept = accepting(fixed, JSON_TYPE, EVENTS)
    this.#posting = new HeaderBlock({ ...fixed, 'content-type': JSON_TYPE, accept })
    this.#reading = new HeaderBlock({ ...fixed, accept: accepting(fixed, EVENTS) })
  }

  #headersFor(message: JSONRPCMessage, { headers }: ServerSendOptions): HeaderBlock {
    const repeated = bodyHeaders(message)
    if (repeated === undefined && headers === undefined) return this.#posting
    return this.#posting.with({ ...repeated, ...addedHeaders(headers ?? {}) })
  }

  /** Tells a server of the older eras that its session can go, but does not wait for one that is stuck. */
  async #leave(): Promise<void> {
    this.#isClosed = true
    this.#streams.close()
    if (this.sessionId !== undefined) {
      const goodbye = this.#exchange({ method: 'DELETE', headers: this.#reading }).catch(() => {})
      await Promise.race([goodbye, new Promise((done) => setTimeout(done, GOODBYE_MS).unref())])
    }
    this.#client.close()
    this.onclose?.()
  }
}

function authorized(request: HttpRequest, authorization: string | undefined): HttpRequest {
  return authorization === undefined ? request : { ...request, headers: request.headers.with({ authorization }) }
}

function mediaType({ headers }: HttpAnswer): string | undefined {
  const type = headers.get('content-type')
  return type === JSON_TYPE || type === EVENTS ? type : type?.split(';', 1)[0]?.trim().toLowerCase()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
