// An HTTP server with a fake request handler, for tests.

import type { Endpoint } from '../../model/endpoint.ts'
import type { Principal } from '../../model/principal.ts'
import { GatewayError, ServerReplyError } from '../../errors.ts'
import { HttpServer, type HttpServerOptions } from './http-server.ts'
import type { JsonObject } from '@tooldex/http-kit/json'
import {
  type ClientNotifier,
  type ListeningClient,
  type ListKind,
  type Recipient,
  type RpcMessage,
  type Caller,
  RpcError,
  type RequestHandler,
} from '../mcp/requests/request-handler.ts'

export const ENDPOINTS: readonly Endpoint[] = [
  { id: 'default', projectId: 'default', disclosure: {}, auth: 'token', transparent: false },
  { id: 'team', projectId: 'team', disclosure: {}, auth: 'token', transparent: false },
  { id: 'open', projectId: 'default', disclosure: {}, auth: 'none', transparent: false },
]

/** Notifies the clients of one endpoint, those that connect from now on. */
export function notifierAt(notifier: ClientNotifier): (kind: ListKind, endpointId: string) => void {
  const clients = new Set<ListeningClient>()
  notifier.onJoin((client) => {
    clients.add(client)
    return () => void clients.delete(client)
  })
  return (kind, endpointId) => {
    for (const client of clients) if (client.rights()?.endpoint.id === endpointId) notifier.listChanged(kind, client)
  }
}

/** A resource that the clients of one endpoint may read. */
export function uriAt(endpointId: string, uri: string) {
  return ({ endpoint }: Recipient) => (endpoint.id === endpointId ? uri : undefined)
}

const TOKENS = new Map<string, Principal>([
  ['secret-a', { tokenId: 'a', name: 'Token A', readOnly: false }],
  ['secret-b', { tokenId: 'b', name: 'Token B', readOnly: false, projects: new Set(['team']) }],
])

export const TOOLS = [
  {
    name: 'echo',
    description: 'Says what it was told',
    inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-vendor': 1 } } },
    annotations: { readOnlyHint: true, customHint: 'kept' },
    defer_loading: true,
    execution: { taskSupport: 'optional' },
  },
  { name: 'numbers', inputSchema: { type: 'object' }, outputSchema: { type: 'array', items: { type: 'number' } } },
]

/** Records its requests. Its tools behave as their names say. */
export class FakeHandler implements RequestHandler {
  readonly asked: { request: RpcMessage; caller: Caller }[] = []
  readonly told: RpcMessage[] = []
  readonly closedSessions: string[] = []
  readonly aborted: string[] = []
  /** Lets the open call of `progress` end. */
  finishProgress: () => void = () => undefined
  readonly #waiting = new Map<string, () => void>()

  describe() {
    return {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        logging: {},
        completions: {},
      },
      instructions: 'Be kind.',
      serverInfo: { name: 'tooldex', version: '9.9.9' },
    }
  }

  async handle(request: RpcMessage, caller: Caller): Promise<JsonObject> {
    this.asked.push({ request, caller })
    switch (request.method) {
      case 'tools/list':
        return { tools: TOOLS, 'x-more': { kept: true } }
      case 'tools/call':
        return this.#call(String(request.params?.['name']), request, caller)
      case 'resources/subscribe':
      case 'resources/unsubscribe':
      case 'logging/setLevel':
        return {}
      case 'prompts/list':
        return { prompts: [{ name: 'p', extra: 1 }] }
      case 'resources/read':
        throw new ServerReplyError(-32002, 'Resource not found', { uri: request.params?.['uri'] })
      default:
        throw new RpcError(-32601, `No method ${request.method}`)
    }
  }

  notified(notification: RpcMessage): void {
    this.told.push(notification)
  }

  sessionClosed(sessionId: string): void {
    this.closedSessions.push(sessionId)
  }

  addedTo(): readonly string[] {
    return []
  }

  restoreAdded(): void {}

  /** Resolves once a call of `wait` with this text is open. */
  waiting(text: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.set(text, resolve))
  }

  async #call(name: string, request: RpcMessage, caller: Caller): Promise<JsonObject> {
    const input = (request.params?.['arguments'] ?? {}) as JsonObject
    switch (name) {
      case 'echo':
        return { content: [{ type: 'text', text: String(input['text']), extra: { kept: 1 } }], 'x-top': 'kept' }
      case 'numbers':
        return { content: [], structuredContent: [1, 2, 3] }
      case 'whoami':
        return text({ token: caller.principal.tokenId, endpoint: caller.endpoint.id, era: caller.era })
      case 'progress':
        for (const progress of [1, 2]) caller.notify(progressOf(request, progress))
        // Clients drop progress that they read in one go with the result.
        await new Promise<void>((resolve) => (this.finishProgress = resolve))
        return text('done')
      case 'change':
        caller.notify({ method: 'notifications/tools/list_changed' })
        return text('changed')
      case 'log':
        caller.notify({ method: 'notifications/message', params: { level: 'info', data: 'hello' } })
        return text('logged')
      case 'ask':
        return text(await caller.ask?.({ method: 'elicitation/create', params: FORM }, caller.signal))
      case 'input':
        return request.params?.['inputResponses'] === undefined
          ? { resultType: 'input_required', inputRequests: { name: QUESTION }, requestState: 's1' }
          : text({ got: request.params['inputResponses'], state: request.params['requestState'] })
      case 'wait':
        return this.#wait(String(input['text']), caller)
      case 'gateway-error':
        throw new GatewayError('SERVER_CRASHED', { server: 'files', remedy: 'Try again' })
      case 'server-error':
        throw new ServerReplyError(-32055, 'Their own words', { their: 'data' })
      case 'surprise':
        throw new TypeError('leaked argument hunter2')
      default:
        throw new GatewayError('TOOL_NOT_FOUND', { tool: name })
    }
  }

  #wait(key: string, caller: Caller): Promise<JsonObject> {
    this.#waiting.get(key)?.()
    return new Promise((_, reject) => {
      caller.signal.addEventListener('abort', () => {
        this.aborted.push(key)
        reject(new GatewayError('CALL_CANCELLED'))
        this.#waiting.get(`${key} aborted`)?.()
      })
    })
  }
}

