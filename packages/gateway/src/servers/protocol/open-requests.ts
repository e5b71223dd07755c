import type { JSONRPCMessage, JSONRPCResponse, RequestId } from '@modelcontextprotocol/client'
import { GatewayError } from '../../errors.ts'
import { removeFrom } from '../../remove-from.ts'
import { Cancellation } from './cancellation.ts'
import { isRecord } from '@tooldex/http-kit/json'
import type { RawResult, RequestOptions, ServerRequest } from '../server.ts'
import { cancelled, invalidReply, replyFailure, type ServerLabel, SessionForgotten, timedOut } from './errors.ts'
import type { ServerTransport } from './server-transport.ts'
import { httpStatusOf, sendFailure } from './transport-errors.ts'

/** How long a request may take: `timeoutMs` from its start or its last progress, `maxTimeoutMs` in all. */
export interface TimeLimits {
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

/** Options of one request, with its time limits. */
export interface SendOptions extends TimeLimits, Omit<RequestOptions, 'timeoutMs'> {
  readonly headers?: Readonly<Record<string, string>>
}

interface OpenRequest {
  readonly id: number
  readonly method: string
  readonly options: SendOptions
  readonly deadline: number
  readonly resolve: (result: RawResult) => void
  readonly reject: (error: Error) => void
  readonly onAbort: (() => void) | undefined
  readonly stream: Cancellation | undefined
  timer: NodeJS.Timeout | undefined
}

/** A request of the server to a client, and the open requests that it may belong to. */
interface Asking {
  readonly ids: Set<number>
  readonly over: AbortController
}

/** A request of the SDK's client on the same connection, such as the handshake. */
interface SdkRequest {
  readonly id: RequestId
  readonly isSubscription: boolean
}

/** Far above the ids of the SDK's client. */
const FIRST_ID = 1_000_000
/** A server that was told of a cancelled call may still ask for it; servers that go on for longer are not waited for. */
const GIVEN_UP_MS = 30_000
/** Stays open as long as the connection, so a reply without an id does not belong to it. */
const SUBSCRIPTION = 'subscriptions/listen'

/**
 * The requests that are open on one connection, under ids of ours. They bypass the SDK's client, which validates whole
 * results (one invalid tool loses the list), drops the last progress before a reply, and does not cancel a request at
 * the server when its hard limit ends. Results are passed on unchanged.
 */
export class OpenRequests {
  readonly #server: ServerLabel
  /** Oldest first. */
  readonly #open: OpenRequest[] = []
  /** By text: some servers answer the number 5 with the string "5". */
  readonly #ofSdk = new Map<string, SdkRequest>()
  readonly #asking = new Set<Asking>()
  /** Abandoned requests by id, until when they count: the server may still be working on them. */
  readonly #givenUp = new Map<number, { readonly sessionId: string; readonly until: number }>()
  #nextId = FIRST_ID
  #answered = 0
  #transport: ServerTransport | undefined
  #envelope: Readonly<Record<string, unknown>> | undefined
  /** Called when the last open request was settled. */
  onDrained: (() => void) | undefined

  constructor(server: ServerLabel) {
    this.#server = server
  }

  /**
   * Sends requests over this transport from now on.
   * @param envelope the `_meta` of every message of the 2026-07-28 era; absent in the older ones
   */
  attach(transport: ServerTransport, envelope?: Readonly<Record<string, unknown>>): void {
    this.#transport = transport
    this.#envelope = envelope
  }

  get size(): number {
    return this.#open.length
  }

  /** Requests that the server has answered, with a result or an error of its own. */
  get answered(): number {
    return this.#answered
  }

