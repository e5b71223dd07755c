import type { Readable, Writable } from 'node:stream'
import { type JSONRPCMessage, type RequestId, SdkHttpError } from '@modelcontextprotocol/client'
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isRecord, type JsonObject, parseJson } from '@tooldex/http-kit/json'
import { fitsHeader, narrowedAuthorization } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import { openDispatcher } from '../../servers/http/http-exchange.ts'
import { StreamableTransport } from '../../servers/http/streamable-transport.ts'
import { HeaderParameters } from '../../servers/protocol/header-parameters.ts'
import { withoutRaw } from '../../servers/protocol/raw-json.ts'
import { gatewayFailure } from '../mcp/rpc-errors.ts'

/** The gateway that a client over standard streams is joined to. */
export interface JoinedGateway {
  /** The address of the endpoint. */
  readonly url: string
  readonly token: string
  /** The secret of the run record, with which the gateway lets the bridge narrow requests; the token, too, if none was given. */
  readonly owner: string
}

/** The parts of a bridge. */
export interface BridgeOptions {
  readonly input: Readable
  readonly output: Writable
  readonly gateway: JoinedGateway
  /** Looks for the gateway again after it was lost; undefined if none runs. */
  readonly find: () => Promise<JoinedGateway | undefined>
}

/** A client on the standard streams of this process, connected with a gateway in another one. */
export interface Bridge {
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

type Message = JSONRPCMessage & { readonly id?: RequestId; readonly method?: string; readonly params?: JsonObject }

const LARGEST_REPLY = 256 * 1024 * 1024
const INTERNAL_ERROR = -32603
const GONE = 'The gateway that this client had joined has stopped'
const REMEDY = 'Start it again with `tooldex serve`, or reconnect the client, which then starts the servers itself'

/**
 * Passes every message on unchanged, in both eras. If the gateway is restarted, the session is begun again and the message is
 * sent once more; a request that was under way then fails, because it may have been executed.
 */
export function bridgeStdio(options: BridgeOptions): Bridge {
  const bridge = new StdioBridge(options)
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  bridge.start(resolve)
  return { closed, close: () => bridge.close() }
}

class StdioBridge {
  readonly #options: BridgeOptions
  readonly #wire: StdioServerTransport
  readonly #parameters = new HeaderParameters()
  /** The open requests of the client. */
  readonly #open = new Map<RequestId, { readonly abort: AbortController; readonly method: string }>()
  /** The client's `initialize`: present in the era of sessions. */
  #hello: Message | undefined
  #gateway: StreamableTransport
  /** Where the gateway is now. */
  #joined: JoinedGateway
  /** Connections for requests with a `_meta.token`, by the token. */
  readonly #narrowed = new Map<string, Promise<StreamableTransport>>()
  #rejoining: Promise<boolean> | undefined

  constructor(options: BridgeOptions) {
    this.#options = options
    this.#wire = new StdioServerTransport(options.input, options.output)
    this.#joined = options.gateway
    this.#gateway = this.#transportTo(options.gateway.url, `Bearer ${options.gateway.token}`)
  }

