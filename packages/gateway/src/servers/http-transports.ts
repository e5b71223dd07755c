import {
  type JSONRPCMessage,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { type Fetch, type FetchWatch, GuardedFetch, REQUEST_ID_HEADER } from './guarded-fetch.ts'
import { type Credentials, withCredentials } from './login/with-credentials.ts'
import type { HttpTransport } from './server.ts'
import { HttpStatusError, type ServerLabel, tooLarge } from './server-failure.ts'
import { failureMessage, type ServerTransport } from './server-transport.ts'

/** How long a server may take to let go of its session when we leave. */
const GOODBYE_MS = 500

/** The wire to a server behind a URL. Redirects are followed within its origin only, so our headers stay there. */
export function httpTransport(
  server: ServerLabel,
  transport: HttpTransport,
  maxReplyBytes: number,
  credentials?: Credentials,
): ServerTransport {
  const Kind = transport.kind === 'sse' ? SseServerTransport : StreamableServerTransport
  return new Kind(server, transport, maxReplyBytes, credentials)
}

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/** Streamable HTTP. */
class StreamableServerTransport extends StreamableHTTPClientTransport implements ServerTransport {
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  readonly #guarded: GuardedFetch
  #closing: Promise<void> | undefined

  constructor(
    server: ServerLabel,
    { url, headers }: HttpTransport,
    maxReplyBytes: number,
    credentials: Credentials | undefined,
  ) {
    const guarded = new GuardedFetch(
      maxReplyBytes,
      watchFor(server, () => this, maxReplyBytes),
    )
    super(new URL(url), {
      fetch: withCredentials(guarded.fetch, url, credentials),
      requestInit: { headers: { ...headers } },
    })
    this.#guarded = guarded
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!('id' in message) || !('method' in message)) return super.send(message, options)
    const headers = { ...options?.headers, [REQUEST_ID_HEADER]: String(message.id) }
    return super.send(message, { ...options, headers })
  }

  override close(): Promise<void> {
    this.#closing ??= this.#leave()
    return this.#closing
  }

  /** Tells a server of the older eras that its session can go, but does not wait for one that is stuck. */
  async #leave(): Promise<void> {
    if (this.sessionId !== undefined) {
      const goodbye = this.terminateSession().catch(() => {})
      await Promise.race([goodbye, new Promise((done) => setTimeout(done, GOODBYE_MS).unref())])
    }
    await super.close()
    this.#guarded.close()
  }
}

/** The old HTTP+SSE: one stream for everything that comes in. When it breaks, the session is gone with it. */
class SseServerTransport extends SSEClientTransport implements ServerTransport {
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  readonly #guarded: GuardedFetch
  #isOpen = false

  constructor(
    server: ServerLabel,
    { url, headers }: HttpTransport,
    maxReplyBytes: number,
    credentials: Credentials | undefined,
  ) {
    const guarded = new GuardedFetch(
      maxReplyBytes,
      watchFor(server, () => this, maxReplyBytes),
    )
    super(new URL(url), {
      fetch: withStatus(withCredentials(guarded.fetch, url, credentials)),
      requestInit: { headers: { ...headers } },
    })
    this.#guarded = guarded
  }

  override async start(): Promise<void> {
    await super.start()
    this.#isOpen = true
    const toSdk = this.onerror
    this.onerror = (error) => {
      toSdk?.(error)
      if (this.#isOpen && error instanceof SseError) this.#broken()
    }
  }

  override async close(): Promise<void> {
    this.#isOpen = false
    await super.close()
    this.#guarded.close()
  }

  #broken(): void {
    this.closeReason ??= 'broke its event stream off'
    void this.close()
  }
}

/** The SDK reports a refused message without its status, and a 401 must be told from the rest. */
function withStatus(base: Fetch): Fetch {
  return async (url, init) => {
    const response = await base(url, init)
    if (init?.method !== 'POST' || response.status < 400) return response
    await response.text().catch(() => {})
    throw new HttpStatusError(response.status)
  }
}

/** Where a transport puts what its fetch found out. The transport is not there yet when its fetch is made. */
function watchFor(
  server: ServerLabel,
  transport: () => Pick<Transport, 'onmessage'> & { closeReason: string | undefined } & Pick<ServerTransport, 'onlost'>,
  maxReplyBytes: number,
): FetchWatch {
  return {
    tooLarge: (id) => transport().onmessage?.(failureMessage(id, tooLarge(server, maxReplyBytes))),
    unreachable: (reason) => {
      transport().closeReason = reason
      transport().onlost?.(reason)
    },
  }
}
