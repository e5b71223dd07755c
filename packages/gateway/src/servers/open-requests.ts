import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { GatewayError } from '../errors.ts'
import { isRecord } from './is-record.ts'
import type { RawResult, RequestOptions, ServerRequest } from './server.ts'
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

/** A question of the server, and the open requests that it may belong to. */
interface Asking {
  readonly ids: Set<number>
  readonly over: AbortController
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
  readonly #asking = new Set<Asking>()
  /** Until when a session's requests that were given up count: the server may be at work on them all the same. */
  readonly #givenUp = new Map<string, number>()
  #nextId = FIRST_ID
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
        this.#endQuestions(id)
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

  /** The sessions whose requests the server may be working on: what is open, and what was given up a while ago. */
  sessions(): ReadonlySet<string> {
    this.#forgetGivenUp()
    const open = [...this.#open.values()].flatMap(({ options }) => options.client?.sessionId ?? [])
    return new Set([...open, ...this.#givenUp.keys()])
  }

  /**
   * While a person is being asked, only the hard limit runs for the requests of that session. The signal fires when none
   * of those that were open is open any more: then nobody needs the answer.
   */
  async whileAsked<T>(sessionId: string, ask: (over: AbortSignal) => Promise<T>): Promise<T> {
    const ofSession = [...this.#open].filter(([, { options }]) => options.client?.sessionId === sessionId)
    const asking: Asking = { ids: new Set(ofSession.map(([id]) => id)), over: new AbortController() }
    this.#asking.add(asking)
    for (const [id, entry] of ofSession) this.#arm(id, entry)
    try {
      return await ask(asking.over.signal)
    } finally {
      this.#asking.delete(asking)
      for (const [id, entry] of ofSession) if (this.#open.has(id)) this.#arm(id, entry)
    }
  }

  #endQuestions(id: number): void {
    for (const { ids, over } of this.#asking) if (ids.delete(id) && ids.size === 0) over.abort()
  }

  #isHeld(id: number): boolean {
    for (const { ids } of this.#asking) if (ids.has(id)) return true
    return false
  }

  #forgetGivenUp(): void {
    const now = performance.now()
    for (const [sessionId, until] of this.#givenUp) if (until <= now) this.#givenUp.delete(sessionId)
  }

  #arm(id: number, entry: OpenRequest): void {
    clearTimeout(entry.timer)
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
    this.#giveUp(entry.options)
    entry.settle(failure)
    // In 2026-07-28 over HTTP, closing the stream is the cancellation; the older eras want to be told in words first.
    if (this.#envelope !== undefined && entry.stream !== undefined) return entry.stream.abort()
    const params = { requestId: id, reason: failure.code, ...(this.#envelope && { _meta: this.#envelope }) }
    this.#transport
      .send({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
      .catch(() => {})
      .finally(() => entry.stream?.abort())
  }

  /** Counts for as long as any request may take. */
  #giveUp({ client, maxTimeoutMs }: SendOptions): void {
    this.#forgetGivenUp()
    if (client === undefined) return
    const until = performance.now() + maxTimeoutMs
    this.#givenUp.set(client.sessionId, Math.max(until, this.#givenUp.get(client.sessionId) ?? 0))
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
