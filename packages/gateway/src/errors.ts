/** Every code of the gateway; `docs/reference/gateway-errors.md` explains each. */
export type GatewayErrorCode = keyof typeof MESSAGES

const MESSAGES = {
  CONFIG_INVALID: 'The configuration is not valid',
  INVALID_ARGUMENTS: 'The arguments are not valid',
  TOOL_NOT_FOUND: 'No such tool',
  TOOL_AMBIGUOUS: 'More than one tool has that name',
  TOOL_DISABLED: 'The tool is disabled',
  TOOL_NOT_READ_ONLY: 'The tool is not read-only',
  TOOL_HELD: 'The tool is held for approval',
  PROMPT_NOT_FOUND: 'No such prompt',
  RESOURCE_NOT_FOUND: 'No such resource',
  RESULT_NOT_FOUND: 'No result is kept under this id',
  SERVER_NOT_FOUND: 'No such server',
  SERVER_STARTING: 'The server is still starting',
  SERVER_STOPPED: 'The server is stopped',
  SERVER_FAILED: 'The server has failed',
  SERVER_START_FAILED: 'The server could not be started',
  SERVER_CRASHED: 'The server exited during the request',
  SERVER_TIMEOUT: 'The server did not answer in time',
  SERVER_BUSY: 'The server has too many calls in progress',
  SERVER_NEEDS_LOGIN: 'The server needs a login',
  SERVER_HELD: 'The server is held for approval',
  REPLY_TOO_LARGE: 'The reply is larger than the limit',
  REPLY_INVALID: 'The server sent an invalid reply',
  CALL_CANCELLED: 'The call was cancelled',
  CALL_NOT_PARKED: 'No call is parked under this requestState',
  TOKEN_MISSING: 'A token is required',
  TOKEN_INVALID: 'The token is not valid',
  TOKEN_EXPIRED: 'The token has expired',
  TOO_MANY_ATTEMPTS: 'Too many invalid tokens from this address',
  PROJECT_NOT_FOUND: 'No such project',
  ENDPOINT_NOT_FOUND: 'No such endpoint',
  SESSION_NOT_FOUND: 'No such session',
  TOO_MANY_SESSIONS: 'Too many sessions are open',
  GATEWAY_STOPPING: 'The gateway is stopping',
  REPLICA_LOST: 'The gateway that had the request has ended',
  CONNECTION_REFUSED: 'Too many connections are open',
  REQUEST_INVALID: 'The request is not valid',
  REQUEST_TOO_LARGE: 'The request is larger than the limit',
  REQUEST_NOT_JSON: 'The request is not JSON',
  REQUEST_FORBIDDEN: 'Requests from this host or origin are not allowed',
  METHOD_NOT_ALLOWED: 'The HTTP method is not allowed',
  PATH_NOT_FOUND: 'Not found',
  SEARCH_OFF: 'Tool search is off for this project',
  SEARCH_UNAVAILABLE: 'Tool search is unavailable',
  REGISTRY_UNAVAILABLE: 'The registry cannot be reached',
  STORE_UNAVAILABLE: 'The database is unavailable',
  STORE_CORRUPT: 'The database is damaged',
  STORE_TOO_NEW: 'The database was written by a newer release',
  SECRET_KEY_WRONG: 'Stored secrets cannot be read or written with the current key',
  NAME_TAKEN: 'The name is taken',
  FILE_MANAGED: 'The entry is declared in a file',
  REVISION_CONFLICT: 'The entry was changed in the meantime',
  TOKEN_NOT_FOUND: 'No such token',
  LAST_ADMIN_TOKEN: 'The last administrator cannot be removed',
  NOT_RUNNING: 'This needs a running gateway',
  ALREADY_RUNNING: 'A gateway runs on this data folder already',
  LOGIN_NOT_NEEDED: 'The server does not ask for a login',
  ADMIN_REQUIRED: 'This needs an admin token',
  ROLE_REQUIRED: 'This needs another role',
  FRESH_PROOF_REQUIRED: 'This needs a fresh proof of identity',
  LOCAL_ONLY: 'This is possible only on the machine of the gateway',
  CLIENT_NOT_FOUND: 'No such client on this machine',
  CLIENT_FILE_REFUSED: 'The file of the client cannot be changed',
  SCOPE_INSUFFICIENT: 'The scope of the token is insufficient',
  RATE_LIMITED: 'Too many requests',
  ISSUER_UNAVAILABLE: 'The identity provider cannot be reached',
  INTERNAL: 'Internal error in the gateway',
} as const

/** Public details of a failure, such as its subject and the remedy. `retryAfter` is in seconds. Never secrets, arguments or results. */
export type ErrorDetails = Readonly<Record<string, string | number | readonly string[]>>

/** The only error that the gateway throws itself. Match on `code`. `details.reason` and `details.remedy` are for people. */
export class GatewayError extends Error {
  override readonly name = 'GatewayError'
  readonly code: GatewayErrorCode
  readonly details: ErrorDetails

  constructor(code: GatewayErrorCode, details: ErrorDetails = {}, options?: ErrorOptions) {
    super(sentence(MESSAGES[code], details), options)
    this.code = code
    this.details = details
  }
}

/** A JSON-RPC error of a server; passed on with its own code, message and data. */
export class ServerReplyError extends Error {
  override readonly name = 'ServerReplyError'
  readonly rpcCode: number
  readonly data: unknown

  constructor(rpcCode: number, message: string, data?: unknown) {
    super(message)
    this.rpcCode = rpcCode
    this.data = data
  }
}

/** All codes, for tables that must be complete and for the documentation check. */
export const GATEWAY_ERROR_CODES = Object.keys(MESSAGES) as readonly GatewayErrorCode[]

/** The title of a code. */
export function titleOf(code: GatewayErrorCode): string {
  return MESSAGES[code]
}

function sentence(message: string, details: ErrorDetails): string {
  const reason = details['reason'] === undefined ? message : `${message}: ${String(details['reason'])}`
  return details['remedy'] === undefined ? reason : `${reason}. ${String(details['remedy'])}`
}
