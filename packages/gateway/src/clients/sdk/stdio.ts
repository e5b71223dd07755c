import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { answeringWith } from '../mcp/answer.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { listenedUris, subscribeAll } from './listen-streams.ts'
import type { ClientIdentity } from '../mcp/caller.ts'
import { changeNotification, Session } from '../mcp/session.ts'
import { MODERN_VERSION } from '../mcp/protocol-versions.ts'
import type { ClientNotifier, RequestHandler } from '../mcp/requests/request-handler.ts'
import type { ClientLog } from '../mcp/rpc-errors.ts'
import { sdkServer } from './sdk-server.ts'

/** The parts of a stdio connection. Only JSON-RPC is ever written to `output`. */
export interface StdioOptions {
  readonly handler: RequestHandler
  readonly log: ClientLog
  /** Decided by the caller, from the environment. */
  readonly principal: Principal
  /** Read anew with each request, because the configuration may change. */
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
  /** Resolves when the client has disconnected. */
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
  const session = new Session('stdio', options.principal, options.endpoint(), 0)
  const modern = modernClient(options)
  const listened = new Map<unknown, ReadonlySet<string>>()
  let server: Server | undefined
  const handle = serveStdio(
    ({ era }) => {
      server = sdkServer(answering, era === 'legacy' ? session : modern, (asked, told) =>
        session.trackSubscription(asked, told),
      )
      return server
    },
    { transport: wire },
  )
  const unsubscribe = clients.add({
    id: session.sessionId,
    endpointId: session.endpoint.id,
    watches: (uri) => session.subscribed.has(uri) || [...listened.values()].some((uris) => uris.has(uri)),
    deliver: (event) => void server?.notification(changeNotification(event)).catch(() => undefined),
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
    unsubscribe()
    session.end()
    options.handler.sessionClosed(session.sessionId)
  })
  return { notifier: clients, closed, close: () => handle.close() }
}

/** No session id: in 2026-07-28 no answer may depend on the connection. */
function modernClient({ principal, endpoint }: StdioOptions): ClientIdentity {
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

/** Runs before the SDK takes each message. */
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
