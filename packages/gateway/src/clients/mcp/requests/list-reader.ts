import type { ListReader } from '../../../model/context-cost.ts'
import type { Caller } from './request-handler.ts'

/** Whose list it is, in the words of exposure. */
export function listReader(caller: Caller, projectId: string): ListReader {
  const clientName = caller.clientInfo?.['name']
  return {
    endpointId: caller.endpoint.id,
    projectId,
    tokenId: caller.principal.tokenId,
    ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
    ...(typeof clientName === 'string' && { clientName }),
  }
}
