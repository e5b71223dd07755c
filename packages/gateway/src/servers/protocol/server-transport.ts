import type { JSONRPCMessage, Transport, TransportSendOptions } from '@modelcontextprotocol/client'
import type { GatewayError } from '../../errors.ts'
import type { Cancellation } from './cancellation.ts'
import type { ServerExit } from './errors.ts'

/** Options of a message: the SDK's, and a cancellation that costs less than a signal. */
export interface ServerSendOptions extends TransportSendOptions {
  readonly cancellation?: Cancellation | undefined
}

/**
 * The connection to a server: an SDK transport that also reports why it ended. It answers a failure that it detects
 * itself in the server's place, with the GatewayError as error data. A server cannot forge one, because an instance cannot
 * be received.
 */
export interface ServerTransport extends Transport {
  send(message: JSONRPCMessage, options?: ServerSendOptions): Promise<void>
  /** The process behind it, where there is one. */
  readonly pid?: number | null | undefined
  /** How the process ended, once it has. */
  readonly exit?: ServerExit | undefined
  /** Why it closed where there is no process, to be read after a name: `broke its event stream off`. */
  readonly closeReason?: string | undefined
  /** The server cannot be reached any more although nothing was closed: new requests need a new connection. */
  onlost?: ((reason: string) => void) | undefined
  /** Settled once the stream is open on which the server asks its client; absent where there is none to wait for. */
  readonly listening?: Promise<void> | undefined
}

/** The error reply that a transport makes in the server's place. */
export function failureMessage(id: string | number, failure: GatewayError) {
  return { jsonrpc: '2.0' as const, id, error: { code: -32603, message: failure.message, data: failure } }
}
