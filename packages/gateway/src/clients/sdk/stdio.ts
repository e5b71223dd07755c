import type { Readable, Writable } from 'node:stream'
import type { JSONRPCMessage, Server } from '@modelcontextprotocol/server'
import { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio'
import { isRecord } from '@tooldex/http-kit/json'
import { mayUseProject } from '../../access/eligible-tools.ts'
import { authenticateSecret, SharedRights } from '../../access/tokens.ts'
import { GatewayError } from '../../errors.ts'
import type { ModelSource } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import { type Answering, answeringWith } from '../mcp/answer.ts'
import { accessEnded, type ClientIdentity } from '../mcp/caller.ts'
import { ConnectedClients } from '../mcp/connected-clients.ts'
import { isRequestId } from '../mcp/json-rpc.ts'
import { MODERN_VERSION } from '../mcp/protocol-versions.ts'
import type { ClientNotifier, Recipient, RequestHandler, RpcMessage } from '../mcp/requests/request-handler.ts'
import { type ClientLog, rpcFailure } from '../mcp/rpc-errors.ts'
import { changeNotification, Session } from '../mcp/session.ts'
import { listenedUris, subscribeAll } from './listen-streams.ts'
import { type BegunRequest, sdkServer } from './sdk-server.ts'

/** The parts of a stdio connection. Only JSON-RPC is ever written to `output`. */
export interface StdioOptions {
  readonly handler: RequestHandler
  readonly log: ClientLog
  readonly access: StdioAccess
  readonly input: Readable
  readonly output: Writable
  readonly clients?: ConnectedClients
  /** The longest message that is read. Default 10 MB. */
  readonly maxMessageBytes?: number
}

/** Decides who the client is, with every request anew. */
export interface StdioAccess {
  /** The sender of a request: the connection's own rights, narrowed by a token in `_meta`. @throws GatewayError */
  admit(meta?: unknown): Recipient
  /** Calls the listener when rights may have changed. Returns the function that ends it. */
  onChange(listener: () => void): () => void
}

/** What decides the rights of a stdio client. */
export interface StdioAccessParts {
  readonly models: ModelSource
  readonly endpointId: string
  /** The rights of the connection itself as they are now. @throws GatewayError TOKEN_INVALID */
  readonly principal: () => Principal
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** The access of a stdio client: the token in the environment, or the owner's rights; `_meta.token` narrows them (R41). */
export function stdioAccess({ models, endpointId, principal, now }: StdioAccessParts): StdioAccess {
  const shared = new SharedRights()
  return {
    admit(meta) {
      const model = models.current()
      const own = principal()
      const secret = tokenIn(meta)
      const rights = secret === undefined ? own : shared.of(own, authenticateSecret(secret, model, now()))
      const endpoint = model.endpoints.get(endpointId)
      const project = model.projects.get(endpoint?.projectId ?? '')
      if (endpoint !== undefined && project !== undefined && mayUseProject(rights, project)) {
        return { principal: rights, endpoint }
      }
      throw new GatewayError('ENDPOINT_NOT_FOUND', { endpoint: endpointId, remedy: 'Check the option --endpoint' })
    },
    onChange: (listener) => models.onChange(listener),
  }
}

/** @throws GatewayError REQUEST_INVALID */
function tokenIn(meta: unknown): string | undefined {
  if (!isRecord(meta) || !Object.hasOwn(meta, 'token')) return undefined
  const { token } = meta
  if (token === undefined || token === null) return undefined
  if (typeof token === 'string') return token
  throw new GatewayError('REQUEST_INVALID', { field: '_meta.token', reason: '_meta.token must be a string' })
}

/** One client over standard streams; its first message decides the era. */
export interface StdioConnection {
  readonly notifier: ClientNotifier
  /** Resolves when the client has disconnected. */
  readonly closed: Promise<void>
  close(): Promise<void>
}

/** Half of the second within which calls of a revoked or expired token are cut. */
const SWEEP_MS = 500

/** Serves one client over standard streams. @throws GatewayError if it has no access */
export function serveOverStdio(options: StdioOptions): StdioConnection {
  const { access, handler } = options
  const clients = options.clients ?? new ConnectedClients()
  const limit = options.maxMessageBytes
  const wire = new StdioServerTransport(
    options.input,
    options.output,
    limit === undefined ? {} : { maxBufferSize: limit },
  )
  const answering = answeringWith(options)
  const first = access.admit()
  const session = new Session('stdio', first.principal, first.endpoint, 0)
  session.isLocal = true
  const modern = new ModernClient(first)
  const calls = new OpenCalls(access, () => handler.sessionClosed(session.sessionId))
  const listened = new Map<unknown, ReadonlySet<string>>()
  /** Of the latest subscription: a token in it narrows the notifications, too. */
  let listeningMeta: unknown
  let server: Server | undefined
  let era: 'legacy' | 'modern' = 'legacy'
  const handle = serveStdio(
    (connection) => {
      era = connection.era
      const client = era === 'legacy' ? session : modern
      server = sdkServer(answering, client, {
        onAnswer: (asked, told) => session.track(asked, told),
        begin: (asked) => calls.begin(client, asked),
      })
      return server
    },
    { transport: wire },
  )
  const unsubscribe = clients.add({
    id: session.sessionId,
    rights: () => rightsOf(access, listeningMeta),
    session: () => (era === 'modern' ? {} : { sessionId: session.sessionId, clientInfo: session.clientInfo }),
    watches: (uri) => session.subscribed.has(uri) || [...listened.values()].some((uris) => uris.has(uri)),
    deliver: (event) => void server?.notification(changeNotification(event)).catch(() => undefined),
  })
  admitEach(wire, answering, (message) => {
    for (const client of [session, modern]) Object.assign(client, access.admit())
    const meta = metaOf(message)
    const rights = access.admit(meta)
    if (!('method' in message)) return
    if (message.method === 'initialize') session.introduce(message.params)
    if (message.method === 'notifications/cancelled') listened.delete(message.params?.['requestId'])
    if (message.method === 'subscriptions/listen' && 'id' in message) {
      listened.set(message.id, listenedUris(message))
      subscribeAll(answering, { ...modern, ...rights, sessionId: session.sessionId }, listenedUris(message))
    }
    if (message.method === 'subscriptions/listen' || message.method === 'resources/subscribe') listeningMeta = meta
  })
  const closed = whenClosed(wire).then(() => {
    calls.stop()
    unsubscribe()
    session.end()
    handler.sessionClosed(session.sessionId)
  })
  return { notifier: clients, closed, close: () => handle.close() }
}

/** The rights of the connection, or of a request in it; undefined while there are none. */
function rightsOf(access: StdioAccess, meta?: unknown): Recipient | undefined {
  try {
    return access.admit(meta)
  } catch {
    return undefined
  }
}

/** No session id: in 2026-07-28 no answer may depend on the connection. */
class ModernClient implements ClientIdentity {
  readonly era = 'modern'
  readonly transport = 'stdio'
  readonly protocolVersion = MODERN_VERSION
  readonly clientCapabilities = {}
  principal: Recipient['principal']
  endpoint: Recipient['endpoint']

  constructor({ principal, endpoint }: Recipient) {
    this.principal = principal
    this.endpoint = endpoint
  }
}

/** The requests that are being answered. Those that would be refused now are cut. */
class OpenCalls {
  readonly #access: StdioAccess
  readonly #open = new Map<AbortController, unknown>()
  readonly #timer: NodeJS.Timeout
  readonly #endListening: () => void
  readonly #onLost: () => void
  #isLost = false

  /** @param onLost called when the connection itself loses its access */
  constructor(access: StdioAccess, onLost: () => void) {
    this.#access = access
    this.#onLost = onLost
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS).unref()
    this.#endListening = access.onChange(() => this.#sweep())
  }

  begin(client: ClientIdentity, { params }: RpcMessage): BegunRequest {
    const meta = params?.['_meta']
    const controller = new AbortController()
    const rights = this.#access.admit(meta)
    this.#open.set(controller, meta)
    return {
      client: identityWith(client, rights),
      signal: controller.signal,
      end: () => void this.#open.delete(controller),
    }
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#endListening()
  }

  #sweep(): void {
    for (const [controller, meta] of this.#open) {
      if (rightsOf(this.#access, meta) === undefined) controller.abort(accessEnded())
    }
    const wasLost = this.#isLost
    this.#isLost = rightsOf(this.#access) === undefined
    if (this.#isLost && !wasLost) this.#onLost()
  }
}

function identityWith(client: ClientIdentity, rights: Recipient): ClientIdentity {
  const { era, protocolVersion, sessionId, clientInfo, clientCapabilities, isLocal = false } = client
  return {
    ...{ era, protocolVersion, clientCapabilities, isLocal, ...rights },
    ...(sessionId !== undefined && { sessionId }),
    ...(clientInfo !== undefined && { clientInfo }),
  }
}

function metaOf(message: JSONRPCMessage): unknown {
  return 'params' in message ? message.params?.['_meta'] : undefined
}

/** Admits each message before the SDK takes it; refused requests are answered here, other refused messages are dropped. */
function admitEach(wire: StdioServerTransport, { log }: Answering, admit: (message: JSONRPCMessage) => void): void {
  const deliver = wire.onmessage
  wire.onmessage = (message) => {
    try {
      admit(message)
    } catch (error) {
      if (!('method' in message) || !('id' in message) || !isRequestId(message.id)) return
      const { id, method } = message
      const failure = rpcFailure(error, { requestId: String(id), method }, log)
      wire.send({ jsonrpc: '2.0', id, error: failure }).catch(() => undefined)
      return
    }
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
