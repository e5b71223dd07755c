import type { ConnectionEvents, McpConnection } from './mcp-connection.ts'
import type { ClientLink } from '../server.ts'
import type { ServerDefinition } from '../../model/server.ts'
import type { OpenRequests } from './open-requests.ts'
import type { ServerTraffic } from './server-traffic.ts'
import type { ServerTransport } from './server-transport.ts'
import type { LogBuffer } from './log-buffer.ts'

/** Our name towards servers. */
export interface GatewayInfo {
  readonly name: string
  readonly version: string
}

/** One connection to be made. */
export interface ConnectRequest {
  readonly definition: ServerDefinition
  /** Abandons the attempt and ends the process that it started. */
  readonly signal: AbortSignal
  readonly logs: LogBuffer
  readonly events: ConnectionEvents
  /** The limits of what the server sends on its own account, over all its connections. */
  readonly traffic: ServerTraffic
  /** The client that will own the connection, with the capabilities that are declared; without one, clients share it. */
  readonly owner?: ClientLink | undefined
  /** An earlier connection found that the server speaks the older protocol, so it is not probed again. */
  readonly isKnownLegacy: boolean
}

/**
 * Makes the transport of a definition; nothing is started yet. The server's standard error goes to the logs. A transport on
 * which replies may arrive damaged looks up in `requests` which of them waits.
 */
export type TransportFactory = (
  definition: ServerDefinition,
  logs: LogBuffer,
  requests: OpenRequests,
) => ServerTransport | Promise<ServerTransport>

/** Makes live connections. */
export type Connect = (request: ConnectRequest) => Promise<McpConnection>

/**
 * Connects with the transports given. The SDK's client is loaded with the first connection: a gateway whose servers wait to
 * be called answers sooner without. @throws GatewayError SERVER_START_FAILED or SERVER_NEEDS_LOGIN
 */
export function connector(info: GatewayInfo, makeTransport: TransportFactory): Connect {
  let turn: Promise<void> = Promise.resolve()
  return async (request) => {
    const { openConnection } = await import('./open-connection.ts')
    // Starting a process blocks the event loop for some milliseconds, so other work runs between two starts.
    turn = turn.then(() => new Promise((resolve) => setImmediate(resolve)))
    await turn
    return openConnection(info, makeTransport, request)
  }
}
