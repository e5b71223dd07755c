import { GatewayError, type GatewayErrorCode, ServerReplyError } from '../../errors.ts'
import { RPC_CODE, type RpcFailure } from './json-rpc.ts'
import { RpcError } from './requests/request-handler.ts'

/**
 * Every error code of the gateway with its JSON-RPC code and the HTTP status for errors outside of JSON-RPC. The gateway's
 * JSON-RPC codes lie outside -32768…-32000, which JSON-RPC and MCP reserve.
 */
const WIRE = {
  CONFIG_INVALID: { rpc: RPC_CODE.internalError, http: 500 },
  INVALID_ARGUMENTS: { rpc: RPC_CODE.invalidParams, http: 400 },
  TOOL_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  TOOL_AMBIGUOUS: { rpc: RPC_CODE.invalidParams, http: 409 },
  TOOL_DISABLED: { rpc: RPC_CODE.invalidParams, http: 403 },
  TOOL_NOT_READ_ONLY: { rpc: RPC_CODE.invalidParams, http: 403 },
  PROMPT_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  RESOURCE_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  RESULT_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  SERVER_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  SERVER_STARTING: { rpc: -31035, http: 503 },
  SERVER_STOPPED: { rpc: -31001, http: 503 },
  SERVER_FAILED: { rpc: -31002, http: 502 },
  SERVER_START_FAILED: { rpc: -31003, http: 502 },
  SERVER_CRASHED: { rpc: -31004, http: 502 },
  SERVER_TIMEOUT: { rpc: -31005, http: 504 },
  SERVER_BUSY: { rpc: -31006, http: 503 },
  SERVER_NEEDS_LOGIN: { rpc: -31007, http: 503 },
  SERVER_HELD: { rpc: -31008, http: 503 },
  TOOL_HELD: { rpc: -31043, http: 503 },
  REPLY_TOO_LARGE: { rpc: -31009, http: 502 },
  REPLY_INVALID: { rpc: -31010, http: 502 },
  CALL_CANCELLED: { rpc: -31011, http: 499 },
  CALL_NOT_PARKED: { rpc: RPC_CODE.invalidParams, http: 404 },
  TOKEN_MISSING: { rpc: -31012, http: 401 },
  TOKEN_INVALID: { rpc: -31013, http: 401 },
  TOKEN_EXPIRED: { rpc: -31044, http: 401 },
  TOO_MANY_ATTEMPTS: { rpc: -31014, http: 429 },
  PROJECT_NOT_FOUND: { rpc: RPC_CODE.invalidParams, http: 404 },
  ENDPOINT_NOT_FOUND: { rpc: -31015, http: 404 },
  // The code that clients with sessions know.
  SESSION_NOT_FOUND: { rpc: -32001, http: 404 },
  TOO_MANY_SESSIONS: { rpc: -31016, http: 503 },
  GATEWAY_STOPPING: { rpc: -31041, http: 503 },
  REPLICA_LOST: { rpc: -31045, http: 502 },
  CONNECTION_REFUSED: { rpc: -31034, http: 503 },
  REQUEST_INVALID: { rpc: RPC_CODE.invalidRequest, http: 400 },
  REQUEST_TOO_LARGE: { rpc: -31017, http: 413 },
  REQUEST_NOT_JSON: { rpc: -31018, http: 415 },
  REQUEST_FORBIDDEN: { rpc: -31019, http: 403 },
  METHOD_NOT_ALLOWED: { rpc: -31020, http: 405 },
  PATH_NOT_FOUND: { rpc: -31021, http: 404 },
  SEARCH_OFF: { rpc: RPC_CODE.invalidParams, http: 409 },
  SEARCH_UNAVAILABLE: { rpc: -31022, http: 503 },
  REGISTRY_UNAVAILABLE: { rpc: -31040, http: 503 },
  STORE_UNAVAILABLE: { rpc: -31023, http: 503 },
  STORE_CORRUPT: { rpc: -31024, http: 500 },
  STORE_TOO_NEW: { rpc: -31025, http: 500 },
  SECRET_KEY_WRONG: { rpc: -31026, http: 500 },
  NAME_TAKEN: { rpc: RPC_CODE.invalidRequest, http: 409 },
  FILE_MANAGED: { rpc: RPC_CODE.invalidRequest, http: 409 },
  REVISION_CONFLICT: { rpc: RPC_CODE.invalidRequest, http: 412 },
  TOKEN_NOT_FOUND: { rpc: RPC_CODE.invalidRequest, http: 404 },
  LAST_ADMIN_TOKEN: { rpc: RPC_CODE.invalidRequest, http: 409 },
  ALREADY_RUNNING: { rpc: RPC_CODE.invalidRequest, http: 409 },
  NOT_RUNNING: { rpc: RPC_CODE.invalidRequest, http: 409 },
  LOGIN_NOT_NEEDED: { rpc: RPC_CODE.invalidRequest, http: 409 },
  ADMIN_REQUIRED: { rpc: -31030, http: 403 },
  ROLE_REQUIRED: { rpc: RPC_CODE.invalidRequest, http: 403 },
  FRESH_PROOF_REQUIRED: { rpc: RPC_CODE.invalidRequest, http: 403 },
  LOCAL_ONLY: { rpc: RPC_CODE.invalidRequest, http: 403 },
  CLIENT_NOT_FOUND: { rpc: RPC_CODE.invalidRequest, http: 404 },
  CLIENT_FILE_REFUSED: { rpc: RPC_CODE.invalidRequest, http: 409 },
  SCOPE_INSUFFICIENT: { rpc: -31031, http: 403 },
  RATE_LIMITED: { rpc: -31032, http: 429 },
  ISSUER_UNAVAILABLE: { rpc: -31033, http: 503 },
  INTERNAL: { rpc: RPC_CODE.internalError, http: 500 },
} as const satisfies Record<GatewayErrorCode, { readonly rpc: number; readonly http: number }>

/** The log of the client side. Details of unexpected failures go there, and not to clients. */
export interface ClientLog {
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** The HTTP status of an error outside of JSON-RPC. */
export function httpStatusOf(code: GatewayErrorCode): number {
  return WIRE[code].http
}

/** A gateway error as a JSON-RPC error: code, message, details. */
export function gatewayFailure(error: GatewayError): RpcFailure {
  return { code: WIRE[error.code].rpc, message: error.message, data: { ...error.details, code: error.code } }
}

/** The JSON-RPC error for anything that a handler throws. Unexpected errors are logged, and answered as INTERNAL. */
export function rpcFailure(error: unknown, context: { requestId: string; method: string }, log: ClientLog): RpcFailure {
  if (error instanceof GatewayError) return gatewayFailure(error)
  if (error instanceof ServerReplyError || error instanceof RpcError) {
    return {
      code: wireCode(error.rpcCode),
      message: error.message,
      ...(error.data === undefined ? {} : { data: error.data }),
    }
  }
  log.error({ ...context, ...harmlessFacts(error) }, 'A request failed unexpectedly')
  return gatewayFailure(new GatewayError('INTERNAL', { requestId: context.requestId }))
}

/** -32002 (resource missing) was withdrawn in 2026-07-28; clients of both eras understand its successor. */
function wireCode(code: number): number {
  return code === -32002 ? RPC_CODE.invalidParams : code
}

/** Kind and place of an error. Its message is left out, because it may quote arguments. */
function harmlessFacts(error: unknown): { error: string; at: readonly string[] } {
  if (!(error instanceof Error)) return { error: typeof error, at: [] }
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '))
  return { error: error.name, at: frames.slice(0, 6).map((line) => line.trim()) }
}
