import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Endpoint } from '../access/endpoint.ts'
import type { Principal } from '../access/principal.ts'
import type { GatewayError } from '../errors.ts'
import { isObject, isRequestId, type JsonObject, type RequestId, replyMessage } from './json-rpc.ts'
import { gatewayFailure, httpStatusOf } from './rpc-errors.ts'

/** An HTTP request that passed the guards, and the response to it. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly principal: Principal
  readonly endpoint: Endpoint
  /** The parsed JSON of a POST. */
  readonly body: unknown
}

/** One header as text; a repeated one joined as Node does it. */
export function header(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(', ') : value
}

const PARAMETER = 'mcp-param-'

/** The headers that repeat arguments of a call (2026-07-28), by the name of the parameter in lower case. */
export function parameterHeaders(req: IncomingMessage): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const name in req.headers) {
    if (name.startsWith(PARAMETER)) found.set(name.slice(PARAMETER.length), header(req, name) ?? '')
  }
  return found
}

/** Answers with a body of JSON. */
export function sendJson(
  res: ServerResponse,
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
  res: ServerResponse,
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
