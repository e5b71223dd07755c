/** A minimal MCP server over Streamable HTTP, in a process of its own. Prints its URL. */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const toolCount = Number(process.argv[2] ?? 1)
const tools = Array.from({ length: toolCount }, (_, index) => ({
  name: index === 0 ? 'echo' : `tool_${index}`,
  description: `Echoes the given value as text, as often as asked for; this is variant number ${index}`,
  inputSchema: {
    type: 'object',
    properties: { value: { type: 'string', description: 'The text' }, times: { type: 'integer' } },
    required: ['value'],
  },
}))

const http = createServer((req, res) => {
  if (req.method !== 'POST') {
    res.writeHead(req.method === 'DELETE' ? 200 : 405).end()
    return
  }
  const parts: Buffer[] = []
  req.on('data', (part: Buffer) => parts.push(part))
  req.on('end', () => answer(req, res, JSON.parse(Buffer.concat(parts).toString())))
})

interface Asked {
  readonly id?: number | string
  readonly method: string
  readonly params: { readonly arguments?: { readonly value: string }; readonly protocolVersion?: string }
}

function answer(req: IncomingMessage, res: ServerResponse, { id, method, params }: Asked): void {
  if (id === undefined) {
    res.writeHead(202).end()
    return
  }
  const outcome = outcomeOf(method, params)
  const text = JSON.stringify({ jsonrpc: '2.0', id, ...outcome })
  const session = req.headers['mcp-session-id'] ?? randomUUID()
  const length = Buffer.byteLength(text)
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': length, 'mcp-session-id': session })
  res.end(text)
}

function outcomeOf(method: string, params: Asked['params']): object {
  switch (method) {
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: params.arguments?.value }] } }
    case 'initialize': {
      const { protocolVersion } = params
      const serverInfo = { name: 'echo', version: '1' }
      return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
    }
    case 'tools/list':
      return { result: { tools } }
    default:
      return { error: { code: -32601, message: 'Method not found' } }
  }
}

http.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp\n`)
})
