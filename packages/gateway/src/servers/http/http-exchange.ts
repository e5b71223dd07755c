// oxlint-disable-next-line typescript/triple-slash-reference -- a declaration of an untyped module cannot be imported
/// <reference path="./undici-agent.d.ts" />
import type { IncomingHttpHeaders } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { Dispatcher } from 'undici'
import Agent from 'undici/lib/dispatcher/agent.js'
import type { Cancellation } from '../protocol/cancellation.ts'
import { HttpBody } from './http-body.ts'

/** Sends requests over kept-open connections. */
export type HttpDispatcher = Pick<Dispatcher, 'dispatch' | 'destroy'>

/** One request. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly cancellation?: Cancellation | undefined
}

/** The response to a request. Its body may still be arriving. */
export interface HttpAnswer {
  readonly status: number
  readonly statusText: string
  /** Names in lower case. */
  readonly headers: IncomingHttpHeaders
  readonly body: HttpBody
}

/** Above the streams of all sessions and their calls; it bounds the file descriptors that one server can take. */
const MOST_CONNECTIONS = 8_192
const MOST_HEADER_BYTES = 65_536
const CONNECT_MS = 10_000
/** The idle time of a connection whose server does not name one, and the margin before the time that it names. */
const KEEP_ALIVE_MS = 4_000
const KEEP_ALIVE_MARGIN_MS = 1_000
/** TCP probes detect a server that vanished without closing its connections. */
const PROBE_AFTER_MS = 30_000

/**
 * Opens the dispatcher that all servers share. It follows no redirects, and the time limits of calls are the callers'.
 * @param lookup resolves host names; the system's resolver by default
 */
export function openDispatcher(lookup?: LookupFunction): HttpDispatcher {
  return new Agent({
    connections: MOST_CONNECTIONS,
    maxHeaderSize: MOST_HEADER_BYTES,
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveTimeoutThreshold: KEEP_ALIVE_MARGIN_MS,
    connect: { timeout: CONNECT_MS, keepAliveInitialDelay: PROBE_AFTER_MS, ...(lookup && { lookup }) },
  })
}

/** One request and its response. */
export class HttpExchange implements Dispatcher.DispatchHandler {
  readonly #request: HttpRequest
  readonly #onEnd: ((exchange: HttpExchange) => void) | undefined
  readonly #answer = Promise.withResolvers<HttpAnswer>()
  #controller: Dispatcher.DispatchController | undefined
  #body: HttpBody | undefined
  #aborted: Error | undefined
  #isOver = false

  /** @param onEnd called once, when the response is complete or the exchange failed */
  constructor(request: HttpRequest, onEnd?: (exchange: HttpExchange) => void) {
    this.#request = request
    this.#onEnd = onEnd
  }

  /** @returns the response, once its headers are there. @throws the reason of the cancellation, or the network error */
  send(dispatcher: HttpDispatcher, url: URL): Promise<HttpAnswer> {
    const { method, headers, body = null, cancellation } = this.#request
    cancellation?.onCancel((reason) => this.abort(reason))
    if (this.#aborted === undefined) {
      const path = `${url.pathname}${url.search}`
      dispatcher.dispatch({ origin: url.origin, path, method, headers, body }, this)
    }
    return this.#answer.promise
  }

  /** Ends the exchange and closes its connection; other connections are not touched. */
  abort(reason: Error): void {
    this.#aborted ??= reason
    this.#controller?.abort(reason)
    this.#fail(reason)
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#aborted !== undefined) controller.abort(this.#aborted)
  }

  onResponseStart(_: unknown, status: number, headers: IncomingHttpHeaders, statusText = ''): void {
    // The final response follows an informational one.
    if (status < 200) return
    const flow = { pause: () => this.#controller?.pause(), resume: () => this.#controller?.resume() }
    this.#body = new HttpBody(() => this.abort(brokenOff()), flow)
    this.#answer.resolve({ status, statusText, headers, body: this.#body })
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#body?.push(chunk)
  }

  onResponseEnd(): void {
    this.#body?.finish()
    this.#ended()
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(error.name === 'HTTPParserError' ? notHttp(error) : error)
  }

  #fail(error: Error): void {
    this.#answer.reject(error)
    this.#body?.finish(error)
    this.#ended()
  }

  #ended(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#request.cancellation?.onCancel(() => {})
    this.#onEnd?.(this)
  }
}

/** The value of a response header. */
export function headerOf({ headers }: Pick<HttpAnswer, 'headers'>, name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

/** A connection that ended before its response did. */
export function brokenOff(): Error {
  return Object.assign(new Error('The connection was closed'), { code: 'ECONNRESET' })
}

/** The parser's own error holds a part of the response, which belongs into no log. */
function notHttp({ message }: Error): Error {
  return Object.assign(new Error(message), { code: 'EPROTO' })
}
