/**
 * A server over standard streams, made with the SDK, whose tools ask the client back: of the revisions with requests of the
 * server (SDK v1), or with `modern` as its argument of 2026-07-28 (SDK v2), which asks by ending with a question. That of
 * the older revisions is also available behind a URL.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { Server as FirstServer } from '@modelcontextprotocol/sdk/server/index.js'
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import type { RequestHandlerExtra } from '@modelcontextprotocol/sdk/shared/protocol.js'
import {
  CallToolRequestSchema,
  ElicitResultSchema,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  ReadResourceRequestSchema,
  type ServerNotification,
  type ServerRequest,
} from '@modelcontextprotocol/sdk/types.js'
import { inputRequired, Server, type ServerContext } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ServerEntry } from './fixture-server.ts'

/** The entry of `mcpServers` that starts this file. */
export function askingServer(era: 'legacy' | 'modern', entry: ServerEntry = {}): ServerEntry {
  const args = [fileURLToPath(import.meta.url), era]
  return { command: process.execPath, args, ...(era === 'modern' && { era: '2026-07-28' }), ...entry }
}

const INFO = { name: 'asking', version: '1.0.0' }
const FORM = {
  message: 'Who are you?',
  requestedSchema: { type: 'object' as const, properties: { name: { type: 'string' as const } }, required: ['name'] },
}
const PAGE = { mode: 'url' as const, message: 'Log in', url: 'http://127.0.0.1/', elicitationId: 'e1' }
const SAMPLE = {
  messages: [{ role: 'user' as const, content: { type: 'text' as const, text: 'Say something' } }],
  maxTokens: 10,
}
const NAMES = [
  ...['ask', 'sample', 'askhere', 'both', 'twice', 'hasty', 'linger', 'slowly'],
  ...['roots', 'page', 'wait', 'release', 'told'],
]

const text = (value: unknown) => ({ content: [{ type: 'text' as const, text: JSON.stringify(value) }] })
const list = () => ({ tools: NAMES.map((name) => ({ name, inputSchema: { type: 'object' as const } })) })

/** The answer to a question, or the message of its refusal. */
async function outcome(asked: Promise<unknown>): Promise<unknown> {
  try {
    return await asked
  } catch (error) {
    const { code, message } = error as { code?: unknown; message: string }
    return { refused: code, message }
  }
}

/** State that all sessions of a server share. */
interface Desk {
  readonly waiting: (() => void)[]
  readonly told: unknown[]
}

type Extra = RequestHandlerExtra<ServerRequest, ServerNotification>
type AskingTool = (extra: Extra) => Promise<unknown>

function askingTools(server: FirstServer, { waiting, told }: Desk): Record<string, AskingTool> {
  const released = () => new Promise<void>((resolve) => waiting.push(resolve))
  const ask = () => server.elicitInput(FORM)
  const sample = () => server.createMessage(SAMPLE)
  // On the stream of the call, where there is one.
  const askhere: AskingTool = ({ sendRequest }) =>
    sendRequest({ method: 'elicitation/create', params: FORM }, ElicitResultSchema)
  return {
    ask,
    sample,
    askhere,
    both: async () => Promise.all([outcome(ask()), outcome(sample())]),
    twice: async () => [await outcome(ask()), await outcome(sample())],
    hasty: () => Promise.race([ask(), released().then(() => 'did without')]),
    linger: async ({ signal }) => {
      await ask()
      told.push({ name: 'heard' })
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'was cancelled'
    },
    slowly: async (extra) => {
      await progressed(extra, 1)
      const answer = await askhere(extra)
      await progressed(extra, 2)
      return answer
    },
    // Not with the SDK's own methods, which check the declared capabilities: some servers do not.
    roots: () => server.request({ method: 'roots/list' }, ListRootsResultSchema),
    page: () => server.request({ method: 'elicitation/create', params: PAGE }, ElicitResultSchema),
    wait: released,
    release: async () => waiting.splice(0).forEach((end) => end()),
    told: async () => ({ declared: server.getClientCapabilities(), told }),
  }
}

