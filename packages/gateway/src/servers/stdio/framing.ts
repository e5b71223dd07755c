import { isRecord } from '@tooldex/http-kit/json'
import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/client'
import { type Envelope, EnvelopeScanner } from '../protocol/envelope-scanner.ts'
import { LARGE_REPLY } from '../protocol/large-reply.ts'
import { LineSplitter, type LongLine, type OverlongLine } from '../protocol/line-splitter.ts'
import { withoutControls } from '../protocol/log-buffer.ts'
import { LongLineReader, MOST_NOISE } from './long-line-reader.ts'

const OPEN_OBJECT = 0x7b
const OPEN_ARRAY = 0x5b
const QUOTE = 0x22

/** The envelope of an invalid message. */
interface BrokenEnvelope extends Envelope {
  /** Whether it is valid JSON, so that its id is reliable. */
  readonly isJson: boolean
}

/** Receives the output of a server. */
interface FrameHandlers {
  readonly message: (message: JSONRPCMessage) => void
  /** Output that is not a message: banners, prints, stray bytes. */
  readonly noise: (bytes: Buffer) => void
  /** A malformed message, with as much of its envelope as could be read. */
  readonly broken: (envelope: BrokenEnvelope) => void
  /** A message over the limit: called as soon as its id is known, else at the end of its line. */
  readonly oversize: (envelope: Envelope) => void
}

/** Reads newline-delimited JSON-RPC from a server's standard output, and skips any other output. */
export class MessageReader {
  readonly #handlers: FrameHandlers
  readonly #lines: LineSplitter

  constructor(maxBytes: number, handlers: FrameHandlers) {
    this.#handlers = handlers
    const line = (bytes: Buffer): void => this.#line(bytes)
    const splitting = { line, long: () => this.#long(), overlong: () => this.#overlong() }
    this.#lines = new LineSplitter(maxBytes, splitting, LARGE_REPLY)
  }

  push(chunk: Buffer): void {
    this.#lines.push(chunk)
  }

  /** The stream ended; a last line without a newline counts. */
  end(): void {
    this.#lines.end()
  }

  #line(bytes: Buffer): void {
    const text = trimmed(bytes)
    if (text.length === 0) return
    if (text[0] === OPEN_OBJECT || text[0] === OPEN_ARRAY) {
      const value = parsed(text)
      if (value !== undefined) return this.#value(value, text)
    }
    this.#salvage(text)
  }

  /** A large reply is checked as it arrives, and its content is not parsed. */
  #long(): LongLine {
    const line = new LongLineReader()
    return {
      add: (piece) => line.add(piece),
      end: (pieces) => {
        const reading = readMessage(line.message(pieces))
        if (reading.kind === 'message') this.#handlers.message(reading.message)
        else this.#line(Buffer.concat(pieces))
      },
      overlong: () => this.#overlong(line),
    }
  }

  #value(value: unknown, text: Buffer): void {
    for (const item of Array.isArray(value) ? value : [value]) {
      const reading = readMessage(item)
      if (reading.kind === 'message') this.#handlers.message(reading.message)
      else if (reading.kind === 'bad-reply')
        this.#handlers.broken({ keys: new Set(['jsonrpc']), id: reading.id, isJson: true })
      else return this.#noise(text)
    }
  }

  /**
   * Finds messages in a line that is not JSON as a whole: before or after a colour code, or two without a newline between.
   * After other text only complete replies count, because that text may be a log that quotes part of a message.
   */
  #salvage(text: Buffer): void {
    let rest = text
    let isQuoted = false
    for (let start = objectStart(rest); start !== -1; start = objectStart(rest)) {
      isQuoted ||= !isMeaningless(rest.subarray(0, start))
      if (start > 0) this.#noise(rest.subarray(0, start))
      rest = rest.subarray(start)
      const scanner = new EnvelopeScanner()
      const end = scanner.add(rest)
      const value = end === -1 ? undefined : parsed(rest.subarray(0, end))
      if (value === undefined) {
        if (!isQuoted && MESSAGE_KEYS.some((key) => scanner.envelope().keys.has(key))) {
          return this.#handlers.broken({ ...scanner.envelope(), isJson: false })
        }
        break
      }
      if (isQuoted && !isReply(value)) this.#noise(rest.subarray(0, end))
      else this.#value(value, rest.subarray(0, end))
      rest = rest.subarray(end)
    }
    this.#noise(rest)
  }

  #noise(bytes: Buffer): void {
    const text = trimmed(bytes)
    if (text.length > 0) this.#handlers.noise(text.length > MOST_NOISE ? text.subarray(0, MOST_NOISE) : text)
  }

  #overlong(line = new LongLineReader()): OverlongLine {
    let isTold = false
    const tell = (): void => {
      isTold = true
      if (ENVELOPE_KEYS.some((key) => line.envelope.keys.has(key))) this.#handlers.oversize(line.envelope)
      else this.#noise(line.head)
    }
    return {
      add: (piece) => {
        if (isTold) return
        line.add(piece)
        if (line.isOver || isAddressed(line.envelope)) tell()
      },
      end: () => {
        if (!isTold) tell()
      },
    }
  }
}

