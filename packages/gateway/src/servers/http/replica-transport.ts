import { type JSONRPCMessage, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client'
import type { ServerLabel } from '../protocol/errors.ts'
import type { ServerSendOptions } from '../protocol/server-transport.ts'
import type { HttpParts } from './http-client.ts'
import { StreamableTransport } from './streamable-transport.ts'

/** The gateway in which a program runs. */
export interface ProgramHome {
  /** Where it serves the program to the other gateways. */
  readonly url: string
  /** The value of the Authorization header of one request. */
  authorization(): string
  /** It cannot be reached. */
  unreachable(): void
  /** Calls the listener once it is gone; the function that it returns ends that. */
  onGone(listener: () => void): () => void
}

/** Errors of a connection that was never made: the request has reached no gateway. */
const UNDELIVERED: ReadonlySet<unknown> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ETIMEDOUT', 'UND_ERR_CONNECT_TIMEOUT'],
])

/** The connection to a program that runs in another gateway. A request that reaches no gateway is sent again to the next home. */
export class ReplicaTransport extends StreamableTransport {
  readonly #home: ProgramHome
  readonly #forget: () => void

  constructor(server: ServerLabel, home: ProgramHome, parts: Omit<HttpParts, 'credentials'>) {
    const credentials = { authorization: () => home.authorization(), refused: () => Promise.resolve(undefined) }
    super(server, { kind: 'http', url: home.url, headers: {} }, { ...parts, credentials })
    this.#home = home
    this.#forget = home.onGone(() => void this.close())
  }

  /** @throws SdkHttpError as if the session were forgotten, if the gateway cannot be reached; others as every transport */
  override async send(message: JSONRPCMessage, options?: ServerSendOptions): Promise<void> {
    try {
      await super.send(message, options)
    } catch (error) {
      if (!isUndelivered(error)) throw error
      this.#home.unreachable()
      const facts = { status: 404, statusText: 'Not Found', text: '' }
      throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'the gateway of the program is gone', facts)
    }
  }

  override close(): Promise<void> {
    this.#forget()
    return super.close()
  }
}

function isUndelivered(error: unknown): boolean {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if ('code' in at && UNDELIVERED.has(at.code)) return true
  }
  return false
}
