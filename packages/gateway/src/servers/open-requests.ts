import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { GatewayError } from '../errors.ts'
import { isRecord } from './is-record.ts'
import type { ClientLink, RawResult, RequestOptions, ServerRequest } from './server.ts'
import {
  cancelled,
  invalidReply,
  replyFailure,
  type ServerLabel,
  SessionForgotten,
  timedOut,
} from './server-failure.ts'
import type { ServerTransport } from './server-transport.ts'
import { httpStatusOf, sendFailure } from './wire-failure.ts'

/** How long a request may take: `timeoutMs` from its start or its last sign of life, `maxTimeoutMs` in all. */
export interface TimeLimits {
  readonly timeoutMs: number
  readonly maxTimeoutMs: number
}

/** How one request travels, limits settled. */
export interface SendOptions extends TimeLimits, Omit<RequestOptions, 'timeoutMs'> {
  readonly headers?: Readonly<Record<string, string>>
}

interface OpenRequest {
  readonly method: string
  readonly options: SendOptions
  readonly deadline: number
  readonly settle: (outcome: RawResult | Error) => void
  readonly stream: AbortController | undefined
  timer: NodeJS.Timeout | undefined
}

/** Far above the ids that the SDK's client mints on the same wire for the handshake. */
const FIRST_ID = 1_000_000

/**
 * The requests that are open on one connection, under ids of ours. They bypass the SDK's request funnel, which judges
 * whole results by its schemas (one odd tool loses the list), drops the last progress before a reply, and does not
 * tell the server when the hard limit ends a request. Results come out as they came in.
 */
export class OpenRequests {
  readonly #server: ServerLabel
  readonly #transport: ServerTransport
  readonly #envelope: Readonly<Record<string, unknown>> | undefined
  readonly #open = new Map<number, OpenRequest>()
  #nextId = FIRST_ID
  #holds = 0
  /** Called when the last open request was settled. */
  onDrained: (() => void) | undefined

  /** @param envelope What every message of the 2026-07-28 era carries in `_meta`; absent in the older ones. */
  constructor(server: ServerLabel, transport: ServerTransport, envelope?: Readonly<Record<string, unknown>>) {
    this.#server = server
    this.#transport = transport
    this.#envelope = envelope
  }

  get size(): number {
    return this.#open.size
  }

