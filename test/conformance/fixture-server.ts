/** The server behind the gateway in the conformance runs: everything that the official suite asks for, in both eras. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import { ASKING_TOOLS } from './fixture/asking-tools.ts'
import { CONTENT_TOOLS } from './fixture/content-tools.ts'
import { type Changeable, type FixtureTool, plainTool, text } from './fixture/fixture-tool.ts'
import { INPUT_REQUIRED_TOOLS } from './fixture/input-required-tools.ts'
import { PROMPTS, SOMETIMES_PROMPT } from './fixture/prompts.ts'
import { RESOURCES, readFixtureResource, TEMPLATES } from './fixture/resources.ts'

const TOOLS: readonly FixtureTool[] = [...CONTENT_TOOLS, ...ASKING_TOOLS, ...INPUT_REQUIRED_TOOLS]
const SOMETIMES_TOOL = plainTool('test_sometimes_tool', 'Comes and goes', () => text('Still here'))

/** A running fixture. */
export interface FixtureServer extends AsyncDisposable {
  readonly url: string
}

/** Serves over Streamable HTTP on a free port, with sessions or without. */
export async function startFixture(era: 'legacy' | 'modern'): Promise<FixtureServer> {
  const lists = new Lists()
  const handle = era === 'legacy' ? legacyHandler(lists) : modernHandler(lists)
  const http = createServer((req, res) => void handle(req, res))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

type Handler = (req: IncomingMessage, res: ServerResponse) => Promise<void> | void

/** Lists that change when a tool is called, and the clients to notify. */
class Lists implements Changeable {
  tools = TOOLS
  prompts = PROMPTS
  readonly listeners = new Set<{ toolsChanged(): void; promptsChanged(): void }>()

  toggleTool(): void {
    this.tools = this.tools === TOOLS ? [...TOOLS, SOMETIMES_TOOL] : TOOLS
    for (const listener of this.listeners) listener.toolsChanged()
  }

  togglePrompt(): void {
    this.prompts = this.prompts === PROMPTS ? [...PROMPTS, SOMETIMES_PROMPT] : PROMPTS
    for (const listener of this.listeners) listener.promptsChanged()
  }
}

function modernHandler(lists: Lists): Handler {
  const handler = createMcpHandler(() => fixture(lists), { legacy: 'reject' })
  lists.listeners.add(handler.notify)
  const handle = toNodeHandler(handler)
  // The SDK's type of a request leaves out that Node's fields may be undefined.
  return (req, res) => void handle(req as Parameters<typeof handle>[0], res)
}

function legacyHandler(lists: Lists): Handler {
  const transports = new Map<string, NodeStreamableHTTPServerTransport>()
  const begin = async (): Promise<NodeStreamableHTTPServerTransport> => {
    const server = fixture(lists)
    const listener = {
      toolsChanged: () => void server.sendToolListChanged().catch(() => undefined),
      promptsChanged: () => void server.sendPromptListChanged().catch(() => undefined),
    }
    const transport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      onsessioninitialized: (id) => void transports.set(id, transport),
      onsessionclosed: (id) => {
        transports.delete(id)
        lists.listeners.delete(listener)
      },
    })
    lists.listeners.add(listener)
    await server.connect(transport)
    return transport
  }
  return async (req, res) => {
    const id = req.headers['mcp-session-id']
    const transport = typeof id === 'string' ? transports.get(id) : await begin()
    if (transport === undefined) res.writeHead(404).end()
    else await transport.handleRequest(req, res)
  }
}

/** One SDK server with everything registered. */
function fixture(lists: Lists): Server {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
      },
    },
  )
  server.setRequestHandler('tools/list', () => ({ tools: lists.tools.map(({ definition }) => definition) }))
  server.setRequestHandler('tools/call', ({ params }, context) => {
    const tool = lists.tools.find(({ definition }) => definition.name === params.name)
    if (tool === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${params.name}`)
    return tool.call({ args: params.arguments ?? {}, context, lists })
  })
  server.setRequestHandler('prompts/list', () => ({ prompts: lists.prompts.map(({ definition }) => definition) }))
  server.setRequestHandler('prompts/get', ({ params }, context) => {
    const prompt = lists.prompts.find(({ definition }) => definition.name === params.name)
    if (prompt === undefined) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown prompt: ${params.name}`)
    return prompt.get(params.arguments ?? {}, context)
  })
  server.setRequestHandler('resources/list', () => ({ resources: [...RESOURCES] }))
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: [...TEMPLATES] }))
  server.setRequestHandler('resources/read', ({ params }) => readFixtureResource(params.uri))
  server.setRequestHandler('resources/subscribe', () => ({}))
  server.setRequestHandler('resources/unsubscribe', () => ({}))
  server.setRequestHandler('completion/complete', ({ params }) => {
    const values = ['paris', 'park', 'party'].filter((value) => value.startsWith(params.argument.value))
    return { completion: { values, total: values.length, hasMore: false } }
  })
  return server
}
