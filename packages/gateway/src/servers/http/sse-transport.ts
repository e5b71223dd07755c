import { SSEClientTransport, SseError, type Transport } from '@modelcontextprotocol/client'
import { type Fetch, type FetchWatch, GuardedFetch } from './guarded-fetch.ts'
import { type Credentials, withCredentials } from '../login/with-credentials.ts'
import type { HttpTransport } from '../../model/server.ts'
import { HttpStatusError, type ServerLabel, tooLarge } from '../protocol/server-failure.ts'
import { failureMessage, type ServerTransport } from '../protocol/server-transport.ts'

/** The old HTTP+SSE: one stream for everything that comes in. When it breaks, the session is gone with it. */
export class SseServerTransport extends SSEClientTransport implements ServerTransport {
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  readonly #guarded: GuardedFetch
  #isOpen = false

  constructor(server: ServerLabel, { url, headers }: HttpTransport, maxReplyBytes: number, credentials?: Credentials) {
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
