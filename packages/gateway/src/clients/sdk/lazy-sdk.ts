import type { Answering } from '../mcp/answer.ts'
import type { ConnectedClients } from '../mcp/connected-clients.ts'
import type { HttpExchange } from '../mcp/http-exchange.ts'
import type { SessionPlaces, Sessions } from '../mcp/sessions.ts'
import type { ListenLimits, ListenStreams } from './listen-streams.ts'
import type { SseTransports } from './sse.ts'

/** What the HTTP server shares with the SDK's transports. */
export interface SdkParts {
  readonly answering: Answering
  readonly sessions: Sessions
  readonly homes: SessionPlaces
  readonly clients: ConnectedClients
  readonly listenLimits?: ListenLimits | undefined
  /** Milliseconds of the clock of the sessions. Default: that of the process. */
  readonly now?: (() => number) | undefined
}

/** The transports that need the SDK, loaded on first use: most gateways never need its 15 MB. */
export class LazySdk {
  readonly #parts: SdkParts
  #listenStreams: Promise<ListenStreams> | undefined
  #sse: Promise<SseTransports> | undefined

  constructor(parts: SdkParts) {
    this.#parts = parts
  }

  /** `subscriptions/listen` of 2026-07-28. */
  async listen(exchange: HttpExchange): Promise<void> {
    const streams = await this.#loadListenStreams()
    // A response that was closed while loading emits no further event.
    if (!exchange.res.destroyed) await streams.open(exchange)
  }

  /** Opens an HTTP+SSE stream. */
  async openSse(exchange: HttpExchange, messagesPath: string): Promise<void> {
    const sse = await this.#loadSse()
    if (!exchange.res.destroyed) await sse.open(exchange, messagesPath)
  }

  /** A message of an HTTP+SSE client. */
  async postSse(exchange: HttpExchange): Promise<void> {
    await (await this.#loadSse()).post(exchange)
  }

  /** Ends the streams of tokens that are no longer valid, and those that are released and quiet. */
  sweep(): void {
    void this.#listenStreams?.then((streams) => streams.sweep())
    void this.#sse?.then((sse) => sse.sweep())
  }

  /** Ends the streams: their clients go to another replica. Those of HTTP+SSE end when their clients lose least, or with the signal. */
  async release(until: AbortSignal): Promise<void> {
    await (await this.#listenStreams)?.close()
    await (await this.#sse)?.release(until)
  }

  async close(): Promise<void> {
    await (await this.#listenStreams)?.close()
  }

  #loadListenStreams(): Promise<ListenStreams> {
    const { answering, clients, listenLimits } = this.#parts
    this.#listenStreams ??= import('./listen-streams.ts').then(
      ({ ListenStreams: Streams }) => new Streams(answering, clients, listenLimits),
    )
    return this.#listenStreams
  }

  #loadSse(): Promise<SseTransports> {
    this.#sse ??= import('./sse.ts').then(({ SseTransports: Sse }) => new Sse(this.#parts))
    return this.#sse
  }
}
