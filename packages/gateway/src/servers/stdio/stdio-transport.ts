import type {
  JSONRPCErrorResponse,
  JSONRPCMessage,
  JSONRPCResponse,
  RequestId,
  Transport,
} from '@modelcontextprotocol/client'
import { type ErrorDetails, GatewayError, type GatewayErrorCode } from '../../errors.ts'
import type { ServerExit } from '../protocol/errors.ts'
import { exitSentence } from './child-process.ts'
import type { Envelope } from '../protocol/envelope-scanner.ts'
import { MessageReader } from './framing.ts'
import { messageCost } from '../protocol/output-throttle.ts'
import type { LogBuffer } from '../protocol/log-buffer.ts'
import type { OpenRequests } from '../protocol/open-requests.ts'
import { ServerProcess, type ServerProcessOptions } from './server-process.ts'

/** The JSON-RPC code of error replies that the transport makes; their `data` is the GatewayError itself. */
const TRANSPORT_ERROR_CODE = -31_000

/** The most bytes that may wait for a server that does not read. */
const MOST_UNSENT_BYTES = 16 * 1024 * 1024
const LINES_OF_EXIT = 60
/** The cost of a line, in bytes of a long one. */
const LINE_COST = 64

/** The server, and the collaborators of the transport. */
export interface StdioTransportOptions extends ServerProcessOptions {
  readonly maxReplyBytes: number
  /** The requests that wait for a reply on this transport. */
  readonly requests: Pick<OpenRequests, 'sent' | 'has' | 'idFor' | 'delivered'>
  /** Receives standard error, and standard output that is not messages. */
  readonly log: LogBuffer
  /** Called once when the server ended, before `onclose`, unless `close` was called first. */
  readonly onExit?: ((exit: ServerExit) => void) | undefined
}

/** Counts of unusable output. */
export interface TransportCounts {
  /** Lines on standard output that are not messages. */
  readonly noise: number
  readonly broken: number
  readonly oversize: number
  /** Replies without an open request. */
  readonly stray: number
}

/**
 * Talks to a server over its standard streams. A reply that is too large or broken fails its own call and no other;
 * stopping leaves no process behind.
 */
export class StdioTransport implements Transport {
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: NonNullable<Transport['onmessage']>

  readonly #options: StdioTransportOptions
  readonly #counts = { noise: 0, broken: 0, oversize: 0, stray: 0 }
  #starting: Promise<ServerProcess> | undefined
  #process: ServerProcess | undefined
  #exit: ServerExit | undefined
  #isClosed = false

  constructor(options: StdioTransportOptions) {
    this.#options = options
  }

  /** The process id while the server runs. */
  get pid(): number | null {
    return this.#process === undefined || this.#process.hasExited ? null : this.#process.pid
  }

  /** Lines go to the log. By this property the SDK recognises a child process. */
  get stderr(): null {
    return null
  }

  /** How the server ended, once it has. */
  get exit(): ServerExit | undefined {
    return this.#exit
  }