const FORM = { message: 'Your name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } }
const QUESTION = { method: 'elicitation/create', params: { ...FORM, mode: 'form' } }

function text(value: unknown): JsonObject {
  return { content: [{ type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value) }] }
}

function progressOf(request: RpcMessage, progress: number): RpcMessage {
  const meta = request.params?.['_meta'] as JsonObject | undefined
  return { method: 'notifications/progress', params: { progressToken: meta?.['progressToken'], progress, total: 3 } }
}

/** Collects log lines. */
export class LogLines {
  readonly lines: string[] = []
  warn(fields: JsonObject, message: string): void {
    this.lines.push(JSON.stringify({ ...fields, message }))
  }
  error(fields: JsonObject, message: string): void {
    this.warn(fields, message)
  }
}

/** An HTTP server with a fake handler, listening on a free port. */
export async function openListener(options: Partial<HttpServerOptions> = {}) {
  const handler = new FakeHandler()
  const log = new LogLines()
  const server = new HttpServer({
    handler,
    log,
    port: 0,
    access: {
      authenticate(authorization) {
        if (authorization === undefined) throw new GatewayError('TOKEN_MISSING')
        const principal = TOKENS.get(authorization.replace(/^Bearer /, ''))
        if (principal === undefined) throw new GatewayError('TOKEN_INVALID')
        return principal
      },
      endpoint: (id) => ENDPOINTS.find((endpoint) => endpoint.id === id),
    },
    health: (_, res) => void res.end('healthy'),
    ready: (_, res) => void res.end('ready'),
    metrics: (_, res) => void res.end('metrics'),
    ...options,
  })
  const listChanged = notifierAt(server.notifier)
  const { url, port } = await server.listen()
  return { server, handler, log, url, port, listChanged, [Symbol.asyncDispose]: () => server.close() }
}

/** The headers that every client sends. */
export const POLITE = {
  authorization: 'Bearer secret-a',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
} as const

/** A request of 2026-07-28 with its headers. */
export function modernRequest(method: string, params: JsonObject = {}, meta: JsonObject = {}) {
  const name = params['name'] ?? params['uri']
  const headers: Record<string, string> = { ...POLITE, 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
  if (typeof name === 'string') headers['mcp-name'] = name
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'raw', version: '1' },
    ...meta,
  }
  return { headers, message: { jsonrpc: '2.0', id: 7, method, params: { ...params, _meta: envelope } } }
}

/** The JSON-RPC messages of a response, JSON or streamed. */
export async function messagesOf(response: Response): Promise<JsonObject[]> {
  const body = await response.text()
  if (response.headers.get('content-type')?.startsWith('text/event-stream') !== true) {
    return body === '' ? [] : [JSON.parse(body) as JsonObject]
  }
  const lines = body.split('\n').filter((line) => line.startsWith('data: '))
  return lines.map((line) => JSON.parse(line.slice('data: '.length)) as JsonObject)
}

/** Begins a session; resolves to its headers. */
export async function beginSession(url: string, capabilities: JsonObject = {}, authorization = 'Bearer secret-a') {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...POLITE, authorization },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 0,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'raw', version: '1' } },
    }),
  })
  const [message] = await messagesOf(response)
  const id = response.headers.get('mcp-session-id')
  if (id === null) throw new Error(`No session: ${response.status} ${JSON.stringify(message)}`)
  return { ...POLITE, authorization, 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' }
}