  /** Sends and waits for the raw result. */
  send(request: ServerRequest, options: SendOptions): Promise<RawResult> {
    const { signal } = options
    const transport = this.#transport
    if (transport === undefined) throw new Error('No transport is attached')
    if (signal?.aborted) return Promise.reject(cancelled(this.#server))
    const id = this.#nextId++
    return new Promise<RawResult>((resolve, reject) => {
      const onAbort = signal && (() => this.#abandon(id, cancelled(this.#server)))
      const stream = transport.hasPerRequestStream === true ? new Cancellation() : undefined
      const deadline = performance.now() + options.maxTimeoutMs
      const { method } = request
      const entry: OpenRequest = { id, method, options, deadline, resolve, reject, onAbort, stream, timer: undefined }
      this.#open.push(entry)
      transport
        .send(wireRequest(id, request, options), {
          headers: options.headers,
          cancellation: stream,
          onRequestStreamEnd: () => {
            if (this.#find(id) !== undefined) this.#settle(id, sendFailure(this.#server, new StreamEnded()))
          },
        })
        .catch((error: unknown) => this.#settle(id, this.#unsent(error)))
      if (this.#find(id) === undefined) return
      // The request is sent first; timers and listeners follow.
      if (onAbort !== undefined) signal?.addEventListener('abort', onAbort, { once: true })
      this.#arm(entry)
    })
  }

  /** Handles the reply or the progress of an open request. @returns false for any other message */
  receive(message: JSONRPCMessage): boolean {
    if ('method' in message) return this.#progressed(message)
    if (typeof message.id !== 'number' || message.id < FIRST_ID) return false
    const entry = this.#find(message.id)
    if (entry === undefined) {
      // A reply to an abandoned request: the server is done with it.
      this.#givenUp.delete(message.id)
      return true
    }
    const outcome = this.#outcomeOf(message)
    if (!(outcome instanceof GatewayError)) this.#answered++
    this.#settle(message.id, outcome)
    return true
  }

  /** Records a message of the SDK's client: a request opens, a cancellation closes it. */
  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) return
    if (!('id' in message)) {
      if (message.method === 'notifications/cancelled') this.#ofSdk.delete(String(message.params?.['requestId']))
    } else if (typeof message.id !== 'number' || this.#find(message.id) === undefined) {
      this.#ofSdk.set(String(message.id), { id: message.id, isSubscription: message.method === SUBSCRIPTION })
    }
  }

  has(id: RequestId): boolean {
    return this.#find(Number(id)) !== undefined || this.#ofSdk.has(String(id))
  }

  /**
   * Finds the open request that a reply belongs to. A reply without a readable id belongs to the only request that waits.
   * @returns the id as it was sent; undefined if the request cannot be identified
   */
  idFor(id: RequestId | undefined): RequestId | undefined {
    if (id === undefined) return this.#onlyId()
    if (this.#find(Number(id)) !== undefined) return Number(id)
    return this.#ofSdk.get(String(id))?.id
  }

  /** Closes a request of the SDK's client whose reply was delivered. Our own are closed by `receive`. */
  delivered(id: RequestId): void {
    this.#ofSdk.delete(String(id))
  }

  #find(id: number): OpenRequest | undefined {
    return this.#open.find((entry) => entry.id === id)
  }

  #onlyId(): RequestId | undefined {
    const waiting = [...this.#ofSdk.values()].filter(({ isSubscription }) => !isSubscription).map(({ id }) => id)
    const all = [...this.#open.map(({ id }) => id), ...waiting]
    return all.length === 1 ? all[0] : undefined
  }

  /** Fails everything that is open. */
  failAll(failure: GatewayError): void {
    for (const { id } of [...this.#open]) this.#settle(id, failure)
  }

  /** The options of the only open request; undefined if there are several. */
  only(): SendOptions | undefined {
    return this.#open.length === 1 ? this.#open[0]?.options : undefined
  }

  /** The options of the request that was sent last and satisfies the test. */
  latest(test: (options: SendOptions) => boolean): SendOptions | undefined {
    return this.#open.findLast((entry) => test(entry.options))?.options
  }

  /** The sessions whose requests the server may be working on: open ones, and recently abandoned ones. */
  sessions(): ReadonlySet<string> {
    this.#forgetGivenUp()
    const open = this.#open.flatMap(({ options }) => options.client?.sessionId ?? [])
    return new Set([...open, ...[...this.#givenUp.values()].map(({ sessionId }) => sessionId)])
  }

  /**
   * While a person is being asked, only the hard limit runs for the requests of that session. The signal fires when all
   * of them are settled, because then the answer is not needed any more.
   */
  async whileAsked<T>(sessionId: string, ask: (over: AbortSignal) => Promise<T>): Promise<T> {
    const ofSession = this.#open.filter(({ options }) => options.client?.sessionId === sessionId)
    const asking: Asking = { ids: new Set(ofSession.map(({ id }) => id)), over: new AbortController() }
    this.#asking.add(asking)
    for (const entry of ofSession) this.#arm(entry)
    try {
      return await ask(asking.over.signal)
    } finally {
      this.#asking.delete(asking)
      for (const entry of ofSession) if (this.#open.includes(entry)) this.#arm(entry)
    }
  }

  #outcomeOf(reply: JSONRPCResponse): RawResult | Error {
    if ('error' in reply) return replyFailure(this.#server, reply.error)
    return isRecord(reply.result) ? reply.result : invalidReply(this.#server, 'its result is not an object')
  }

  /** The first outcome counts. */
  #settle(id: number, outcome: RawResult | Error): void {
    const entry = this.#find(id)
    if (entry === undefined) return
    removeFrom(this.#open, entry)
    clearTimeout(entry.timer)
    this.#endAsking(id)
    if (entry.onAbort !== undefined) entry.options.signal?.removeEventListener('abort', entry.onAbort)
    if (outcome instanceof Error) entry.reject(outcome)
    else entry.resolve(outcome)
    if (this.#open.length === 0) this.onDrained?.()
  }

  #endAsking(id: number): void {
    for (const { ids, over } of this.#asking) if (ids.delete(id) && ids.size === 0) over.abort()
  }

  #isHeld(id: number): boolean {
    for (const { ids } of this.#asking) if (ids.has(id)) return true
    return false
  }

  #forgetGivenUp(): void {
    const now = performance.now()
    for (const [id, { until }] of this.#givenUp) if (until <= now) this.#givenUp.delete(id)
  }

  #arm(entry: OpenRequest): void {
    clearTimeout(entry.timer)
    const { id } = entry
    const { timeoutMs, maxTimeoutMs } = entry.options
    const left = Math.max(0, entry.deadline - performance.now())
    const isHard = left <= timeoutMs || this.#isHeld(id)
    entry.timer = setTimeout(
      () => this.#abandon(id, timedOut(this.#server, entry.method, isHard ? maxTimeoutMs : timeoutMs)),
      isHard ? left : timeoutMs,
    )
  }

  #progressed(message: { readonly method: string; readonly params?: unknown }): boolean {
    if (message.method !== 'notifications/progress' || !isRecord(message.params)) return false
    const { progressToken, ...progress } = message.params
    if (typeof progressToken !== 'number' || progressToken < FIRST_ID) return false
    const entry = this.#find(progressToken)
    if (entry === undefined) return true
    this.#arm(entry)
    entry.options.onProgress?.(progress)
    return true
  }

  #unsent(error: unknown): Error {
    const failure = sendFailure(this.#server, error)
    const isRefused = [400, 404].includes(httpStatusOf(error) ?? 0)
    return isRefused && this.#transport?.sessionId !== undefined ? new SessionForgotten(failure) : failure
  }

  /** Abandons a request and cancels it at the server, as its era does. */
  #abandon(id: number, failure: GatewayError): void {
    const entry = this.#find(id)
    if (entry === undefined) return
    this.#giveUp(entry)
    this.#settle(id, failure)
    // In 2026-07-28 over HTTP, closing the stream is the cancellation; the older eras have a notification for it.
    if (this.#envelope !== undefined && entry.stream !== undefined) return entry.stream.cancel(failure)
    const params = { requestId: id, reason: failure.code, ...(this.#envelope && { _meta: this.#envelope }) }
    this.#transport
      ?.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => {})
      .finally(() => entry.stream?.cancel(failure))
  }

  /** Counts an abandoned request until the server answers it, and for half a minute at most. */
  #giveUp({ id, options: { client, maxTimeoutMs } }: OpenRequest): void {
    this.#forgetGivenUp()
    if (client === undefined) return
    const until = performance.now() + Math.min(maxTimeoutMs, GIVEN_UP_MS)
    this.#givenUp.set(id, { sessionId: client.sessionId, until })
  }
}

class StreamEnded extends Error {
  readonly code = 'ECONNRESET'
}

/** The server gets the id as progress token instead of the caller's token, and only if progress is wanted. */
function wireRequest(id: number, request: ServerRequest, options: SendOptions): JSONRPCMessage {
  const params = request.params ?? {}
  if (options.onProgress === undefined && !('_meta' in params)) {
    return { jsonrpc: '2.0', id, method: request.method, params }
  }
  const { progressToken: _, ...meta } = isRecord(params['_meta']) ? params['_meta'] : {}
  const sent = options.onProgress === undefined ? meta : { ...meta, progressToken: id }
  const { _meta, ...rest } = params
  const all = Object.keys(sent).length > 0 ? { ...rest, _meta: sent } : rest
  return { jsonrpc: '2.0', id, method: request.method, params: all }
}
