import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Json } from './clients.ts'
import type { TestGateway } from './gateway.ts'

/** How an askable client of 2026-07-28 connects, and its answers. */
export interface AskableOptions {
  readonly name?: string
  readonly token?: string
  readonly endpoint?: string
  readonly capabilities?: Json
  readonly declines?: boolean
}

/** Fields beside the arguments of a call. */
export interface RetryOptions {
  readonly args?: Json
  readonly _meta?: Json
  readonly inputResponses?: unknown
  readonly requestState?: unknown
  readonly signal?: AbortSignal
  readonly onprogress?: (progress: { progress: number }) => void
}

/** An SDK client of 2026-07-28 for servers that ask: it answers by itself, or the test does. */
export interface AskableClient extends AsyncDisposable {
  /** The questions that it answered by itself. */
  readonly asked: readonly string[]
  /** Calls a tool and answers its questions. */
  call(tool: string, args?: Json): Promise<Json>
  /** One request: the result may be a question. */
  request(method: string, params: Json, options?: RetryOptions): Promise<Json>
  /** The same for the call of a tool. */
  once(tool: string, options?: RetryOptions): Promise<Json>
}

const CAPABILITIES = { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} }
const RAW = { '~standard': { version: 1, vendor: 'test', validate: (value: unknown) => ({ value }) } } as const

/** Connects one. */
export async function askableClient(gateway: TestGateway, options: AskableOptions = {}): Promise<AskableClient> {
  const { name = 'Ada', token, endpoint, capabilities = CAPABILITIES, declines = false } = options
  const asked: string[] = []
  const client = new Client(
    { name, version: '1' },
    { capabilities: { ...capabilities }, versionNegotiation: { mode: 'auto' } },
  )
  if ('elicitation' in capabilities) {
    client.setRequestHandler('elicitation/create', async () => {
      asked.push('elicitation')
      return declines ? { action: 'decline' as const } : formOf(name)
    })
  }
  if ('sampling' in capabilities) {
    client.setRequestHandler('sampling/createMessage', async () => (asked.push('sampling'), wordsOf(name)))
  }
  const url = new URL(`${gateway.url}/${endpoint === undefined ? '' : `${endpoint}/`}mcp`)
  const requestInit = { headers: { Authorization: `Bearer ${gateway.secret(token)}` } }
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit }))
  const request: AskableClient['request'] = (method, params, { args: _, signal, onprogress, ...beside } = {}) => {
    const how = { ...(signal && { signal }), ...(onprogress && { onprogress }), allowInputRequired: true }
    return client.request({ method, params: { ...params, ...beside } }, RAW, how) as Promise<Json>
  }
  return {
    asked,
    call: (tool, args = {}) => client.callTool({ name: tool, arguments: args }),
    request,
    once: (tool, retry = {}) => request('tools/call', { name: tool, arguments: retry.args ?? {} }, retry),
    [Symbol.asyncDispose]: () => client.close(),
  }
}

/** A form, filled in. */
export const formOf = (name: string) => ({ action: 'accept' as const, content: { name } })

/** A completion of a model. */
export const wordsOf = (text: string) => ({
  role: 'assistant' as const,
  model: 'm',
  content: { type: 'text' as const, text },
})