  start(onClose: () => void): void {
    this.#wire.onmessage = (message) => void this.#forward(message as Message)
    this.#wire.onclose = () => {
      for (const { abort } of this.#open.values()) abort.abort()
      const narrowed = [...this.#narrowed.values()].map(async (opened) => (await opened).close())
      void Promise.allSettled([this.#gateway.close(), ...narrowed]).then(onClose)
    }
    void this.#wire.start()
  }

  close(): Promise<void> {
    return this.#wire.close()
  }

  #transportTo(url: string, authorization: string): StreamableTransport {
    const definition = { id: 'gateway', name: 'gateway' }
    const where = { kind: 'http', url, headers: { authorization } } as const
    const parts = { dispatcher: openDispatcher(), maxReplyBytes: LARGEST_REPLY }
    const transport = new StreamableTransport(definition, where, parts)
    transport.onmessage = (message) => this.#receive(message as Message, transport)
    return transport
  }

  async #forward(message: Message): Promise<void> {
    const { id, method } = message
    if (method === 'initialize') this.#hello = message
    if (method === 'notifications/cancelled' && this.#hello === undefined) {
      // In 2026-07-28 a request over HTTP is cancelled by closing it.
      return this.#open.get(message.params?.['requestId'] as RequestId)?.abort.abort()
    }
    if (id !== undefined && method !== undefined) this.#open.set(id, { abort: new AbortController(), method })
    const narrowing = narrowingIn(message)
    if (narrowing !== undefined) return this.#forwardNarrowed(message, narrowing)
    try {
      await this.#send(message, this.#gateway)
    } catch (error) {
      if (!isUnsent(error) || !(await this.#rejoin())) return this.#fail(id, method, error)
      await this.#send(message, this.#gateway).catch((again: unknown) => this.#fail(id, method, again))
    }
  }

  /** Sends a request with the rights that the connection's token and the one in its `_meta` share. */
  async #forwardNarrowed(message: Message, shown: unknown): Promise<void> {
    const { id, method } = message
    if (typeof shown !== 'string') {
      const reason = '_meta.token must be a string'
      return this.#refuse(id, new GatewayError('REQUEST_INVALID', { field: '_meta.token', reason }))
    }
    if (!fitsHeader(shown)) return this.#refuse(id, new GatewayError('TOKEN_INVALID', { reason: 'it is unknown' }))
    try {
      await this.#sendNarrowed(message, shown)
    } catch (error) {
      if (!isUnsent(error) || !(await this.#hasMoved()) || !(await this.#rejoin())) return this.#fail(id, method, error)
      await this.#sendNarrowed(message, shown).catch((again: unknown) => this.#fail(id, method, again))
    }
  }

  /** Sends a request on the connection of both tokens. */
  async #sendNarrowed(message: Message, shown: string): Promise<void> {
    try {
      const known = this.#narrowed.get(shown) ?? this.#openNarrowed(shown)
      this.#narrowed.set(shown, known)
      await this.#send(message, await known)
    } catch (error) {
      this.#narrowed.delete(shown)
      throw error
    }
  }

  /** Whether another gateway runs now: a refusal may mean the client's token, or the secret of one that has stopped. */
  async #hasMoved(): Promise<boolean> {
    const found = await this.#options.find().catch(() => undefined)
    return found !== undefined && found.owner !== this.#joined.owner
  }

  async #openNarrowed(shown: string): Promise<StreamableTransport> {
    const { url, owner, token: own } = this.#joined
    const transport = this.#transportTo(url, narrowedAuthorization({ owner, own, shown }))
    if (this.#hello !== undefined) await this.#introduce(transport, this.#hello)
    // Its notifications would be those of the client's own session once more.
    transport.onmessage = (message) => {
      if (!('method' in message) || 'id' in message || message.method === 'notifications/progress') {
        this.#receive(message as Message, transport)
      }
    }
    return transport
  }

  #refuse(id: RequestId | undefined, error: GatewayError): void {
    if (id === undefined) return
    this.#open.delete(id)
    this.#tell({ jsonrpc: '2.0', id, error: gatewayFailure(error) } as Message)
  }

  #send(message: Message, gateway: StreamableTransport): Promise<void> {
    const { id, method, params } = message
    const request = method === undefined || id === undefined ? undefined : this.#open.get(id)
    if (request === undefined || id === undefined) return gateway.send(message)
    const headers =
      this.#hello === undefined ? this.#parameters.of({ method: request.method, params: params ?? {} }) : {}
    return gateway.send(message, {
      requestSignal: request.abort.signal,
      ...(headers !== undefined && { headers }),
      onRequestStreamEnd: () => this.#fail(id, method, undefined),
    })
  }