/** A line of a structured log may have an `id`, but none of the first keys. */
const ENVELOPE_KEYS = ['jsonrpc', 'result', 'error']
const MESSAGE_KEYS = [...ENVELOPE_KEYS, 'id', 'method']
const KIND_KEYS = ['result', 'error', 'method']

/** Whether the id and the kind of the message are known. */
function isAddressed({ keys, id }: Envelope): boolean {
  return id !== undefined && keys.has('jsonrpc') && KIND_KEYS.some((key) => keys.has(key))
}

function isReply(value: unknown): boolean {
  const reading = readMessage(value)
  return reading.kind === 'message' && !('method' in reading.message)
}

/** Whether a text has only terminal sequences and the punctuation of a batch. */
function isMeaningless(bytes: Buffer): boolean {
  return bytes.length < MOST_NOISE && /^[\s[\],]*$/.test(withoutControls(bytes.toString('latin1')))
}

/** The offset of the first possible JSON object with a key; `{ a: 1 }` is not one. */
function objectStart(bytes: Buffer): number {
  for (let start = bytes.indexOf(OPEN_OBJECT); start !== -1; start = bytes.indexOf(OPEN_OBJECT, start + 1)) {
    let next = start + 1
    while (isBlank(bytes[next])) next++
    if (bytes[next] === QUOTE) return start
  }
  return -1
}

/** The bytes without surrounding white space and byte order mark. */
function trimmed(bytes: Buffer): Buffer {
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0
  let end = bytes.length
  while (start < end && isBlank(bytes[start])) start++
  while (end > start && isBlank(bytes[end - 1])) end--
  return end - start === bytes.length ? bytes : bytes.subarray(start, end)
}

/** White space, and the zero bytes that some programs pad with. */
function isBlank(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0 || (byte !== undefined && byte >= 0x09 && byte <= 0x0d)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** The result of reading a JSON value as a message. */
type Reading =
  | { readonly kind: 'message'; readonly message: JSONRPCMessage }
  /** A malformed reply: its request has to fail. */
  | { readonly kind: 'bad-reply'; readonly id: RequestId | undefined }
  | { readonly kind: 'other' }

const OTHER: Reading = { kind: 'other' }

/**
 * Reads a JSON value as a JSON-RPC 2.0 message. Lenient if the meaning is clear (further keys, `error: null` beside a
 * result, `params: null`), because the SDK refuses those and the caller would wait until its time limit.
 */
export function readMessage(value: unknown): Reading {
  if (!isRecord(value) || value['jsonrpc'] !== '2.0') return OTHER
  const id = isId(value['id']) ? value['id'] : undefined
  if (value['method'] !== undefined) return readCall(value, id)
  const { result, error } = value
  if (isRecord(result) && id !== undefined && (error ?? null) === null) return message({ jsonrpc: '2.0', id, result })
  if (isErrorObject(error) && (result ?? null) === null) {
    return message({ jsonrpc: '2.0', ...(id !== undefined && { id }), error })
  }
  return { kind: 'bad-reply', id }
}

function readCall(value: Readonly<Record<string, unknown>>, id: RequestId | undefined): Reading {
  const { method } = value
  const params = value['params'] ?? undefined
  if (typeof method !== 'string' || (params !== undefined && !isRecord(params))) return OTHER
  return message({
    jsonrpc: '2.0',
    ...(id !== undefined && { id }),
    method,
    ...(params !== undefined && { params }),
  })
}

const message = (of: JSONRPCMessage): Reading => ({ kind: 'message', message: of })

const isId = (value: unknown): value is RequestId => typeof value === 'string' || Number.isSafeInteger(value)

function isErrorObject(value: unknown): value is { code: number; message: string } {
  return isRecord(value) && Number.isSafeInteger(value['code']) && typeof value['message'] === 'string'
}
