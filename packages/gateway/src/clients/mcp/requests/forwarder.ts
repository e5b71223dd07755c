import { metaForServer, withoutServerInfo } from '../../../calls/call-meta.ts'
import { isAskedByResult, type ParkedCalls } from '../../../calls/parked-calls.ts'
import { GatewayError, ServerReplyError } from '../../../errors.ts'
import type { ClientLink, RawResult, RequestOptions, Server, ServerRequest } from '../../../servers/server.ts'
import { type Caller, RpcError } from './request-handler.ts'

/** Sends a request that is no tool call to a server for a caller. Tool calls have a path of their own. */
export type Forwarder = (serverId: string, request: ServerRequest, caller: Caller) => Promise<RawResult>

/** What may be answered with questions, beside the calls of tools. */
const ASKING: ReadonlySet<string> = new Set(['prompts/get', 'resources/read'])

/** Makes the forwarder: what clients wrote for us stays here, progress goes back under the client's own token. */
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
    const plainly = () => send({ signal, onNotification: notify, client })
    const { inputResponses, requestState, ...asked } = params
    const isAskable = isAskedByResult(client)
    if (!ASKING.has(request.method) || (!isAskable && requestState === undefined)) {
      return withoutServerInfo(await plainly())
    }
    const what = [serverId, request.method, asked]
    const identity = { tokenId: caller.principal.tokenId, endpointId: caller.endpoint.id, what }
    const round = { client, signal, notify }
    const keptMs = server.definition.limits.maxCallTimeoutMs
    const going = parked.proceed(requestState, identity, round, inputResponses)
    const result = going ?? (isAskable ? parked.begin({ identity, round, keptMs, send }) : plainly())
    return withoutServerInfo(await result)
  }
}

/** The caller as servers may address it: with what it declared and, where it can be asked, a way to ask. */
export function clientLinkOf(caller: Caller): ClientLink {
  const { ask } = caller
  return {
    sessionId: caller.sessionId ?? caller.requestId,
    capabilities: caller.clientCapabilities,
    ...(caller.clientInfo !== undefined && { info: caller.clientInfo }),
    ...(ask !== undefined && { answer: (request, signal) => ask(request, signal).catch(asReply) }),
  }
}

/** What the client answered instead of a result is the server's to know: "the user said no" is not "nobody there". */
function asReply(error: unknown): never {
  throw error instanceof RpcError ? new ServerReplyError(error.rpcCode, error.message, error.data) : error
}
