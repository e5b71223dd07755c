import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ResultSchema } from '@modelcontextprotocol/sdk/types.js'

/** Any JSON from the wire; tests read it without type checks. */
// oxlint-disable-next-line typescript/no-explicit-any
export type Json = Readonly<Record<string, any>>

/** The SDK, era and transport of a client. */
export type ClientKind = 'modern' | 'legacy' | 'v1' | 'sse'

/** A real MCP client of any SDK, reduced to the methods that tests need. */
export interface TestClient {
  readonly kind: ClientKind
  /** Any request; the answer as it came, unknown fields included. */
  request(method: string, params?: Json, options?: CallOptions): Promise<Json>
  /** The tools as they came: SDKs drop fields that they do not know. */
  listTools(): Promise<Json[]>
  /** As a host calls a tool: with the SDK's own checks of the result. */
  call(name: string, args?: Json, options?: CallOptions): Promise<Json>
  /** The notifications that came so far, oldest first, without progress. */
  readonly heard: readonly Heard[]
  /** Subscribes to list changes and to these resources, as its era does. */
  listen(...uris: string[]): Promise<void>
  instructions(): string | undefined
  capabilities(): Json
  close(): Promise<void>
}

/** A notification that the SDK delivered. */
export interface Heard {
  readonly method: string
  readonly params?: Json | undefined
}

/** How a request is made. */
export interface CallOptions {
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number; message?: string | undefined }) => void
  /** Beside the arguments. */
  readonly _meta?: Json
}

const INFO = { name: 'acceptance', version: '1.0.0' }
const LIST_CHANGES = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }
/** Takes any answer as it is. */
const RAW = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const

/** Who connects: another name than the usual one, other capabilities than none. */
export interface ClientOptions {
  readonly name?: string
  readonly capabilities?: Json
}

/** Connects with a client of the given kind. `url` is the gateway's, `endpoint` a path segment. */
export function connect(
  kind: ClientKind,
  url: string,
  token: string | undefined,
  endpoint?: string,
  options?: ClientOptions,
): Promise<TestClient> {
  const base = endpoint === undefined ? url : `${url}/${endpoint}`
  if (kind === 'v1') return connectV1(new FirstHttp(new URL(`${base}/mcp`), bearer(token)), options)
  if (kind === 'sse')
    return connectSecond('sse', new SSEClientTransport(new URL(`${base}/sse`), bearer(token)), options)
  // SDK v2: protocol 2026-07-28, or with a session.
  return connectSecond(kind, new StreamableHTTPClientTransport(new URL(`${base}/mcp`), bearer(token)), options)
}

/** A program that a client starts, to talk to it over its standard streams. */
export interface StdioProgram {
  readonly command: string
  readonly args: string[]
  readonly env?: Record<string, string>
  readonly stderr?: 'ignore' | 'inherit'
}

/** Starts a program as a client does, and connects to it. */
export function connectStdio(kind: Exclude<ClientKind, 'sse'>, program: StdioProgram): Promise<TestClient> {
  return kind === 'v1' ? connectV1(new FirstStdio(program)) : connectSecond(kind, new StdioClientTransport(program))
}

/** SDK v1 with a session. */
async function connectV1(
  transport: FirstHttp | FirstStdio,
  { name = INFO.name, capabilities = {} }: ClientOptions = {},
): Promise<TestClient> {
  const client = new FirstClient({ ...INFO, name }, { capabilities })
  const heard: Heard[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  await client.connect(transport as Parameters<FirstClient['connect']>[0])
  const request: TestClient['request'] = (method, params = {}, { _meta, ...options } = {}) =>
    client.request({ method, params: { ...params, ...(_meta && { _meta }) } }, ResultSchema, options)
  return {
    kind: 'v1',
    request,
    listTools: async () => (await request('tools/list'))['tools'],
    call: (name, args = {}, { _meta, ...options } = {}) =>
      client.callTool({ name, arguments: args, ...(_meta && { _meta }) }, undefined, options),
    heard,
    listen: async (...uris) => {
      for (const uri of uris) await client.subscribeResource({ uri })
    },
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities() ?? {},
    close: () => client.close(),
  }
}

async function connectSecond(
  kind: ClientKind,
  transport: StreamableHTTPClientTransport | SSEClientTransport | StdioClientTransport,
  { name = INFO.name, capabilities = {} }: ClientOptions = {},
): Promise<TestClient> {
  const negotiation = kind === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}
  const client = new Client({ ...INFO, name }, { capabilities, ...negotiation })
  const heard: Heard[] = []
  client.fallbackNotificationHandler = async (notification) => void heard.push(notification)
  await client.connect(transport)
  if ((client.getProtocolEra() === 'modern') !== (kind === 'modern'))
    throw new Error(`The client is not a ${kind} client`)
  const request: TestClient['request'] = (method, params = {}, { _meta, ...options } = {}) =>
    client.request({ method, params: { ...params, ...(_meta && { _meta }) } }, RAW, options) as Promise<Json>
  return {
    kind,
    request,
    listTools: async () => (await request('tools/list'))['tools'],
    call: (name, args = {}, { _meta, ...options } = {}) =>
      client.callTool({ name, arguments: args, ...(_meta && { _meta }) }, options),
    heard,
    listen: async (...uris) => {
      if (kind === 'modern') await client.listen({ ...LIST_CHANGES, resourceSubscriptions: uris })
      else for (const uri of uris) await client.subscribeResource({ uri })
    },
    instructions: () => client.getInstructions(),
    capabilities: () => client.getServerCapabilities() ?? {},
    close: () => client.close(),
  }
}

/** A request without an SDK: one POST, its status, headers and body. */
export async function raw(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
  })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

/** The first text of a result. */
export function textOf(result: Json): string {
  return result['content']?.[0]?.text ?? ''
}

/** The call that a fixture server echoed. */
export function echoOf(result: Json): { tool: string; arguments: Json } {
  return JSON.parse(textOf(result))
}

/** The failure that a promise ends in: code and message as the client's SDK reports them. */
export async function failureOf(promise: Promise<unknown>): Promise<{ code: number; message: string; data?: Json }> {
  const answer = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  )
  if ('value' in answer) throw new Error(`The promise did not fail but answered ${JSON.stringify(answer.value)}`)
  const { code, message, data } = answer.error as { code: number; message: string; data?: Json }
  return { code, message: message.replace(/^MCP error -?\d+: /, ''), ...(data !== undefined && { data }) }
}

function bearer(token: string | undefined) {
  return token === undefined ? {} : { requestInit: { headers: { Authorization: `Bearer ${token}` } } }
}
