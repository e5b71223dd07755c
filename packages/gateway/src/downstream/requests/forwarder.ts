import { metaForServer, withoutServerInfo } from '../../calls/call-meta.ts'
import { GatewayError } from '../../errors.ts'
import type { RawResult, Server, ServerRequest } from '../../servers/server.ts'
import { clientLinkOf } from './client-link.ts'
import type { Caller } from './request-handler.ts'

/** Sends a request that is no tool call to a server for a caller. Tool calls have a path of their own. */
export type Forwarder = (serverId: string, request: ServerRequest, caller: Caller) => Promise<RawResult>

/** Makes the forwarder: what clients wrote for us stays here, progress goes back under the client's own token. */
export function forwarderTo(servers: { get(serverId: string): Server | undefined }): Forwarder {
  return async (serverId, request, caller) => {
    const server = servers.get(serverId)
    if (server === undefined) throw new GatewayError('SERVER_NOT_FOUND', { server: serverId })
    const { _meta, ...params } = request.params ?? {}
    const meta = metaForServer(_meta)
    const result = await server.request(
      { method: request.method, params: Object.keys(meta).length === 0 ? params : { ...params, _meta: meta } },
      { signal: caller.signal, onNotification: caller.notify, client: clientLinkOf(caller) },
    )
    return withoutServerInfo(result)
  }
}
