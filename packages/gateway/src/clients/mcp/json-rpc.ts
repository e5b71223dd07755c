import type { JsonObject } from '@tooldex/http-kit/json'
import type { RpcMessage } from './requests/request-handler.ts'

/** The id of a request; the client's own, unique only within its session or request. */
export type RequestId = string | number

/** A request with its id. */
export interface RpcRequest extends RpcMessage {
  readonly id: RequestId
}

/** A JSON-RPC error as it goes over the wire. */
export interface RpcFailure {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** The outcome of a request. */
export type Answer = { readonly result: JsonObject } | { readonly error: RpcFailure }

/** The codes that JSON-RPC and MCP define themselves. */
export const RPC_CODE = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  /** Streamable HTTP with sessions: the request does not fit the transport. */
  transport: -32000,
  headerMismatch: -32020,
  missingClientCapability: -32021,
  unsupportedProtocolVersion: -32022,
} as const

/** The keys under `_meta` that the protocol reserves (2026-07-28). */
export const META_KEY = {
  protocolVersion: 'io.modelcontextprotocol/protocolVersion',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  clientCapabilities: 'io.modelcontextprotocol/clientCapabilities',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
} as const

/** The severities of log messages, least severe first. */
export const LOG_LEVELS: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
]

/** Whether a value can be the id of a request. */
export function isRequestId(value: unknown): value is RequestId {
  return typeof value === 'string' || Number.isSafeInteger(value)
}

/** The message that answers a request; `null` if its id could not be read. */
export function replyMessage(id: RequestId | null, answer: Answer): JsonObject {
  return { jsonrpc: '2.0', id, ...answer }
}
