// The requests that make up nearly all traffic, read from their bytes. Only what can be read in one way is read here, and
// less than that: whatever is not plain is left to Node's parser, untouched.

import type { RequestHead } from './exchange.ts'

/** A request that came whole. */
export interface LeanRequest {
  readonly head: LeanHead
  readonly body: Buffer
}

/** Everything before the body. Never changed: requests with the same text share it. */
export interface LeanHead extends RequestHead {
  readonly url: string
  readonly bodyBytes: number
}

const HEAD_END = '\r\n\r\n'
/** As much as Node lets a head be. */
const MOST_HEAD_BYTES = 16_384
/** Larger ones take so long that how they are read makes no difference. */
const MOST_BYTES = 65_536
const MOST_HEADERS = 50

const REQUEST_LINE = /^POST (\/[\w.~%/-]*) HTTP\/1\.1$/
const HEADER_LINE = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?|)[ \t]*$/
const LENGTH = /^(?:0|[1-9]\d{0,6})$/
/** What changes how a request is to be read, or what becomes of its connection; and what Node keeps in ways of its own. */
const NOT_PLAIN = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection',
  'http2-settings',
  'set-cookie',
  '__proto__',
])
/** How the head of a request begins, as far as it is there; anything else is refused by Node without waiting for more. */
const BEGINNING = /^[A-Z]{1,20}(?: |$)/
const LONE_LF = /(?:^|[^\r])\n/

/** Reads requests of one connection. */
export class LeanReader {
  readonly #socket: RequestHead['socket']
  /** Clients say the same again and again. */
  #lastText = ''
  #lastHead: LeanHead | undefined

  constructor(socket: RequestHead['socket']) {
    this.#socket = socket
  }

  /**
   * The request that these bytes are, from first to last. Where only its body is incomplete, how many bytes it will be;
   * `more` where its head is, whatever request that may become; undefined for all else.
   */
  read(bytes: Buffer): LeanRequest | number | 'more' | undefined {
    const end = bytes.indexOf(HEAD_END, 0, 'latin1')
    if (end < 0) return isBeginning(bytes) ? 'more' : undefined
    if (end > MOST_HEAD_BYTES) return undefined
    const head = this.#head(bytes.toString('latin1', 0, end))
    if (head === undefined) return undefined
    const begin = end + HEAD_END.length
    const whole = begin + head.bodyBytes
    if (whole > MOST_BYTES || bytes.length > whole) return undefined
    return bytes.length < whole ? whole : { head, body: bytes.subarray(begin) }
  }

  #head(text: string): LeanHead | undefined {
    if (text === this.#lastText) return this.#lastHead
    this.#lastText = text
    this.#lastHead = readHead(text, this.#socket)
    return this.#lastHead
  }
}

function isBeginning(bytes: Buffer): boolean {
  if (bytes.length > MOST_HEAD_BYTES) return false
  const text = bytes.toString('latin1')
  return BEGINNING.test(text) && !LONE_LF.test(text)
}

function readHead(text: string, socket: RequestHead['socket']): LeanHead | undefined {
  const [first = '', ...lines] = text.split('\r\n')
  const url = REQUEST_LINE.exec(first)?.[1]
  if (url === undefined || lines.length > MOST_HEADERS) return undefined
  const headers: Record<string, string> = Object.create(null) as Record<string, string>
  const rawHeaders: string[] = []
  for (const line of lines) {
    const [, name, value = ''] = HEADER_LINE.exec(line) ?? []
    const key = name?.toLowerCase()
    if (name === undefined || key === undefined || key in headers || NOT_PLAIN.has(key)) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
  }
  const { host, connection = 'keep-alive', 'content-length': length = '' } = headers
  if (host === undefined || connection.toLowerCase() !== 'keep-alive' || !LENGTH.test(length)) return undefined
  return { method: 'POST', url, headers, rawHeaders, socket, bodyBytes: Number(length) }
}
