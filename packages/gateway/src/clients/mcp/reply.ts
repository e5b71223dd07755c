import type { ServerResponse } from 'node:http'
import { setImmediate } from 'node:timers/promises'
import type { JsonObject } from '@tooldex/http-kit/json'
import { jsonPieces } from './json-pieces.ts'

/** Headers of an event stream. Proxies must not buffer it. */
export const EVENT_STREAM_HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
} as const

/** Shorter than the half minute after which proxies close silent connections. */
export const KEEP_ALIVE_MS = 15_000

/** Beyond this, notifications to a client that does not read are dropped. */
export const MAX_UNREAD_BYTES = 1_000_000

/** Tells a client whose event stream ends to open it again soon, instead of after some seconds. */
export const RECONNECT_SOON = 'retry: 100\n\n'

const EVENT_START = 'event: message\ndata: '
const EVENT_END = '\n\n'

/** One message as a server-sent event. */
export function eventText(message: JsonObject): string {
  return `${EVENT_START}${JSON.stringify(message)}${EVENT_END}`
}

/** Sends comments on an event stream until its response ends. */
export function keepAlive(res: ServerResponse): void {
  const timer = setInterval(() => res.write(': keepalive\n\n'), KEEP_ALIVE_MS).unref()
  res.once('close', () => clearInterval(timer))
}

/** The response to one request: JSON, or an event stream if a message precedes the result. */
export class Reply {
  readonly #res: ServerResponse
  readonly #sessionId: string | undefined
  #isStream = false
  #gone: AbortSignal | undefined

  constructor(res: ServerResponse, sessionId?: string) {
    this.#res = res
    this.#sessionId = sessionId
  }

  /** Sends a message ahead of the result; false = the client is gone. */
  send(message: JsonObject): boolean {
    if (this.#res.destroyed || this.#res.writableEnded) return false
    this.openStream()
    this.#res.write(eventText(message))
    return true
  }

  /** Sends a message that may be dropped. */
  notify(message: JsonObject): void {
    if (this.#res.writableLength < MAX_UNREAD_BYTES) this.send(message)
  }

  /** Aborts when the client disconnects before it has its result. */
  get gone(): AbortSignal {
    this.#gone ??= goneBeforeEnd(this.#res)
    return this.#gone
  }

  end(status: number, message: JsonObject): void {
    if (this.#res.destroyed) return
    if (this.#isStream) {
      this.#res.end(eventText(message))
      return
    }
    const text = JSON.stringify(message)
    const bytes = Buffer.byteLength(text)
    const id = this.#sessionId
    // Two literals, because spreading is measurably slower.
    const headers =
      id === undefined
        ? { 'content-type': 'application/json', 'content-length': bytes }
        : { 'mcp-session-id': id, 'content-type': 'application/json', 'content-length': bytes }
    this.#res.writeHead(status, headers)
    this.#res.end(text)
  }

  /** Ends with a large message, in pieces; other requests are served between them. */
  async endInPieces(status: number, message: JsonObject): Promise<void> {
    const res = this.#res
    if (res.destroyed) return
    if (this.#isStream) res.write(EVENT_START)
    else res.writeHead(status, { ...this.#session(), 'content-type': 'application/json' })
    for (const piece of jsonPieces(message)) {
      if (!res.write(piece)) await drained(res)
      await setImmediate()
      if (res.destroyed) return
    }
    res.end(this.#isStream ? EVENT_END : undefined)
  }

  /** Ends without a result: the client cancelled its request. */
  endEmpty(): void {
    if (this.#res.destroyed) return
    this.openStream()
    this.#res.end()
  }

  #session(): Readonly<Record<string, string>> {
    return this.#sessionId === undefined ? {} : { 'mcp-session-id': this.#sessionId }
  }

  /** Turns the response into an event stream. */
  openStream(): void {
    if (this.#isStream) return
    this.#isStream = true
    this.#res.writeHead(200, { ...this.#session(), ...EVENT_STREAM_HEADERS })
    keepAlive(this.#res)
  }
}

function goneBeforeEnd(res: ServerResponse): AbortSignal {
  const controller = new AbortController()
  res.once('close', () => {
    if (!res.writableFinished) controller.abort()
  })
  return controller.signal
}

/** Resolves when the client has read what was sent, or is gone. */
export function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done)
      res.off('close', done)
      resolve()
    }
    res.once('drain', done)
    res.once('close', done)
  })
}
