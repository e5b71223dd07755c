// Requests that one replica passes on to another, which has what they are about. The receiver authenticates the client's
// token as always; the signature proves that a replica passed the request on, and where the client is.

import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ClientRequest, IncomingMessage, OutgoingHttpHeaders, RequestOptions, ServerResponse } from 'node:http'
import { GatewayError } from '../../errors.ts'
import type { Replica } from '../../model/replicas.ts'
import { http } from '../../node-http.ts'
import type { HttpExchange, RequestHead } from '../mcp/http-exchange.ts'
import { RECONNECT_SOON } from '../mcp/reply.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'
import type { Replicas } from './replicas.ts'
import type { Keys } from './seal.ts'

/** A request that another replica passed on. */
export interface Hop {
  readonly fromId: string
  /** The request as the other replica received it. */
  readonly head: RequestHead
  /** Whether it was meant for this replica; a new one may listen at the address of one that ended. */
  readonly isForUs: boolean
  /** @throws GatewayError if the body is not the one that was sent */
  readonly checkBody: (body: Buffer) => void
}

/**
 * `answered`: the client has its answer. `not-here`: the replica does not have the session, or lets go of it. `undelivered`:
 * the replica cannot be reached and did nothing.
 */
export type Forwarded = 'answered' | 'not-here' | 'undelivered'

const HOP = 'x-tooldex-hop'
const NOT_HERE = 'not-here'
const VERSION = '1'
/** Replicas share the time of the database, so that little is needed. */
const VALID_MS = 60_000
const CONNECT_MS = 2_000
/** Headers that concern one connection, and those that are made anew. */
const NOT_PASSED_ON: ReadonlySet<string> = new Set([
  ...['connection', 'keep-alive', 'proxy-authenticate', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'expect', 'host', 'content-length', HOP],
])

/** The dependencies of {@link Hops}. */
export interface HopsParts {
  readonly replicas: Replicas
  readonly keys: Keys
  readonly log: ClientLog
}

/** Passes requests on to other replicas, and receives those that others pass on. A request is passed on once at most. */
export class Hops {
  readonly #parts: HopsParts
  readonly #open = new Map<ClientRequest, { readonly toId: string; readonly end: () => void }>()
  readonly #agent = new http.Agent({ keepAlive: true })

  constructor(parts: HopsParts) {
    this.#parts = parts
    parts.replicas.onGone((id) => {
      for (const [request, { toId }] of this.#open) if (toId === id) request.destroy(new Error('the replica is gone'))
    })
  }

  /**
   * Passes a request on, and its answer back.
   * @throws GatewayError REPLICA_LOST if the replica ended while it had the request
   */
  async forward({ req, res, body }: HttpExchange, to: Replica): Promise<Forwarded> {
    const text = body === undefined ? '' : JSON.stringify(body)
    const url = new URL(to.url)
    const headers = { ...passedOn(req.headers), [HOP]: this.#sign(req, text, to.id) }
    const request = await this.#request(url, {
      method: req.method,
      path: req.url,
      headers: { ...headers, ...(body !== undefined && { 'content-length': Buffer.byteLength(text) }) },
    })
    const stop = (): void => void request.destroy()
    const isStream = req.method === 'GET'
    this.#open.set(request, { toId: to.id, end: () => void (isStream && res.headersSent && res.end(RECONNECT_SOON)) })
    res.once('close', stop)
    try {
      const answer = await answerTo(request, text)
      if (answer === undefined) {
        this.#parts.replicas.unreachable(to.id)
        return 'undelivered'
      }
      if (answer.headers[HOP] !== undefined) return this.#refused(answer)
      await passBack(answer, res, isStream)
      return 'answered'
    } finally {
      this.#open.delete(request)
      res.off('close', stop)
    }
  }

