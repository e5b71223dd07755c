import { metaForServer, withoutServerInfo } from '../../../calls/call-meta.ts'
import { isAskedByResult, type ParkedCalls } from '../../../calls/parked-calls.ts'
import { GatewayError, ServerReplyError } from '../../../errors.ts'
import type { ClientLink, RawResult, RequestOptions, Server, ServerRequest } from '../../../servers/server.ts'
import { type Caller, RpcError } from './request-handler.ts'

/** Sends a request to a server for a caller. Tool calls have a path of their own. */
export type Forwarder = (serverId: string, request: ServerRequest, caller: Caller) => Promise<RawResult>

/** Methods beside `tools/call` that a server may answer with questions. */
const ASKING: ReadonlySet<string> = new Set(['prompts/get', 'resources/read'])

/** Creates the forwarder. It removes `_meta` entries for the gateway, and reports progress under the client's token. */
export function forwarderTo(
  servers: { get(serverId: string): Server | undefined },
  parked: Pick<ParkedCalls, 'begin' | 'proceed'>,
): Forwarder {
  return async (serverId, request, caller) => {
    const server = servers.get(serverId)
    if (server === undefined) throw new GatewayError('SERVER_NOT_FOUND', { server: serverId })
    const { _meta, ...params } = request.params ?? {}
    const meta = metaForServer(_meta)
    const sent = {
      method: request.method,
      params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta },
    }
    const client = clientLinkOf(caller)
    const { signal, notify } = caller
    const send = (how: RequestOptions) => server.request(sent, how)
    const direct = () => send({ signal, onNotification: notify, client })
    const { inputResponses, requestState, ...asked } = params
    const isAskable = isAskedByResult(client)
    if (!ASKING.has(request.method) || (!isAskable && requestState === undefined)) {
      return withoutServerInfo(await direct())
    }
    const what = [serverId, request.method, asked]
    const identity = { tokenId: caller.principal.tokenId, endpointId: caller.endpoint.id, what }
    const round = { client, signal, notify }
    const keptMs = server.definition.limits.maxCallTimeoutMs
    const isAwaited = () => server.isContended()
    const going = parked.proceed(requestState, identity, round, inputResponses)
    const result = going ?? (isAskable ? parked.begin({ identity, round, keptMs, isAwaited, send }) : direct())
    return withoutServerInfo(await result)
  }
}

/** The caller as servers see it: with its capabilities and, if it can be asked, a function to ask it. */
export function clientLinkOf(caller: Caller): ClientLink {
  const { ask, isLocal, principal, endpoint } = caller
  return {
    sessionId: caller.sessionId ?? caller.requestId,
    ...(caller.era === 'modern' && { group: JSON.stringify([principal.tokenId, endpoint.id]) }),
    ...(isLocal === true && { isLocal }),
    capabilities: caller.clientCapabilities,
    ...(caller.clientInfo !== undefined && { info: caller.clientInfo }),
    ...(ask !== undefined && { answer: (request, signal) => ask(request, signal).catch(asReply) }),
  }
}

/** Passes the client's error on to the server: a refusal of the user is not a missing client. */
function asReply(error: unknown): never {
  throw error instanceof RpcError ? new ServerReplyError(error.rpcCode, error.message, error.data) : error
}
