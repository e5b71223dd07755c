import type { IncomingMessage, ServerResponse } from 'node:http'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { isLocal } from '@tooldex/http-kit/server'
import type { GatewayError } from '../../errors.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { type RpcFailure, replyMessage } from './json-rpc.ts'
import { gatewayFailure, httpStatusOf } from './rpc-errors.ts'

/** The parts of a request that decide where it goes and who sent it. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
  readonly socket: { readonly remoteAddress?: string | undefined }
}

/** An HTTP request that passed the guards, and the response to it. */
export interface HttpExchange {
  readonly req: RequestHead
  readonly res: ServerResponse
  readonly principal: Principal
  readonly endpoint: Endpoint
  /** The parsed JSON of a POST. */
  readonly body: unknown
  /** The replica that passed the request on; absent if it comes from the client. */
  readonly hop?: { readonly fromId: string } | undefined
}

/** Whether the client runs on this machine. Where the client of another replica runs is not known. */
export function isOnThisMachine({ req, hop }: Pick<HttpExchange, 'req' | 'hop'>): boolean {
  return hop === undefined && isLocal(req)
}

/** One header as text; a repeated one is joined as Node does it. */
export function header(req: Pick<RequestHead, 'headers'>, name: string): string | undefined {
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

/** Answers with JSON. */
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

/** Answers with an error that the protocol defines. Without `body` the answer names no request. */
export function sendFailure(res: ServerResponse, status: number, error: RpcFailure, body?: unknown): void {
  sendJson(res, status, replyMessage(idOf(body), { error }))
}

/** Answers with an error of the gateway, as a JSON-RPC error that names the request if it has an id. */
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

function idOf(body: unknown): string | number | null {
  if (!isRecord(body) || typeof body['method'] !== 'string') return null
  return typeof body['id'] === 'string' || typeof body['id'] === 'number' ? body['id'] : null
}