  #receive(message: Message, from: StreamableTransport): void {
    const { id } = message
    const request = id === undefined || 'method' in message ? undefined : this.#open.get(id)
    const result =
      'result' in message && isRecord(message.result) ? withoutRaw(message.result as JsonObject) : undefined
    if (request !== undefined && id !== undefined) {
      this.#open.delete(id)
      if (request.method === 'tools/list' && result !== undefined) this.#parameters.learn(result)
      if (request.method === 'initialize' && result !== undefined)
        from.setProtocolVersion(String(result['protocolVersion']))
    }
    this.#tell(result === undefined ? message : ({ ...message, result } as Message))
  }

  /** Answers a request in the gateway's place, unless it was answered or cancelled. */
  #fail(id: RequestId | undefined, method: string | undefined, error: unknown): void {
    const request = id === undefined || method === undefined ? undefined : this.#open.get(id)
    if (request === undefined || id === undefined) return
    this.#open.delete(id)
    if (request.abort.signal.aborted) return
    const refusal = refusalOf(error)
    const data = refusal === undefined ? { code: 'NOT_RUNNING', remedy: REMEDY } : refusal.data
    const failure = { code: refusal?.code ?? INTERNAL_ERROR, message: refusal?.message ?? `${GONE}. ${REMEDY}`, data }
    this.#tell({ jsonrpc: '2.0', id, error: failure } as Message)
  }

  #tell(message: Message): void {
    // Fails only if the client is gone, which ends the bridge.
    this.#wire.send(message).catch(() => undefined)
  }

  /** Begins again with the gateway that runs now; all messages that failed meanwhile share one attempt. */
  #rejoin(): Promise<boolean> {
    this.#rejoining ??= this.#beginAgain()
      .catch(() => false)
      .finally(() => (this.#rejoining = undefined))
    return this.#rejoining
  }

  async #beginAgain(): Promise<boolean> {
    const found = await this.#options.find()
    if (found === undefined) return false
    const old = this.#gateway
    const next = this.#transportTo(found.url, `Bearer ${found.token}`)
    if (this.#hello !== undefined) await this.#introduce(next, this.#hello)
    this.#gateway = next
    this.#joined = found
    this.#narrowed.clear()
    old.onmessage = undefined
    void old.close()
    for (const list of ['tools', 'prompts', 'resources']) {
      if (this.#hello !== undefined)
        this.#tell({ jsonrpc: '2.0', method: `notifications/${list}/list_changed` } as Message)
    }
    return true
  }

  /** Repeats the client's `initialize`; its answer is not for the client. */
  async #introduce(next: StreamableTransport, hello: Message): Promise<void> {
    const { onmessage } = next
    const { promise: answered, resolve, reject } = Promise.withResolvers<void>()
    next.onmessage = (message) => {
      if (!('result' in message)) return reject(new Error('The gateway refused the session'))
      next.setProtocolVersion(String((message.result as JsonObject)['protocolVersion']))
      resolve()
    }
    await next.send(hello, { onRequestStreamEnd: () => reject(new Error('The gateway did not answer')) })
    await answered
    next.onmessage = onmessage
    await next.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
  }
}

/** The token with which a request narrows its rights; over HTTP only headers identify a client. */
function narrowingIn({ id, method, params }: Message): unknown {
  const meta = params?.['_meta']
  return id !== undefined && method !== undefined && isRecord(meta) ? (meta['token'] ?? undefined) : undefined
}

/** Whether the gateway has surely not executed the message: it refused the connection, or does not know the session. */
function isUnsent(error: unknown): boolean {
  if (error instanceof SdkHttpError) return error.data.status === 404 || error.data.status === 401
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true
  }
  return false
}

/** The gateway's own error in the body of a refusal. */
function refusalOf(error: unknown): { code: number; message: string; data: unknown } | undefined {
  if (!(error instanceof SdkHttpError)) return undefined
  const { text } = error.data
  const body = typeof text === 'string' ? parseJson(text) : undefined
  const failure = isRecord(body) && isRecord(body['error']) ? body['error'] : undefined
  if (failure === undefined)
    return { code: INTERNAL_ERROR, message: `The gateway answered HTTP ${error.data.status}`, data: {} }
  return { code: Number(failure['code'] ?? INTERNAL_ERROR), message: String(failure['message']), data: failure['data'] }
}
