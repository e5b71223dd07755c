import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { isObject, type JsonObject, META_KEY } from './json-rpc.ts'
import { newRequestId } from './request-id.ts'
import type { Caller, RpcMessage } from './requests/request-handler.ts'

/** The client at the other end of a session, a connection or a single request. */
export interface Peer {
  readonly principal: Principal
  readonly endpoint: Endpoint
  readonly era: 'legacy' | 'modern'
  readonly protocolVersion: string
  readonly sessionId?: string
  readonly clientInfo?: JsonObject
  readonly clientCapabilities: JsonObject
  readonly parameterHeaders?: ReadonlyMap<string, string>
}

/** How one request of a peer is talked about while it is open. */
export type Conversation = Pick<Caller, 'signal' | 'notify' | 'ask'>

/** The peer as the caller of one request. */
export function callerOf(peer: Peer, conversation: Conversation): Caller {
  return {
    principal: peer.principal,
    endpoint: peer.endpoint,
    era: peer.era,
    protocolVersion: peer.protocolVersion,
    requestId: newRequestId(),
    sessionId: peer.sessionId,
    clientInfo: peer.clientInfo,
    clientCapabilities: peer.clientCapabilities,
    parameterHeaders: peer.parameterHeaders,
    signal: conversation.signal,
    notify: conversation.notify,
    ask: conversation.ask,
  }
}

/** The peer outside of any request: for what it is told of us, and for its notifications. */
export function callerOutsideRequest(peer: Peer): Caller {
  return callerOf(peer, { signal: NEVER_ABORTED, notify: () => undefined })
}

const NEVER_ABORTED = new AbortController().signal

const SEVERITIES = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']

/**
 * Whether a notification may go out on the stream of a request. With a session everything may; in 2026-07-28 only
 * progress, and log messages of the severity that the request asked for. Changes of lists have a stream of their own.
 */
export function mayNotify(era: 'legacy' | 'modern', notification: RpcMessage, request: RpcMessage): boolean {
  if (era === 'legacy' || notification.method === 'notifications/progress') return true
  if (notification.method !== 'notifications/message') return false
  const meta = request.params?.['_meta']
  const least = isObject(meta) ? SEVERITIES.indexOf(String(meta[META_KEY.logLevel])) : -1
  return least >= 0 && SEVERITIES.indexOf(String(notification.params?.['level'])) >= least
}
