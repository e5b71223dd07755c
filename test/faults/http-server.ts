import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

/** A server over Streamable HTTP without an SDK, sessions or streams. It answers at any path. */
export async function plainHttpServer(): Promise<{ readonly http: Server } & AsyncDisposable> {
  const http = createServer((req, res) => void answer(req, res))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  return {
    http,
    [Symbol.asyncDispose]: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
}

const TOOLS = [{ name: 'echo', description: 'Says it again', inputSchema: { type: 'object' } }]

async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
  if (req.method !== 'POST') return void res.writeHead(405).end()
  const { id, method, params } = JSON.parse(await text(req))
  if (id === undefined) return void res.writeHead(202).end()
  const results: Readonly<Record<string, () => object>> = {
    initialize: () => ({
      protocolVersion: params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'plain', version: '1' },
    }),
    'tools/list': () => ({ tools: TOOLS }),
    'tools/call': () => ({ content: [{ type: 'text', text: String(params.arguments.value) }] }),
  }
  const result = results[method]?.()
  const outcome = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result }
  res.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }))
}
