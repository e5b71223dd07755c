import { ServerReplyError } from '../../../errors.ts'
import type { ClientLink } from '../../../servers/server.ts'
import { type Caller, RpcError } from './request-handler.ts'

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
