import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { MinimalClient } from './minimal-client.ts'
import type { Call } from './measure.ts'

/** A client of one kind, connected to one side. */
export interface BenchClient {
  readonly echo: Call
  close(): Promise<void> | void
}

/** The two kinds of clients that make the measured calls. */
export const CLIENTS: Readonly<Record<'minimal' | 'sdk', (url: string) => Promise<BenchClient>>> = {
  minimal: async (url) => {
    const client = await new MinimalClient(url).connect()
    return { echo: echoing((value) => client.call('echo', { value })), close: () => client.close() }
  },
  sdk: async (url) => {
    const client = new Client({ name: 'bench', version: '1' }, { capabilities: {} })
    await client.connect(new StreamableHTTPClientTransport(new URL(url)))
    const echo = echoing((value) => client.callTool({ name: 'echo', arguments: { value } }))
    return { echo, close: () => client.close() }
  },
}

let calls = 0

/** @throws if the answer does not repeat the value */
function echoing(call: (value: string) => Promise<{ readonly [key: string]: unknown }>): Call {
  return async () => {
    const value = `message ${calls++}`
    const { content } = await call(value)
    const [block] = content as readonly { text?: string }[]
    if (block?.text !== value) throw new Error('The answer belongs to another call')
  }
}
