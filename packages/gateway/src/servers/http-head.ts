/** The head of an HTTP/1.1 response, and how its body is delimited. */
export interface ResponseHead {
  readonly statusCode: number
  readonly statusMessage: string
  /** Names in lower case; values of repeated names joined. */
  readonly headers: Readonly<Record<string, string>>
  readonly framing: BodyFraming
  /** Whether the connection may carry another request afterwards, and for how long it may wait for one. */
  readonly keepAliveMs: number
}

/** By a length, in chunks, or by the end of the connection. */
export type BodyFraming = { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' | 'close' }

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** What a server that says nothing is given. */
const KEEP_ALIVE_MS = 4_000
/** A connection that the server is about to close is not used any more. */
const MARGIN_MS = 1_000
const NOT_KEPT = 0

/** Reads a head. @throws SyntaxError for what no server may send */
export function parseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n')
  const [, minor, status, statusMessage = ''] = STATUS_LINE.exec(first) ?? []
  if (status === undefined) throw new SyntaxError('The answer is not HTTP')
  const headers: Record<string, string> = Object.create(null)
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon)).toLowerCase()
    if (!TOKEN.test(name)) throw new SyntaxError('The answer has a malformed header')
    const value = line.slice(colon + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const statusCode = Number(status)
  const framing = framingOf(statusCode, headers)
  const isKept = minor === '1' && framing.kind !== 'close' && !/\bclose\b/i.test(headers['connection'] ?? '')
  return { statusCode, statusMessage, headers, framing, keepAliveMs: isKept ? keepAliveOf(headers) : NOT_KEPT }
}

/** As RFC 9112, section 6.3 has it; what could be read in two ways is refused. */
function framingOf(statusCode: number, headers: Readonly<Record<string, string>>): BodyFraming {
  const { 'transfer-encoding': encoding, 'content-length': length } = headers
  if (statusCode === 204 || statusCode === 304) return { kind: 'length', bytes: 0 }
  if (encoding !== undefined) {
    if (length !== undefined || encoding.trim().toLowerCase() !== 'chunked') {
      throw new SyntaxError('The answer says in two ways where it ends')
    }
    return { kind: 'chunked' }
  }
  if (length === undefined) return { kind: 'close' }
  if (!/^\d{1,15}$/.test(length)) throw new SyntaxError('The answer has a malformed length')
  return { kind: 'length', bytes: Number(length) }
}

function keepAliveOf(headers: Readonly<Record<string, string>>): number {
  const hint = /\btimeout=(\d{1,6})/i.exec(headers['keep-alive'] ?? '')?.[1]
  return hint === undefined ? KEEP_ALIVE_MS : Math.max(NOT_KEPT, Number(hint) * 1_000 - MARGIN_MS)
}
