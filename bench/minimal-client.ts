import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'

/** Anything that came over the wire. */
// oxlint-disable-next-line typescript/no-explicit-any -- a benchmark does not check what a server sends
export type Json = Readonly<Record<string, any>>

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

/** How a request is sent. */
export interface SendOptions {
  readonly signal?: AbortSignal
  /** The id of the request; by default the next number. */
  readonly id?: number
  /** Receives the bytes of the answer as they come; the answer's text stays empty then. */
  readonly onData?: (chunk: Buffer) => void
}

const REVISION = '2025-11-25'

/** A JSON-RPC error as it came. */
export class RpcFailure extends Error {
  readonly code: number
  readonly data: Json | undefined

  constructor({ code, message, data }: { code: number; message: string; data?: Json }) {
    super(message)
    this.code = code
    this.data = data
  }
}

/**
 * A minimal MCP client with a session: JSON-RPC over kept-alive HTTP connections. It costs next to nothing, so that a
 * benchmark measures the other side.
 */
export class MinimalClient {
  readonly #url: URL
  readonly #agent: Agent
  readonly #headers: Record<string, string>
  #nextId = 1

  constructor(url: string, options: { readonly token?: string | undefined; readonly sockets?: number } = {}) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: true, maxSockets: options.sockets ?? 64 })
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(options.token !== undefined && { authorization: `Bearer ${options.token}` }),
    }
  }

  /** Begins a session. */
  async connect(capabilities: Json = {}): Promise<this> {
    const clientInfo = { name: 'minimal', version: '1' }
    const params = { protocolVersion: REVISION, capabilities, clientInfo }
    const { status, headers, text } = await this.post({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
    if (status !== 200) throw new Error(`initialize was answered with ${status}: ${text}`)
    const session = headers['mcp-session-id']
    if (typeof session === 'string') this.#headers['mcp-session-id'] = session
    this.#headers['mcp-protocol-version'] = REVISION
    await this.notify('notifications/initialized')
    return this
  }

  /** Calls a tool and answers with its result. @throws RpcFailure */
  call(name: string, args: Json = {}, options?: SendOptions): Promise<Json> {
    return this.request('tools/call', { name, arguments: args }, options)
  }

  async request(method: string, params: Json = {}, options: SendOptions = {}): Promise<Json> {
    const id = options.id ?? this.#nextId++
    const { status, headers, text } = await this.post({ jsonrpc: '2.0', id, method, params }, options)
    if (options.onData !== undefined) return {}
    const message = replyIn(text, headers['content-type'] ?? '', id)
    if (message === undefined) throw new Error(`${method} was answered with ${status}: ${text.slice(0, 200)}`)
    if (message['error'] !== undefined) throw new RpcFailure(message['error'])
    return message['result']
  }

  async notify(method: string, params: Json = {}): Promise<void> {
    await this.post({ jsonrpc: '2.0', method, params })
  }

  /** Opens the notification stream of the session. Resolves once it is open; the function closes it. */
  listen(notified: (message: Json) => void, closed: () => void = () => {}): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const { 'content-type': _, ...headers } = this.#headers
      const sent = request(this.#url, { method: 'GET', headers: { ...headers, accept: 'text/event-stream' } })
      sent.on('error', reject)
      sent.on('response', (answer) => {
        readEvents(answer, notified)
        answer.on('close', closed)
        resolve(() => sent.destroy())
      })
      sent.end()
    })
  }

  /** Sends a body and reads the whole answer. */
  post(body: Json, { signal, onData }: SendOptions = {}): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const payload = JSON.stringify(body)
      const headers = { ...this.#headers, 'content-length': Buffer.byteLength(payload) }
      const sent: ClientRequest = request(
        this.#url,
        { method: 'POST', agent: this.#agent, headers, ...(signal && { signal }) },
        (answer) => {
          const parts: Buffer[] = []
          answer.on('data', onData ?? ((part: Buffer) => void parts.push(part)))
          answer.on('error', reject)
          answer.on('end', () => {
            const text = parts.length === 1 ? parts[0]?.toString() : Buffer.concat(parts).toString()
            resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: text ?? '' })
          })
        },
      )
      sent.on('error', reject)
      sent.end(payload)
    })
  }

  /** Closes the connections. */
  close(): void {
    this.#agent.destroy()
  }
}

function replyIn(text: string, contentType: string, id: number): Json | undefined {
  if (contentType.startsWith('application/json')) return JSON.parse(text) as Json
  const messages = text.split('\n').flatMap((line) => (line.startsWith('data: {') ? [line.slice(6)] : []))
  return messages.map((each) => JSON.parse(each) as Json).find((each) => each['id'] === id && !('method' in each))
}

function readEvents(answer: IncomingMessage, notified: (message: Json) => void): void {
  let rest = ''
  answer.setEncoding('utf8')
  answer.on('data', (part: string) => {
    const lines = (rest + part).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) if (line.startsWith('data: {')) notified(JSON.parse(line.slice(6)) as Json)
  })
}
