import { setMaxListeners } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { http } from '../node-http.ts'
import { type HttpMessage, HttpReply } from './http-reply.ts'
import { arePlainHeaders, HttpWire } from './http-wire.ts'
import type { CutWatch } from './reply-limit.ts'
import { networkReason } from './server-failure.ts'

/** Carries a request's id from a transport to its fetch; it never leaves the process. */
export const REQUEST_ID_HEADER = 'tooldex-request-id'

/** What a guarded fetch tells its transport. */
export interface FetchWatch {
  /** The reply to this request is over the limit. */
  readonly tooLarge: (requestId: number) => void
  /** Nothing answers at the other end. */
  readonly unreachable: (reason: string) => void
}

/** What the SDK asks of a fetch. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** One request as it goes out. */
export interface GuardedRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  readonly signal?: AbortSignal
  readonly requestId: string | undefined
}

/** A reply begins or ends with its id, whichever way the server writes it. */
const ID_AT_HEAD = /^data: ?\{(?:"jsonrpc":"2\.0",)?"id":(\d+)/m
const ID_AT_TAIL = /"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/

/**
 * A fetch over kept-open connections that bounds what it reads and tells when the server is out of reach. The built-in
 * one costs more than everything else that a call does, so this one offers only what the SDK's transports use.
 */
export class GuardedFetch {
  readonly #maxReplyBytes: number
  readonly #watch: FetchWatch
  readonly #held = new Map<string, HttpReply>()
  readonly #wires = new Map<string, HttpWire>()
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }

  constructor(maxReplyBytes: number, watch: FetchWatch) {
    this.#maxReplyBytes = maxReplyBytes
    this.#watch = watch
  }

  readonly fetch: Fetch = async (address, init = {}) => {
    const url = new URL(address)
    const headers = new Headers(init.headers)
    const requestId = headers.get(REQUEST_ID_HEADER) ?? undefined
    const held = requestId === undefined ? undefined : this.#taken(requestId)
    if (held !== undefined) return held as unknown as Response
    headers.delete(REQUEST_ID_HEADER)
    const { signal } = init
    return (await this.send(url, {
      method: init.method ?? 'GET',
      // Bodies are not unpacked here, so none may come packed.
      headers: { ...Object.fromEntries(headers), 'accept-encoding': 'identity' },
      ...(typeof init.body === 'string' && { body: init.body }),
      ...(signal && { signal }),
      requestId,
    })) as unknown as Response
  }

  /** One request, without the detour over the classes of the platform. */
  async send(url: URL, request: GuardedRequest): Promise<HttpReply> {
    try {
      const message = await (isPlainPost(url, request) ? this.#wireTo(url).post(request) : this.#exchange(url, request))
      return new HttpReply(message, url.href, this.#maxReplyBytes, cutWatch(request.requestId, this.#watch))
    } catch (error) {
      if (!request.signal?.aborted) this.#watch.unreachable(networkReason(error) ?? 'cannot be reached')
      throw error
    }
  }

  /** Keeps an answer that has come already, for the fetch that the SDK is about to make with that id. */
  hold(requestId: string, reply: HttpReply): void {
    this.#held.set(requestId, reply)
  }

  /** Lets go of the connections that are kept open. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
    for (const wire of this.#wires.values()) wire.close()
  }

  #taken(requestId: string): HttpReply | undefined {
    const reply = this.#held.get(requestId)
    this.#held.delete(requestId)
    return reply
  }

  #wireTo(url: URL): HttpWire {
    const wire = this.#wires.get(url.href) ?? new HttpWire(url)
    this.#wires.set(url.href, wire)
    return wire
  }

  #exchange(url: URL, { method, headers, body, signal }: GuardedRequest): Promise<HttpMessage> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    const { protocol } = url
    if (protocol !== 'http:' && protocol !== 'https:') return Promise.reject(new TypeError(`${protocol} is not HTTP`))
    return new Promise((resolve, reject) => {
      const request = (protocol === 'http:' ? http : https).request(url, {
        method,
        headers,
        agent: this.#agents[protocol],
      })
      if (signal) destroyOnAbort(request, signal)
      request.once('response', (answer) => resolve(messageOf(answer)))
      request.on('error', reject)
      request.end(body)
    })
  }
}

/** Without TLS, credentials in the address and odd headers, our own client will do. */
function isPlainPost(url: URL, request: GuardedRequest): request is GuardedRequest & { readonly body: string } {
  if (request.method !== 'POST' || request.body === undefined || url.protocol !== 'http:') return false
  return url.username === '' && arePlainHeaders(request.headers)
}

function messageOf(answer: IncomingMessage): HttpMessage {
  const { statusCode = 0, statusMessage = '', headers } = answer
  return { statusCode, statusMessage, headers, body: answer }
}

function destroyOnAbort(request: ClientRequest, signal: AbortSignal): void {
  // The SDK hangs every request of a connection on one signal; thousands are in order.
  setMaxListeners(0, signal)
  const onAbort = () => request.destroy(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  request.once('close', () => signal.removeEventListener('abort', onAbort))
}

/** A stream of one request tells whose reply was cut; a shared one is asked for the id at the reply's edges. */
function cutWatch(requestId: string | undefined, watch: FetchWatch): CutWatch {
  if (requestId !== undefined) return { onCut: () => watch.tooLarge(Number(requestId)) }
  return {
    onSkipped: (head: string, tail: string) => {
      const id = ID_AT_HEAD.exec(head)?.[1] ?? ID_AT_TAIL.exec(tail)?.[1]
      if (id !== undefined) watch.tooLarge(Number(id))
    },
  }
}
