import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, Server } from '@modelcontextprotocol/server'
import type { ServerEntry } from './fixture-server.ts'

/** Servers over Streamable HTTP in this process: cheap, where many are needed. */
export interface HttpServers extends AsyncDisposable {
  /** Entries of `mcpServers`, each with the extra settings. */
  entries(more?: ServerEntry): Record<string, ServerEntry>
  /** Every request so far, oldest first. */
  readonly requests: readonly ReceivedRequest[]
}

/** A request to one of the servers. */
export interface ReceivedRequest {
  readonly serverId: string
  /** The `Mcp-Method` header. */
  readonly method: string | undefined
  /** Whether the server has not answered it and the client still waits. */
  isOpen(): boolean
}

/** Starts servers of protocol 2026-07-28 by id: their tools, which echo, or `hang` for one that never answers. */
export async function httpServers(tools: Readonly<Record<string, readonly object[] | 'hang'>>): Promise<HttpServers> {
  const handlers = new Map(
    Object.entries(tools).map(([id, list]) => [id, list === 'hang' ? undefined : handlerOf(list)]),
  )
  const requests: ReceivedRequest[] = []
  const http = createServer((req, res) => {
    const serverId = req.url?.split('/')[1] ?? ''
    const method = req.headers['mcp-method']?.toString()
    requests.push({ serverId, method, isOpen: () => !res.writableEnded && !res.destroyed })
    handlers.get(serverId)?.(req, res)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  return {
    requests,
    entries: (more = {}) =>
      Object.fromEntries(
        [...handlers.keys()].map((id) => [id, { url: `http://127.0.0.1:${port}/${id}/mcp`, ...more }]),
      ),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        http.close(() => resolve())
        http.closeAllConnections()
      }),
  }
}

function handlerOf(tools: readonly object[]): RequestListener {
  const answer = async (request: { method: string; params?: Record<string, unknown> }) => {
    if (request.method === 'tools/list') return { tools }
    const { name, arguments: args = {} } = request.params ?? {}
    return { content: [{ type: 'text', text: JSON.stringify({ tool: name, arguments: args }) }] }
  }
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: 'fixture', version: '1' }, { capabilities: { tools: {} } })
      server.fallbackRequestHandler = (request) => answer(request as Parameters<typeof answer>[0])
      return server
    },
    { legacy: 'reject' },
  )
  return toNodeHandler(handler) as unknown as RequestListener
}
