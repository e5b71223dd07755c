import { setMaxListeners } from 'node:events'
import type { ClientRequest, IncomingMessage } from 'node:http'
import https from 'node:https'
import { http } from '../../node-http.ts'
import { HttpReply } from './http-reply.ts'
import type { CutWatch } from '../protocol/reply-limit.ts'
import { networkReason } from '../protocol/server-failure.ts'

/** What a guarded fetch tells its transport. */
export interface FetchWatch {
  /** The reply to this request is over the limit. */
  readonly tooLarge: (requestId: number) => void
  /** Nothing answers at the other end. */
  readonly unreachable: (reason: string) => void
}

/** What the SDK asks of a fetch. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

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
  readonly #agents = { 'http:': new http.Agent({ keepAlive: true }), 'https:': new https.Agent({ keepAlive: true }) }

  constructor(maxReplyBytes: number, watch: FetchWatch) {
    this.#maxReplyBytes = maxReplyBytes
    this.#watch = watch
  }

  readonly fetch: Fetch = async (address, init = {}) => {
    const url = new URL(address)
    const headers = new Headers(init.headers)
    // Bodies are not unpacked here, so none may come packed.
    headers.set('accept-encoding', 'identity')
    try {
      const message = await this.#send(url, init, Object.fromEntries(headers))
      return new HttpReply(message, url.href, this.#maxReplyBytes, cutWatch(this.#watch)) as unknown as Response
    } catch (error) {
      if (!init.signal?.aborted) this.#watch.unreachable(networkReason(error) ?? 'cannot be reached')
      throw error
    }
  }

  /** Lets go of the connections that are kept open. */
  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy()
  }

  #send(url: URL, init: RequestInit, headers: Record<string, string>): Promise<IncomingMessage> {
    const { signal, method = 'GET', body } = init
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
      request.once('response', resolve)
      request.on('error', reject)
      request.end(body)
    })
  }
}

function destroyOnAbort(request: ClientRequest, signal: AbortSignal): void {
  // The SDK hangs every request of a connection on one signal; thousands are in order.
  setMaxListeners(0, signal)
  const onAbort = () => request.destroy(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  request.once('close', () => signal.removeEventListener('abort', onAbort))
}

/** The stream is everybody's, so the reply is asked for its id at its edges. */
function cutWatch(watch: FetchWatch): CutWatch {
  return {
    onSkipped: (head: string, tail: string) => {
      const id = ID_AT_HEAD.exec(head)?.[1] ?? ID_AT_TAIL.exec(tail)?.[1]
      if (id !== undefined) watch.tooLarge(Number(id))
    },
  }
}
