import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { LogBuffer } from '../protocol/log-buffer.ts'
import { OpenRequests } from '../protocol/open-requests.ts'
import { systemProcessTable } from './process-table.ts'
import { withoutRaw } from '../protocol/raw-json.ts'
import { StdioTransport, type StdioTransportOptions } from './stdio-transport.ts'

const RAW = { '~standard': { version: 1, vendor: 'raw', validate: (value: unknown) => ({ value }) } } as const
const TABLE = systemProcessTable(process.platform)

/** The path of a fixture server. */
export const fixture = (name: string): string => fileURLToPath(new URL(`fixtures/${name}.mjs`, import.meta.url))

/** A transport to a fixture server, and its log. */
export function fixtureTransport(name: string, options: Partial<StdioTransportOptions> = {}) {
  const log = new LogBuffer({ now: () => 0 })
  const transport = new StdioTransport({
    server: 'fixture',
    command: process.execPath,
    args: [fixture(name)],
    env: {},
    ourEnv: process.env,
    table: TABLE,
    maxReplyBytes: 8 * 1024 * 1024,
    requests: new OpenRequests({ id: 'fixture', name: 'fixture' }),
    log,
    ...options,
  })
  return { transport, log }
}

type Called = Record<string, unknown> & { content: { text: string }[]; structuredContent?: Record<string, unknown> }

/** A real SDK client that talks to a fixture server through our transport. */
export async function connect(name: string, options: Partial<StdioTransportOptions> = {}) {
  const { transport, log } = fixtureTransport(name, options)
  const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
  await client.connect(transport)
  const call = async (tool: string, args: Record<string, unknown> = {}, timeout = 10_000) => {
    const request = { method: 'tools/call', params: { name: tool, arguments: args } }
    const result = await client.request(request, RAW, { timeout })
    return withoutRaw(result as Called)
  }
  const text = async (tool: string, args: Record<string, unknown> = {}) => (await call(tool, args)).content[0]?.text
  return { client, transport, log, call, text }
}

/** Which of these processes run. */
export async function running(pids: readonly number[]): Promise<number[]> {
  const rows = await Promise.all(pids.map((pid) => TABLE.row(pid)))
  return pids.filter((_, index) => rows[index] !== undefined)
}
