// A small MCP server over stdio for one fictional service: `node sample-server.ts <service>`. It uses no SDK, so it starts
// quickly.
import { createInterface } from 'node:readline'
import { sampleAnswer } from './sample-answer.ts'
import { type SampleServer, sampleServers } from './sample-catalog.ts'

const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']
const LATEST = '2025-11-25'

interface Request {
  readonly id?: string | number
  readonly method?: string
  readonly params?: { readonly [key: string]: unknown }
}

class RequestError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

function answerTo(server: SampleServer, { method, params = {} }: Request): object {
  switch (method) {
    case 'initialize': {
      const wanted = String(params['protocolVersion'])
      return {
        protocolVersion: VERSIONS.includes(wanted) ? wanted : LATEST,
        capabilities: { tools: {} },
        serverInfo: { name: server.name, version: '1.0.0' },
        ...(server.description !== undefined && { instructions: server.description }),
      }
    }
    case 'ping':
      return {}
    case 'tools/list':
      return { tools: server.tools }
    case 'tools/call': {
      const tool = server.tools.find(({ name }) => name === params['name'])
      if (tool === undefined) throw new RequestError(-32602, `Unknown tool: ${String(params['name'])}`)
      return sampleAnswer(tool, (params['arguments'] ?? {}) as Record<string, unknown>)
    }
    default:
      throw new RequestError(-32601, `Method not found: ${String(method)}`)
  }
}

function reply(server: SampleServer, line: string): object | undefined {
  let request: Request
  try {
    request = JSON.parse(line) as Request
  } catch {
    return { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'Parse error' } }
  }
  if (request.id === undefined) return undefined
  try {
    return { jsonrpc: '2.0', id: request.id, result: answerTo(server, request) }
  } catch (error) {
    const code = error instanceof RequestError ? error.code : -32603
    return {
      jsonrpc: '2.0',
      id: request.id,
      error: { code, message: error instanceof Error ? error.message : 'failed' },
    }
  }
}

const name = process.argv[2]
const server = sampleServers().find((each) => each.name === name)
if (server === undefined) {
  process.stderr.write(`there is no sample server ${String(name)}\n`)
  process.exitCode = 2
} else {
  for await (const line of createInterface({ input: process.stdin })) {
    const message = line.trim() === '' ? undefined : reply(server, line)
    if (message !== undefined) process.stdout.write(`${JSON.stringify(message)}\n`)
  }
}
