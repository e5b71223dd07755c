import type { ClientLink } from '../../servers/server.ts'
import type { Caller } from './request-handler.ts'

/** The caller as servers may address it: with what it declared and, where it can be asked, a way to ask. */
export function clientLinkOf(caller: Caller): ClientLink {
  const { ask } = caller
  return {
    sessionId: caller.sessionId ?? caller.requestId,
    capabilities: caller.clientCapabilities,
    ...(caller.clientInfo !== undefined && { info: caller.clientInfo }),
    ...(ask !== undefined && { answer: (request, signal) => ask(request, signal) }),
  }
}
