import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { LeanClient } from './lean-client.ts'
import type { Call } from './measure.ts'

/** A client of one kind, connected to one side. */
export interface BenchClient {
  readonly echo: Call
  close(): Promise<void> | void
}

/** The two kinds of clients that calls are measured with. */
export const CLIENTS: Readonly<Record<'lean' | 'sdk', (url: string) => Promise<BenchClient>>> = {
  lean: async (url) => {
    const client = await new LeanClient(url).connect()
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

/** @throws if the answer is not what was said */
function echoing(call: (value: string) => Promise<{ readonly [key: string]: unknown }>): Call {
  return async () => {
    const value = `message ${calls++}`
    const { content } = await call(value)
    const [block] = content as readonly { text?: string }[]
    if (block?.text !== value) throw new Error('The answer is somebody else’s')
  }
}
