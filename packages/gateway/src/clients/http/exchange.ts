import type { IncomingHttpHeaders } from 'node:http'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import type { GatewayError } from '../../errors.ts'
import { isObject, isRequestId, type JsonObject, type RequestId, replyMessage } from '../mcp/json-rpc.ts'
import { gatewayFailure, httpStatusOf } from '../mcp/rpc-errors.ts'

/** A request without its body, as much of it as anybody here looks at. Node's own, or one that was read without it. */
export interface RequestHead {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** By name in lower case. */
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** A response, as much of it as whoever answers needs. Node's own, or one that is written without it. */
export interface ResponseSink {
  readonly headersSent: boolean
  readonly destroyed: boolean
  readonly writableEnded: boolean
  readonly writableFinished: boolean
  readonly writableLength: number
  writeHead(status: number, headers?: Readonly<Record<string, string | number>>): this
  flushHeaders(): void
  /** false = who wants to write more waits for `drain`. */
  write(piece: string | Uint8Array): boolean
  end(text?: string): unknown
  destroy(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
  off(event: 'close' | 'drain', listener: () => void): unknown
}

/** An HTTP request that passed the guards, and the response to it. */
export interface Exchange {
  readonly req: RequestHead
  readonly res: ResponseSink
  readonly principal: Principal
  readonly endpoint: Endpoint
  /** The parsed JSON of a POST. */
  readonly body: unknown
}

/** One header as text; a repeated one joined as Node does it. */
export function header(req: RequestHead, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const PARAMETER = 'mcp-param-'

/** The headers that repeat arguments of a call (2026-07-28), by the name of the parameter in lower case. */
export function parameterHeaders(req: RequestHead): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name in req.headers) {
    if (name.startsWith(PARAMETER)) found.set(name.slice(PARAMETER.length), header(req, name) ?? '')
  }
  return found
}

/** Answers with a body of JSON. */
export function sendJson(
  res: ResponseSink,
  status: number,
  body: JsonObject,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body)
  res.writeHead(status, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  res.end(text)
}

/** Answers with a failure of ours, as a JSON-RPC error that names the request where it has an id. */
export function refuse(
  res: ResponseSink,
  error: GatewayError,
  options: { body?: unknown; headers?: Record<string, string> } = {},
): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const message = replyMessage(idOf(options.body), { error: gatewayFailure(error) })
  sendJson(res, httpStatusOf(error.code), message, options.headers)
}

function idOf(body: unknown): RequestId | null {
  return isObject(body) && typeof body['method'] === 'string' && isRequestId(body['id']) ? body['id'] : null
}
