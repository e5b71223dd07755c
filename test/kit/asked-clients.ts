import { Client, SSEClientTransport, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import type { ClientKind, Json } from './clients.ts'

/** A client whose user answers the form that a tool shows. */
export interface AskedClient {
  call(tool: string): Promise<Json>
  close(): Promise<void>
}

/** Where a client connects, and with what name its user fills in forms. */
export interface AskedOptions {
  readonly url: string
  readonly endpoint: string
  readonly token: string
  readonly name: string
}

const INFO = { name: 'asked', version: '1' }
const CAPABILITIES = { elicitation: { form: {} } }

/** Connects one of any kind. */
export async function askedClient(kind: ClientKind, options: AskedOptions): Promise<AskedClient> {
  const { url, endpoint, token, name } = options
  const requestInit = { headers: { Authorization: `Bearer ${token}` } }
  const address = new URL(`${url}/${endpoint}/${kind === 'sse' ? 'sse' : 'mcp'}`)
  const answer = async () => ({ action: 'accept' as const, content: { name } })
  if (kind === 'v1') {
    const client = new FirstClient(INFO, { capabilities: CAPABILITIES })
    client.setRequestHandler(ElicitRequestSchema, answer)
    await client.connect(new FirstHttp(address, { requestInit }) as Parameters<FirstClient['connect']>[0])
    return { call: (tool) => client.callTool({ name: tool, arguments: {} }), close: () => client.close() }
  }
  const negotiation = kind === 'modern' ? { versionNegotiation: { mode: 'auto' as const } } : {}
  const client = new Client(INFO, { capabilities: CAPABILITIES, ...negotiation })
  client.setRequestHandler('elicitation/create', answer)
  const Transport = kind === 'sse' ? SSEClientTransport : StreamableHTTPClientTransport
  await client.connect(new Transport(address, { requestInit }))
  return { call: (tool) => client.callTool({ name: tool, arguments: {} }), close: () => client.close() }
}