async function progressed({ sendNotification, _meta }: Extra, progress: number): Promise<void> {
  const progressToken = _meta?.progressToken
  if (progressToken === undefined) return
  await sendNotification({ method: 'notifications/progress', params: { progressToken, progress } })
}

function legacyServer(desk: Desk): FirstServer {
  const server = new FirstServer(INFO, { capabilities: { tools: {}, prompts: {}, resources: {} } })
  const tools = askingTools(server, desk)
  server.setRequestHandler(ListToolsRequestSchema, list)
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name } }, extra) => {
    const answer = await outcome(tools[name]?.(extra) ?? Promise.reject(new Error('no such tool')))
    if (name !== 'told') desk.told.push({ name, answer })
    return text(answer ?? null)
  })
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: 'ask' }] }))
  const said = async () => JSON.stringify(await outcome(server.elicitInput(FORM)))
  server.setRequestHandler(GetPromptRequestSchema, async () => ({
    messages: [{ role: 'user', content: { type: 'text', text: await said() } }],
  }))
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ name: 'ask', uri: 'test://ask' }] }))
  server.setRequestHandler(ReadResourceRequestSchema, async ({ params: { uri } }) => ({
    contents: [{ uri, text: await said() }],
  }))
  return server
}

/** The same server behind a URL, of the revisions with sessions. */
export interface AskingHttpServer extends AsyncDisposable {
  readonly entry: ServerEntry
}

type Answer = (req: IncomingMessage, res: ServerResponse) => Promise<void>

/** Starts it in this process: over Streamable HTTP, or over HTTP+SSE. */
export async function askingHttpServer(type: 'http' | 'sse' = 'http'): Promise<AskingHttpServer> {
  const desk: Desk = { waiting: [], told: [] }
  const answer = type === 'http' ? streamable(desk) : eventStream(desk)
  // A client that disconnects during a request is not a failure of the server.
  const http = createServer((req, res) => void answer(req, res).catch(() => res.destroy()))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    entry: { type, url: `http://127.0.0.1:${port}/mcp`, era: 'legacy' },
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

function streamable(desk: Desk): Answer {
  const transports = new Map<string, StreamableHTTPServerTransport>()
  const opened = async (): Promise<StreamableHTTPServerTransport> => {
    const transport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => void transports.delete(id),
    })
    await legacyServer(desk).connect(transport as Parameters<FirstServer['connect']>[0])
    return transport
  }
  return async (req, res) => {
    const id = req.headers['mcp-session-id']
    const transport = typeof id === 'string' ? transports.get(id) : await opened()
    if (transport === undefined) res.writeHead(404).end()
    else await transport.handleRequest(req, res)
  }
}

function eventStream(desk: Desk): Answer {
  const transports = new Map<string, SSEServerTransport>()
  return async (req, res) => {
    const id = new URL(req.url ?? '/', 'http://x').searchParams.get('sessionId') ?? ''
    if (req.method === 'POST') {
      const transport = transports.get(id)
      if (transport === undefined) res.writeHead(404).end()
      else await transport.handlePostMessage(req, res)
      return
    }
    const transport = new SSEServerTransport('/messages', res)
    transports.set(transport.sessionId, transport)
    res.once('close', () => transports.delete(transport.sessionId))
    await legacyServer(desk).connect(transport)
  }
}

function serveModern(): void {
  serveStdio(() => {
    const server = new Server(INFO, { capabilities: { tools: {} } })
    server.setRequestHandler('tools/list', list)
    server.setRequestHandler('tools/call', ({ params: { name } }, context: ServerContext) => {
      const given = context.mcpReq.inputResponses?.['who']
      if (given !== undefined) return text(given)
      const request = { method: 'elicitation/create', params: { mode: 'form', ...FORM } } as const
      return name === 'ask' ? inputRequired({ inputRequests: { who: request } }) : text(name)
    })
    return server
  })
}

const [, main, era] = process.argv
if (main === fileURLToPath(import.meta.url)) {
  if (era === 'modern') serveModern()
  else await legacyServer({ waiting: [], told: [] }).connect(new StdioServerTransport())
}