  counts(): TransportCounts {
    return { ...this.#counts }
  }

  /** @throws GatewayError SERVER_START_FAILED, or SERVER_STOPPED when closed meanwhile */
  async start(): Promise<void> {
    if (this.#starting !== undefined) throw this.#error('INTERNAL', { reason: 'a transport starts once' })
    if (this.#isClosed) throw this.#gone()
    this.#starting = this.#startProcess()
    this.#process = await this.#starting
    if (this.#isClosed) throw this.#gone()
  }

  /** @throws GatewayError SERVER_CRASHED or SERVER_STOPPED when it has ended, SERVER_BUSY when it does not read */
  async send(message: JSONRPCMessage): Promise<void> {
    const input = this.#process?.input
    if (this.#isClosed || input === undefined || !input.writable) throw this.#gone()
    if (input.writableLength > MOST_UNSENT_BYTES) {
      throw this.#error('SERVER_BUSY', { reason: 'it does not read what it is sent', remedy: 'Restart the server' })
    }
    this.#options.requests.sent(message)
    await new Promise<void>((resolve, reject) => {
      const isTaken = input.write(`${JSON.stringify(message)}\n`, (error) => (error ? reject(this.#gone()) : resolve()))
      if (isTaken) resolve()
    })
  }

  /** Ends the server and its descendants. Never throws; all calls share one end. */
  async close(): Promise<void> {
    this.#finish()
    const started = await this.#starting?.catch(() => undefined)
    await started?.stop()
  }

  #startProcess(): Promise<ServerProcess> {
    const { log } = this.#options
    const reader = this.#reader()
    return ServerProcess.start(this.#options, {
      output: (chunk) => reader.push(chunk),
      outputEnd: () => reader.end(),
      errors: (chunk) => log.write(chunk),
      exit: (code, signal) => {
        log.flush()
        const exit = { code, signal, lastLines: log.last(LINES_OF_EXIT) }
        this.#exit = exit
        if (!this.#isClosed) this.#notify(() => this.#options.onExit?.(exit))
        this.#finish()
      },
      problem: (error) => this.onerror?.(error),
    })
  }

  #reader(): MessageReader {
    const { log, maxReplyBytes, requests } = this.#options
    return new MessageReader(maxReplyBytes, {
      message: (message) => this.#received(message),
      noise: (bytes) => {
        this.#counts.noise++
        const isFlood = this.#process?.outputGate.spend(bytes.length + LINE_COST) === false
        if (!isFlood) log.add(bytes)
      },
      broken: (envelope) => {
        this.#counts.broken++
        log.add('[a message that is not valid JSON-RPC]')
        const reason = 'it is not valid JSON-RPC'
        const isIdSure = envelope.isJson || (envelope.id !== undefined && requests.has(envelope.id))
        const readable = isIdSure ? envelope : { ...envelope, id: undefined }
        this.#failReply(readable, this.#error('REPLY_INVALID', { reason, remedy: "See the server's log" }))
      },
      oversize: (envelope) => {
        this.#counts.oversize++
        log.add(`[a message of more than ${maxReplyBytes} bytes]`)
        const reason = `it has more than ${maxReplyBytes} bytes`
        const remedy = 'Ask for less, or raise `maxReplyBytes` of the server'
        this.#failReply(envelope, this.#error('REPLY_TOO_LARGE', { reason, remedy, limit: maxReplyBytes }))
      },
    })
  }

  #received(message: JSONRPCMessage): void {
    if ('method' in message) {
      this.#process?.outputGate.spend(messageCost(message.method))
      return this.#deliver(message)
    }
    // An error without an id is the answer to a request that the server could not read.
    const id = this.#options.requests.idFor(message.id)
    if (id === undefined) this.#counts.stray++
    else this.#reply({ ...message, id })
  }

  /**
   * Fails the request whose reply is lost. Without an id it must be the only open one; if several are open, none fails
   * before its time limit.
   */
  #failReply({ keys, id }: Envelope, error: GatewayError): void {
    if (keys.has('method')) {
      // A request of the server, which would wait for its reply.
      if (id !== undefined) void this.send(errorReply(id, error, { code: error.code })).catch(() => undefined)
      return
    }
    const lost = this.#options.requests.idFor(id)
    if (lost !== undefined) this.#reply(errorReply(lost, error, error))
  }

  #reply(message: JSONRPCResponse & { readonly id: RequestId }): void {
    this.#options.requests.delivered(message.id)
    this.#deliver(message)
  }

  #deliver(message: JSONRPCMessage): void {
    if (!this.#isClosed) this.#notify(() => this.onmessage?.(message))
  }

  #finish(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#notify(() => this.onclose?.())
  }

  /** An exception in a listener must not end the gateway, lose later messages or leave a process running. */
  #notify(listener: () => void): void {
    try {
      listener()
    } catch (error) {
      this.onerror?.(error instanceof Error ? error : new Error(String(error)))
    }
  }

  #gone(): GatewayError {
    return this.#exit === undefined
      ? this.#error('SERVER_STOPPED', {})
      : this.#error('SERVER_CRASHED', { reason: exitSentence(this.#exit) })
  }

  #error(code: GatewayErrorCode, details: ErrorDetails): GatewayError {
    return new GatewayError(code, { server: this.#options.server, ...details })
  }
}

function errorReply(id: RequestId, { message }: GatewayError, data: unknown): JSONRPCErrorResponse & { id: RequestId } {
  return { jsonrpc: '2.0', id, error: { code: TRANSPORT_ERROR_CODE, message, data } }
}
