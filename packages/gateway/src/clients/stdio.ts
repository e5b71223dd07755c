import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Endpoint } from '../model/endpoint.ts'
import type { Principal } from '../model/principal.ts'
import { answeringWith } from './mcp/answer.ts'
import { ConnectedClients } from './mcp/connected-clients.ts'
import { eventNotification } from './mcp/hear-changes.ts'
import { trackWatched } from './sdk/http-legacy.ts'
import { listenedUris, subscribeAll } from './sdk/http-modern.ts'
import { LegacySession } from './mcp/legacy-sessions.ts'
import type { Peer } from './mcp/peer.ts'
import { MODERN_VERSION } from './mcp/protocol-versions.ts'
import type { ClientNotifier, RequestHandler } from './mcp/requests/request-handler.ts'
import type { DownstreamLog } from './mcp/rpc-errors.ts'
import { sdkServer } from './sdk/sdk-server.ts'

/** Everything that the stdio side is handed. Only JSON-RPC is ever written to `output`. */
export interface StdioOptions {
  readonly handler: RequestHandler
  readonly log: DownstreamLog
  /** Decided by the caller, from the environment. */
  readonly principal: Principal
  /** Read anew with each request, for the configuration may change. */
  readonly endpoint: () => Endpoint
  readonly input: Readable
  readonly output: Writable
  readonly clients?: ConnectedClients
  /** The longest message that is read. Default 10 MB. */
  readonly maxMessageBytes?: number
}

/** One client over standard streams; its first message decides the era. */
export interface StdioConnection {
  readonly notifier: ClientNotifier
  /** Resolves when the client is gone. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Serves one client over standard streams. */
export function serveOverStdio(options: StdioOptions): StdioConnection {
  const answering = answeringWith(options)
  const clients = options.clients ?? new ConnectedClients()
  const limit = options.maxMessageBytes
  const wire = new StdioServerTransport(
    options.input,
    options.output,
    limit === undefined ? {} : { maxBufferSize: limit },
  )
  const session = new LegacySession('stdio', options.principal, options.endpoint(), 0)
  const modern = modernPeer(options)
  const listened = new Map<unknown, ReadonlySet<string>>()
  let server: Server | undefined
  const handle = serveStdio(
    ({ era }) => {
      server = sdkServer(answering, era === 'legacy' ? session : modern, trackWatched(session))
      return server
    },
    { transport: wire },
  )
  const leave = clients.add({
    id: session.sessionId,
    endpointId: session.endpoint.id,
    watches: (uri) => session.watched.has(uri) || [...listened.values()].some((uris) => uris.has(uri)),
    deliver: (event) => void server?.notification(eventNotification(event)).catch(() => undefined),
  })
  beforeEach(wire, (message) => {
    session.endpoint = options.endpoint()
    if (!('method' in message)) return
    if (message.method === 'initialize') session.introduce(message.params)
    if (message.method === 'notifications/cancelled') listened.delete(message.params?.['requestId'])
    if (message.method === 'subscriptions/listen' && 'id' in message) {
      listened.set(message.id, listenedUris(message))
      subscribeAll(answering, { ...modern, sessionId: session.sessionId }, listenedUris(message))
    }
  })
  const closed = whenClosed(wire).then(() => {
    leave()
    session.end()
    options.handler.sessionClosed(session.sessionId)
  })
  return { notifier: clients, closed, close: () => handle.close() }
}

/** No session id: in 2026-07-28 no answer may depend on the connection. */
function modernPeer({ principal, endpoint }: StdioOptions): Peer {
  return {
    principal,
    get endpoint() {
      return endpoint()
    },
    era: 'modern',
    protocolVersion: MODERN_VERSION,
    clientCapabilities: {},
  }
}

/** Looks at each message before the SDK does. */
function beforeEach(wire: StdioServerTransport, look: (message: JSONRPCMessage) => void): void {
  const deliver = wire.onmessage
  wire.onmessage = (message) => {
    look(message)
    deliver?.(message)
  }
}

function whenClosed(wire: StdioServerTransport): Promise<void> {
  return new Promise((resolve) => {
    const close = wire.onclose
    wire.onclose = () => {
      close?.()
      resolve()
    }
  })
}