  /** Sends and waits for the raw result. */
  send(request: ServerRequest, options: SendOptions): Promise<RawResult> {
    const { signal } = options
    if (signal?.aborted) return Promise.reject(cancelled(this.#server))
    const id = this.#nextId++
    return new Promise<RawResult>((resolve, reject) => {
      const onAbort = () => this.#abandon(id, cancelled(this.#server))
      const settle = (outcome: RawResult | Error) => {
        const entry = this.#open.get(id)
        if (entry === undefined) return
        this.#open.delete(id)
        clearTimeout(entry.timer)
        signal?.removeEventListener('abort', onAbort)
        if (outcome instanceof Error) reject(outcome)
        else resolve(outcome)
        if (this.#open.size === 0) this.onDrained?.()
      }
      const stream = this.#transport.hasPerRequestStream === true ? new AbortController() : undefined
      const deadline = performance.now() + options.maxTimeoutMs
      const entry: OpenRequest = { method: request.method, options, deadline, settle, stream, timer: undefined }
      this.#open.set(id, entry)
      signal?.addEventListener('abort', onAbort, { once: true })
      this.#arm(id, entry)
      this.#transport
        .send(wireRequest(id, request, options), {
          ...(options.headers && { headers: { ...options.headers } }),
          ...(stream && { requestSignal: stream.signal }),
          onRequestStreamEnd: () => {
            if (this.#open.has(id)) settle(sendFailure(this.#server, new StreamEnded()))
          },
        })
        .catch((error: unknown) => settle(this.#unsent(error)))
    })
  }

  /** Takes what belongs to an open request: its reply, its progress. Anything else is left to the caller. */
  receive(message: JSONRPCMessage): boolean {
    if ('method' in message) return this.#progressed(message)
    if (typeof message.id !== 'number' || message.id < FIRST_ID) return false
    const entry = this.#open.get(message.id)
    // A reply to a request that was given up: nobody waits for it.
    if (entry === undefined) return true
    if ('error' in message) entry.settle(replyFailure(this.#server, message.error))
    else if (isRecord(message.result)) entry.settle(message.result)
    else entry.settle(invalidReply(this.#server, 'its result is not an object'))
    return true
  }

  /** Fails everything that is open. */
  failAll(failure: GatewayError): void {
    for (const entry of [...this.#open.values()]) entry.settle(failure)
  }

  /** The options of the only open request; undefined when there are several, for they cannot be told apart. */
  only(): SendOptions | undefined {
    if (this.#open.size !== 1) return undefined
    return this.#open.values().next().value?.options
  }

  /** The options of the request that was sent last and satisfies the test. */
  latest(test: (options: SendOptions) => boolean): SendOptions | undefined {
    return [...this.#open.values()].reverse().find((entry) => test(entry.options))?.options
  }

  /** The client that a server's request is for: that of the request sent last. */
  latestClient(): ClientLink | undefined {
    return this.latest((options) => options.client?.answer !== undefined)?.client
  }

  /** While a person is being asked, only the hard limit runs. */
  async whileHeld<T>(work: () => Promise<T>): Promise<T> {
    this.#holds++
    this.#armAll()
    try {
      return await work()
    } finally {
      this.#holds--
      this.#armAll()
    }
  }

  #armAll(): void {
    for (const [id, entry] of this.#open) this.#arm(id, entry)
  }

  #arm(id: number, entry: OpenRequest): void {
    clearTimeout(entry.timer)
    const { timeoutMs, maxTimeoutMs } = entry.options
    const left = Math.max(0, entry.deadline - performance.now())
    const isHard = this.#holds > 0 || left <= timeoutMs
    entry.timer = setTimeout(
      () => this.#abandon(id, timedOut(this.#server, entry.method, isHard ? maxTimeoutMs : timeoutMs)),
      isHard ? left : timeoutMs,
    )
  }

  #progressed(message: { readonly method: string; readonly params?: unknown }): boolean {
    if (message.method !== 'notifications/progress' || !isRecord(message.params)) return false
    const { progressToken, ...progress } = message.params
    if (typeof progressToken !== 'number' || progressToken < FIRST_ID) return false
    const entry = this.#open.get(progressToken)
    if (entry === undefined) return true
    this.#arm(progressToken, entry)
    entry.options.onProgress?.(progress)
    return true
  }

  #unsent(error: unknown): Error {
    const failure = sendFailure(this.#server, error)
    const isRefused = [400, 404].includes(httpStatusOf(error) ?? 0)
    return isRefused && this.#transport.sessionId !== undefined ? new SessionForgotten(failure) : failure
  }

  /** Ends a request from our side and tells the server, in the way of its era. */
  #abandon(id: number, failure: GatewayError): void {
    const entry = this.#open.get(id)
    if (entry === undefined) return
    entry.settle(failure)
    // In 2026-07-28 over HTTP, closing the stream is the cancellation; the older eras want to be told in words first.
    if (this.#envelope !== undefined && entry.stream !== undefined) return entry.stream.abort()
    const params = { requestId: id, reason: failure.code, ...(this.#envelope && { _meta: this.#envelope }) }
    this.#transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => {})
      .finally(() => entry.stream?.abort())
  }
}

class StreamEnded extends Error {
  readonly code = 'ECONNRESET'
}

/** The caller's progress token is its own business: the server gets the id as token, and only if progress is wanted. */
function wireRequest(id: number, request: ServerRequest, options: SendOptions): JSONRPCMessage {
  const params = request.params ?? {}
  const { progressToken: _, ...meta } = isRecord(params['_meta']) ? params['_meta'] : {}
  const sent = options.onProgress === undefined ? meta : { ...meta, progressToken: id }
  const { _meta, ...rest } = params
  const all = Object.keys(sent).length > 0 ? { ...rest, _meta: sent } : rest
  return { jsonrpc: '2.0', id, method: request.method, params: all }
}
