import { malformed } from './malformed.ts'

/** The head of an HTTP/1.1 response, and how its body is delimited. */
export interface ResponseHead {
  readonly status: number
  readonly statusText: string
  /** Names in lower case; values of repeated names joined. */
  readonly headers: ReadonlyMap<string, string>
  readonly framing: BodyFraming
  /** How long the connection may wait for another request afterwards; 0 = it takes none. */
  readonly keepAliveMs: number
}

/** By a length, in chunks, or by the end of the connection. */
export type BodyFraming = { readonly kind: 'length'; readonly bytes: number } | { readonly kind: 'chunked' | 'close' }

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: (.*))?$/
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
// oxlint-disable-next-line no-control-regex -- they are what must not be there
const CONTROLS = /[\0-\x08\x0a-\x1f\x7f]/
/** What a server that says nothing is given. */
const KEEP_ALIVE_MS = 4_000
/** A connection that the server is about to close is not used any more. */
const MARGIN_MS = 1_000
const NOT_KEPT = 0

/** Reads a head, without the empty line behind it. @throws for what no server may send */
export function parseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n')
  const [, minor, digits, statusText = ''] = STATUS_LINE.exec(first) ?? []
  if (digits === undefined) throw malformed('the first line is no status')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, Math.max(0, colon))
    const value = line.slice(colon + 1).trim()
    if (!NAME.test(name) || CONTROLS.test(value)) throw malformed('a header is malformed')
    const key = name.toLowerCase()
    const before = headers.get(key)
    headers.set(key, before === undefined ? value : `${before}, ${value}`)
  }
  const status = Number(digits)
  const framing = framingOf(status, headers)
  const isKept = minor === '1' && framing.kind !== 'close' && !/\bclose\b/i.test(headers.get('connection') ?? '')
  return { status, statusText, headers, framing, keepAliveMs: isKept ? keepAliveOf(headers) : NOT_KEPT }
}

/** As RFC 9112, section 6.3 has it; what could be read in two ways is refused. */
function framingOf(status: number, headers: ReadonlyMap<string, string>): BodyFraming {
  const encoding = headers.get('transfer-encoding')
  const length = headers.get('content-length')
  if (status === 204 || status === 304) return { kind: 'length', bytes: 0 }
  if (encoding !== undefined) {
    if (length === undefined && encoding.toLowerCase() === 'chunked') return { kind: 'chunked' }
    throw malformed('it says in two ways where it ends')
  }
  if (length === undefined) return { kind: 'close' }
  if (!/^\d{1,15}$/.test(length)) throw malformed('its length is no number')
  return { kind: 'length', bytes: Number(length) }
}

function keepAliveOf(headers: ReadonlyMap<string, string>): number {
  const hint = /\btimeout=(\d{1,6})/i.exec(headers.get('keep-alive') ?? '')?.[1]
  return hint === undefined ? KEEP_ALIVE_MS : Math.max(NOT_KEPT, Number(hint) * 1_000 - MARGIN_MS)
}
