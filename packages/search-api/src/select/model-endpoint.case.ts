// The endpoint of a language model: a real HTTP server that speaks both wire formats, well or badly.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request to the endpoint. */
export interface ModelQuestion {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: ModelBody
}

/** The parts of both APIs' bodies that tests look at. */
export interface ModelBody {
  readonly model: string
  readonly temperature?: number
  readonly stream?: boolean
  readonly max_tokens?: number
  readonly system?: string
  readonly messages: readonly { readonly role: string; readonly content: string }[]
  readonly response_format?: { readonly type: string; readonly json_schema: { readonly strict: boolean } }
  readonly tools?: readonly unknown[]
  readonly tool_choice?: unknown
}

/** How the endpoint answers the nth question. */
export type Behaviour = (question: ModelQuestion, res: ServerResponse, nth: number) => void

/** A running endpoint. */
export interface ModelEndpoint {
  readonly url: string
  readonly asked: ModelQuestion[]
  behave(behaviour: Behaviour): void
  close(): Promise<void>
}

/** Starts one. */
export async function modelEndpoint(behaviour: Behaviour): Promise<ModelEndpoint> {
  const asked: ModelQuestion[] = []
  let current = behaviour
  const server = createServer((req, res) => {
    let text = ''
    req.setEncoding('utf8')
    req.on('data', (chunk: string) => {
      text += chunk
    })
    req.on('end', () => {
      const question = { path: req.url ?? '', headers: req.headers, body: JSON.parse(text) as ModelBody }
      current(question, res, asked.push(question))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    behave: (next) => {
      current = next
      asked.length = 0
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** The candidates in a question, by number. */
export function candidatesIn({ body }: ModelQuestion): { number: number; name: string; description?: string }[] {
  const text = body.messages.at(-1)?.content ?? ''
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  return (JSON.parse(json) as { candidates: { number: number; name: string }[] }).candidates
}

/** Answers with this status and body. */
export function status(code: number, headers: Record<string, string> = {}, body: unknown = { error: {} }): Behaviour {
  return (_, res) => json(res, body, code, headers)
}

/** OpenAI's answer with this text. */
export function openAiText(content: string | null, more: object = {}, finish = 'stop'): Behaviour {
  const message = { role: 'assistant', content, ...more }
  return (_, res) =>
    json(res, { id: 'x', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: finish }] })
}

/** OpenAI's answer through a tool call. */
export function openAiToolCall(name: string, text: string): Behaviour {
  const tool_calls = [{ id: 'call_1', type: 'function', function: { name, arguments: text } }]
  return openAiText(null, { tool_calls }, 'tool_calls')
}

/** Anthropic's answer with these blocks. */
export function anthropicBlocks(content: readonly object[], stop = 'tool_use'): Behaviour {
  return (_, res) => json(res, { id: 'x', type: 'message', role: 'assistant', content, stop_reason: stop })
}

/** Anthropic's answer through a tool. */
export function anthropicToolUse(input: unknown, stop = 'tool_use'): Behaviour {
  return anthropicBlocks([{ type: 'tool_use', id: 'toolu_1', name: 'choose_tools', input }], stop)
}

/** Sends this text as it is. */
export function raw(text: string, type = 'application/json'): Behaviour {
  return (_, res) => res.writeHead(200, { 'content-type': type }).end(text)
}

function json(res: ServerResponse, body: unknown, code = 200, headers: Record<string, string> = {}): void {
  res.writeHead(code, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}
