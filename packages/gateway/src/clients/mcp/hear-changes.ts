import type { Server } from '@modelcontextprotocol/server'
import { type ClientEvent, type ConnectedClients, EVENT_METHOD } from './connected-clients.ts'
import type { LegacySession } from './legacy-sessions.ts'

/** Makes a session hear of changes: on its stream if one was opened without the SDK, else through the SDK. */
export function hearChanges(clients: ConnectedClients, session: LegacySession, server?: Server): void {
  const leave = clients.add({
    id: session.sessionId,
    endpointId: session.endpoint.id,
    watches: (uri) => session.watched.has(uri),
    deliver: (event) => {
      const notification = eventNotification(event)
      if (session.say !== undefined) session.say({ jsonrpc: '2.0', ...notification })
      else void server?.notification(notification).catch(() => undefined)
    },
  })
  session.atEnd(leave)
}

/** An event as the notification that clients know. */
export function eventNotification(event: ClientEvent): { method: string; params?: { uri: string } } {
  const method = EVENT_METHOD[event.kind]
  return event.kind === 'updated' ? { method, params: { uri: event.uri } } : { method }
}
