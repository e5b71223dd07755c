import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import type { Cancellation } from '../protocol/cancellation.ts'
import { isRecord } from '@tooldex/http-kit/json'
import { messageCost } from '../protocol/output-throttle.ts'
import type { ServerSendOptions } from '../protocol/server-transport.ts'
import { EventReader, type StreamEvent } from './event-reader.ts'
import type { HttpBody } from './http-body.ts'
import type { HttpAnswer } from './http-exchange.ts'

/** Receives the messages of all streams. */
export interface StreamWatch {
  readonly message: (message: JSONRPCMessage) => void
  /** The reply to this request is over the limit. */
  readonly tooLarge: (requestId: string | number) => void
  readonly failed: (error: Error) => void
  /** Reopens a stream after an event; undefined if the server has no such stream. */
  readonly open: (lastEventId: string | undefined, cancellation?: Cancellation) => Promise<HttpAnswer | undefined>
}

/** The request that a stream answers, or none. */
export interface StreamOwner {
  readonly id: string | number | undefined
  readonly options: Pick<ServerSendOptions, 'cancellation' | 'onRequestStreamEnd'>
}

const MAX_RETRIES = 2
const FIRST_WAIT_MS = 1_000
const WAIT_GROWTH = 1.5

/** The state of a stream across reconnections. */
interface Reading extends StreamOwner {
  lastEventId: string | undefined
  isAnswered: boolean
}

/** The event streams of a connection. A stream that breaks is resumed if the server supports it. */
export class MessageStreams {
  readonly #maxBytes: number
  readonly #watch: StreamWatch
  readonly #waiting = new Set<NodeJS.Timeout>()
  #retryMs: number | undefined
  #isClosed = false

  constructor(maxBytes: number, watch: StreamWatch) {
    this.#maxBytes = maxBytes
    this.#watch = watch
  }

  /** Reads a stream to its end, in the background. */
  read(body: HttpBody, owner: StreamOwner): void {
    this.#read(body, { ...owner, lastEventId: undefined, isAnswered: false })
  }

  /** Stops resuming streams. */
  close(): void {
    this.#isClosed = true
    for (const timer of this.#waiting) clearTimeout(timer)
    this.#waiting.clear()
  }

  #read(body: HttpBody, reading: Reading): void {
    if (reading.options.cancellation?.isCancelled === true) return body.cancel()
    const events = new EventReader(this.#maxBytes, {
      event: (event) => {
        const method = this.#received(event, reading)
        if (method !== undefined) body.slowDown(messageCost(method))
      },
      retry: (ms) => (this.#retryMs = ms),
      tooLarge: () => {
        if (reading.id !== undefined) this.#watch.tooLarge(reading.id)
      },
    })
    body.read({
      data: (piece) => events.add(piece),
      end: (error) => {
        if (error !== undefined && reading.options.cancellation?.isCancelled !== true) this.#watch.failed(error)
        this.#ended(reading)
      },
    })
  }

  /** @returns the method of a message that the server sent on its own account */
  #received({ id, type, data, reply }: StreamEvent, reading: Reading): unknown {
    if (id !== undefined && id !== '') reading.lastEventId = id
    if ((data === '' && reply === undefined) || type !== 'message') return undefined
    try {
      const message: unknown = reply ?? JSON.parse(data)
      if (!isRecord(message)) return undefined
      if (!('method' in message)) reading.isAnswered = true
      this.#watch.message(message as unknown as JSONRPCMessage)
      return message['method']
    } catch (error) {
      this.#watch.failed(error as Error)
      return undefined
    }
  }

  /** A stream without a request is always reopened; one of a request only if the server marks its events. */
  #ended(reading: Reading): void {
    const { id, options, lastEventId, isAnswered } = reading
    if (this.#isClosed || options.cancellation?.isCancelled === true) return
    const isResumable = (id === undefined || lastEventId !== undefined) && !isAnswered
    if (isResumable) this.#again(reading, 0)
    else options.onRequestStreamEnd?.()
  }

  #again(reading: Reading, attempt: number): void {
    const { cancellation, onRequestStreamEnd } = reading.options
    if (attempt >= MAX_RETRIES) return onRequestStreamEnd?.()
    const timer = setTimeout(
      () => {
        this.#waiting.delete(timer)
        if (cancellation?.isCancelled === true) return
        this.#watch.open(reading.lastEventId, cancellation).then(
          (answer) => (answer === undefined ? onRequestStreamEnd?.() : this.#read(answer.body, reading)),
          (error: Error) => {
            if (this.#isClosed || cancellation?.isCancelled === true) return
            this.#watch.failed(error)
            this.#again(reading, attempt + 1)
          },
        )
      },
      this.#retryMs ?? FIRST_WAIT_MS * WAIT_GROWTH ** attempt,
    )
    this.#waiting.add(timer)
  }
}
