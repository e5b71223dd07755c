import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  PROTOCOL_VERSION_META_KEY,
  SSEClientTransport,
  SseError,
  StreamableHTTPClientTransport,
  type Transport,
} from '@modelcontextprotocol/client'
import { type Fetch, type FetchWatch, GuardedFetch, REQUEST_ID_HEADER } from './guarded-fetch.ts'
import { field } from './header-parameters.ts'
import { isRecord } from './is-record.ts'
import type { HttpTransport } from './server.ts'
import { HttpStatusError, type ServerLabel, tooLarge } from './server-failure.ts'
import { failureMessage, type ServerTransport } from './server-transport.ts'

/** How long a server may take to let go of its session when we leave. */
const GOODBYE_MS = 500

/** The wire to a server behind a URL. Redirects are followed within its origin only, so our headers stay there. */
export function httpTransport(server: ServerLabel, transport: HttpTransport, maxReplyBytes: number): ServerTransport {
  const Kind = transport.kind === 'sse' ? SseServerTransport : StreamableServerTransport
  return new Kind(server, transport, maxReplyBytes)
}

const MESSAGE_HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'accept-encoding': 'identity',
}

type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1]

/** Streamable HTTP. */
class StreamableServerTransport extends StreamableHTTPClientTransport implements ServerTransport {
  onlost: ((reason: string) => void) | undefined
  closeReason: string | undefined
  readonly #guarded: GuardedFetch
  readonly #address: URL
  readonly #ownHeaders: Readonly<Record<string, string>>
  #closing: Promise<void> | undefined

  constructor(server: ServerLabel, { url, headers }: HttpTransport, maxReplyBytes: number) {
    const guarded = new GuardedFetch(
      maxReplyBytes,
      watchFor(server, () => this, maxReplyBytes),
    )
    super(new URL(url), { fetch: guarded.fetch, requestInit: { headers: { ...headers } } })
    this.#guarded = guarded
    this.#address = new URL(url)
    this.#ownHeaders = { ...Object.fromEntries(new Headers(headers)), ...MESSAGE_HEADERS }
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (!('id' in message) || !('method' in message)) return super.send(message, options)
    const isAnswered = message.method === 'tools/call' && (await this.#call(message, options))
    if (isAnswered) return
    const headers = { ...options?.headers, [REQUEST_ID_HEADER]: String(message.id) }
    return super.send(message, { ...options, headers })
  }

  /**
   * Sends a call without the SDK, which would judge request and reply by its schemas. A plain reply is handed on; any
   * other answer (a stream, a refusal, a redirect) is kept for the SDK, which then finds it instead of asking again.
   * @returns whether the reply was handed on
   */
  async #call(message: JSONRPCRequest, options: SendOptions): Promise<boolean> {
    const requestId = String(message.id)
    const reply = await this.#guarded.send(this.#address, {
      method: 'POST',
      headers: { ...this.#ownHeaders, ...this.#sessionHeaders(message), ...options?.headers },
      body: JSON.stringify(message),
      ...(options?.requestSignal && { signal: options.requestSignal }),
      requestId,
    })
    if (reply.status !== 200 || !reply.isJson) {
      this.#guarded.hold(requestId, reply)
      return false
    }
    const told = await reply.json()
    for (const each of Array.isArray(told) ? told : [told]) if (isRecord(each)) this.onmessage?.(each as JSONRPCMessage)
    // Whoever still waits for a reply waits in vain.
    options?.onRequestStreamEnd?.()
    return true
  }

  #sessionHeaders({ method, params }: JSONRPCRequest): Record<string, string> {
    const { sessionId, protocolVersion } = this
    const session = sessionId === undefined ? {} : { 'mcp-session-id': sessionId }
    const claimed = params?._meta?.[PROTOCOL_VERSION_META_KEY]
    if (typeof claimed !== 'string') {
      return protocolVersion === undefined ? session : { ...session, 'mcp-protocol-version': protocolVersion }
    }
    const name = field(String(params?.['name']))
    return { ...session, 'mcp-protocol-version': claimed, 'mcp-method': method, 'mcp-name': name }
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

  constructor(server: ServerLabel, { url, headers }: HttpTransport, maxReplyBytes: number) {
    const guarded = new GuardedFetch(
      maxReplyBytes,
      watchFor(server, () => this, maxReplyBytes),
    )
    super(new URL(url), { fetch: withStatus(guarded.fetch), requestInit: { headers: { ...headers } } })
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
