import { randomUUID } from 'node:crypto'
import { cleanText } from '@tooldex/http-kit/clean-text'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { GatewayError } from '../../errors.ts'
import type { AuditedClient, AuditTransport } from '../../model/audit.ts'
import { type Endpoint, isInternalEndpoint } from '../../model/endpoint.ts'
import { LOCAL_TOKEN_ID, type Principal } from '../../model/principal.ts'
import { LOG_LEVELS, META_KEY } from './json-rpc.ts'
import type { RpcMessage, Caller } from './requests/request-handler.ts'

/** The client at the other end of a session, a connection or a single request. */
export interface ClientIdentity {
  readonly principal: Principal
  readonly endpoint: Endpoint
  readonly era: 'legacy' | 'modern'
  readonly protocolVersion: string
  readonly sessionId?: string
  /** Default `http`. */
  readonly transport?: 'http' | 'sse' | 'stdio'
  readonly clientInfo?: JsonObject
  readonly clientCapabilities: JsonObject
  readonly parameterHeaders?: ReadonlyMap<string, string>
  /** Whether the client runs on this machine. */
  readonly isLocal?: boolean
}

/** How a request can be cancelled, and how its client is notified and asked while it is open. */
export type RequestChannel = Pick<Caller, 'signal' | 'notify' | 'ask'>

/** The client as the caller of one request. */
export function callerOf(client: ClientIdentity, channel: RequestChannel): Caller {
  return {
    principal: client.principal,
    endpoint: client.endpoint,
    era: client.era,
    protocolVersion: client.protocolVersion,
    requestId: newRequestId(),
    sessionId: client.sessionId,
    from: auditedClientOf(client),
    clientInfo: client.clientInfo,
    clientCapabilities: client.clientCapabilities,
    parameterHeaders: client.parameterHeaders,
    isLocal: client.isLocal,
    signal: channel.signal,
    notify: channel.notify,
    ask: channel.ask,
  }
}

function transportOf({ transport = 'http', era, principal, endpoint }: ClientIdentity): AuditTransport {
  if (transport !== 'http') return transport
  // The owner's token comes from processes of this program: commands, and those that join clients over stdio.
  if (principal.tokenId === LOCAL_TOKEN_ID) return isInternalEndpoint(endpoint.id) ? 'command-line' : 'stdio'
  return era === 'modern' ? 'stateless-http' : 'streamable-http'
}

const LONGEST_NAME = 100
/** Most names; the test is faster than the cleaning, and every request has one. */
const PLAIN_NAME = /^[!-~]{1,100}$/

const cleanName = (name: string): string => (PLAIN_NAME.test(name) ? name : cleanText(name, LONGEST_NAME))

/** The client program as audit entries name it. */
function auditedClientOf(client: ClientIdentity): AuditedClient {
  const { name: clientName, version: clientVersion } = client.clientInfo ?? {}
  return {
    transport: transportOf(client),
    ...(typeof clientName === 'string' && { clientName: cleanName(clientName) }),
    ...(typeof clientVersion === 'string' && { clientVersion: cleanName(clientVersion) }),
  }
}

/** The client outside of any request: for its notifications, and for the gateway's description of itself. */
export function callerOutsideRequest(client: ClientIdentity): Caller {
  return callerOf(client, { signal: NEVER_ABORTED, notify: () => undefined })
}

/** The reason to cut a call whose token became invalid while it was open. */
export function accessEnded(): GatewayError {
  return new GatewayError('TOKEN_INVALID', {
    reason: 'it expired, was revoked or lost this endpoint while the request was being answered',
    remedy: 'Ask for a new one',
  })
}

/** Whether a request was cut for that reason. */
export function isAccessEnded(signal: AbortSignal): signal is AbortSignal & { readonly reason: GatewayError } {
  return signal.reason instanceof GatewayError && signal.reason.code === 'TOKEN_INVALID'
}

const NEVER_ABORTED = new AbortController().signal

/**
 * A UUID of version 7. It begins with the time, so that ids of one moment are neighbours in an index of the audit log and
 * adding one touches no other page.
 */
export function newRequestId(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, '0')
  return `${time.slice(0, 8)}-${time.slice(8)}-7${randomUUID().slice(15)}`
}

/**
 * Whether a notification may go out on the stream of a request. With a session every one may; in 2026-07-28 only
 * progress, and log messages of the severity that the request asked for. List changes have a stream of their own.
 */
export function mayNotify(era: 'legacy' | 'modern', notification: RpcMessage, request: RpcMessage): boolean {
  if (era === 'legacy' || notification.method === 'notifications/progress') return true
  if (notification.method !== 'notifications/message') return false
  const meta = request.params?.['_meta']
  const least = isRecord(meta) ? LOG_LEVELS.indexOf(String(meta[META_KEY.logLevel])) : -1
  return least >= 0 && LOG_LEVELS.indexOf(String(notification.params?.['level'])) >= least
}