  /** A request as a hop; undefined for a request of a client. @throws GatewayError REQUEST_FORBIDDEN */
  receive(req: IncomingMessage): Hop | undefined {
    const sent = req.headers[HOP]
    if (sent === undefined) return undefined
    const [version = '', fromId = '', toId = '', time = '', sum = '', address = '', signature = ''] =
      String(sent).split(' ')
    const signed = textToSign(req, [version, fromId, toId, time, sum, address])
    const isOurs = version === VERSION && this.#parts.keys().some((key) => isEqual(signature, hmac(signed, key)))
    if (!isOurs) {
      throw new GatewayError('REQUEST_FORBIDDEN', {
        reason: 'it claims to come from another replica, but is not signed with the secret key of this one',
        remedy: 'Give all gateways on a database the same TOOLDEX_SECRET_KEY',
      })
    }
    if (Math.abs(this.#parts.replicas.now() - Number(time)) > VALID_MS) {
      throw new GatewayError('REQUEST_FORBIDDEN', {
        reason: 'another replica passed it on more than a minute ago',
        remedy: 'Send it again',
      })
    }
    return {
      fromId,
      head: {
        ...{ method: req.method, url: req.url, headers: req.headers, rawHeaders: req.rawHeaders },
        socket: { remoteAddress: decodeURIComponent(address) },
      },
      isForUs: toId === this.#parts.replicas.id,
      checkBody: (body) => {
        if (sumOf(body) !== sum)
          throw new GatewayError('REQUEST_INVALID', { reason: 'its body was changed on the way' })
      },
    }
  }

  /** Ends the streams that are passed on: their clients open others, through other replicas. */
  releaseStreams(): void {
    for (const { end } of this.#open.values()) end()
  }

  close(): void {
    for (const request of this.#open.keys()) request.destroy()
    this.#agent.destroy()
  }

  #sign(req: RequestHead, text: string, toId: string): string {
    const { replicas, keys } = this.#parts
    const [key] = keys()
    if (key === undefined) throw new Error('there is no key to sign with')
    const address = encodeURIComponent(req.socket.remoteAddress ?? '')
    const fields = [VERSION, replicas.id, toId, String(Math.round(replicas.now())), sumOf(text), address]
    return [...fields, hmac(textToSign(req, fields), key)].join(' ')
  }

  async #request(url: URL, options: RequestOptions): Promise<ClientRequest> {
    if (url.protocol !== 'https:') return http.request(url, { ...options, agent: this.#agent })
    const https = await import('node:https')
    return https.request(url, options)
  }

  #refused(answer: IncomingMessage): Forwarded {
    answer.resume()
    if (answer.headers[HOP] === NOT_HERE) return 'not-here'
    this.#parts.log.warn({}, 'another replica refuses requests of this one. Give all the same TOOLDEX_SECRET_KEY')
    return 'undelivered'
  }
}

/** Tells the other replica that the session is not, or no longer, here. */
export function answerNotHere(res: ServerResponse): void {
  res.writeHead(421, { [HOP]: NOT_HERE }).end()
}

/** Marks the answer to a request that only seems to come from a replica. */
export function markRefused(res: ServerResponse): void {
  res.setHeader(HOP, 'refused')
}

/** Resolves to the answer; undefined if no connection was made. @throws GatewayError REPLICA_LOST */
function answerTo(request: ClientRequest, text: string): Promise<IncomingMessage | undefined> {
  return new Promise((resolve, reject) => {
    let isConnected = false
    const timer = setTimeout(() => request.destroy(new Error('no connection')), CONNECT_MS)
    const connected = (): void => {
      isConnected = true
      clearTimeout(timer)
    }
    request.once('socket', (socket) => {
      if (socket.connecting) socket.once('connect', connected)
      else connected()
    })
    request.once('response', resolve)
    // The client may be gone as well; then the answer goes nowhere.
    request.on('error', () => {
      clearTimeout(timer)
      if (isConnected) reject(replicaLost())
      else resolve(undefined)
    })
    request.end(text)
  })
}

function replicaLost(): GatewayError {
  return new GatewayError('REPLICA_LOST', {
    remedy: 'The request may have taken effect: check that before you send it again. The session goes on',
  })
}

/** @param isStream whether its end only means that the client opens it again */
async function passBack(answer: IncomingMessage, res: ServerResponse, isStream: boolean): Promise<void> {
  if (res.destroyed) return void answer.destroy()
  res.writeHead(answer.statusCode ?? 502, passedOn(answer.headers))
  res.flushHeaders()
  answer.pipe(res)
  await new Promise<void>((resolve) => {
    res.once('close', resolve)
    answer.once('error', () => (isStream ? res.end() : res.destroy()))
  })
}

function passedOn(headers: IncomingMessage['headers']): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !NOT_PASSED_ON.has(name)))
}

/** The signature covers the fields of the hop, the target, the token and the session. */
function textToSign({ method, url, headers }: RequestHead, fields: readonly string[]): string {
  const { authorization = '', 'mcp-session-id': session = '' } = headers
  return JSON.stringify([fields, method, url, authorization, session])
}

const sumOf = (body: string | Buffer): string => createHash('sha256').update(body).digest('base64url')
const hmac = (text: string, key: Buffer): string => createHmac('sha256', key).update(text).digest('base64url')

function isEqual(given: string, expected: string): boolean {
  const [one, other] = [Buffer.from(given), Buffer.from(expected)]
  return one.length === other.length && timingSafeEqual(one, other)
}
