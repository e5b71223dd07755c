// Requests to services that take and answer JSON. Runs in browsers and at the edge, too.

/** One request for JSON. */
export interface JsonGet {
  readonly url: URL
  /** Beside those of JSON. */
  readonly headers?: Readonly<Record<string, string>>
  /** The largest response that is read. */
  readonly maxBytes: number
  /** From connecting to the last byte of the response; no limit if absent. */
  readonly timeoutMs?: number
  /** Aborts the request. */
  readonly signal?: AbortSignal
  readonly fetch?: typeof fetch
  /** Epoch milliseconds, for dates in `Retry-After`. */
  readonly now?: () => number
}

/** One request that sends JSON. */
export interface JsonPost extends JsonGet {
  /** JSON text. */
  readonly body: string
}

/** Why a request brought no JSON. */
export type PostErrorKind = 'status' | 'timeout' | 'unreachable' | 'too-large' | 'not-json'

/** A request that brought no JSON. The message is a predicate ("answered with status 500") without the response's text. */
export class PostError extends Error {
  override readonly name = 'PostError'
  readonly kind: PostErrorKind
  /** Of the response; 0 if there was none. */
  readonly status: number
  /** How long the service asked to wait. */
  readonly retryAfterMs: number | undefined
  /** The code of the problem (RFC 9457) that the service answered with, if it has the form of a code. */
  readonly problem: string | undefined

  constructor(kind: PostErrorKind, message: string, facts: PostErrorFacts = {}) {
    super(message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.kind = kind
    this.status = facts.status ?? 0
    this.retryAfterMs = facts.retryAfterMs
    this.problem = facts.problem
  }

  /** Whether the service may answer the same request later. */
  get isTransient(): boolean {
    if (this.kind !== 'status') return this.kind === 'timeout' || this.kind === 'unreachable'
    return this.status === 408 || this.status === 429 || this.status >= 500
  }
}

interface PostErrorFacts {
  readonly status?: number
  readonly retryAfterMs?: number | undefined
  readonly problem?: string | undefined
  readonly cause?: unknown
}

/** Sends JSON and returns the JSON of the response. @throws PostError, or the signal's reason when it is aborted */
export function postJson({ body, ...request }: JsonPost): Promise<unknown> {
  return jsonOf(request, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
}

/** One request that sends bytes. */
export interface BytesPut extends JsonGet {
  readonly body: Uint8Array<ArrayBuffer>
}

/** Sends bytes and returns the JSON of the response. @throws PostError, or the signal's reason when it is aborted */
export function putBytes({ body, ...request }: BytesPut): Promise<unknown> {
  return jsonOf(request, { method: 'PUT', body, headers: {} })
}

/** Returns the JSON of the response. @throws PostError, or the signal's reason when it is aborted */
export function getJson(request: JsonGet): Promise<unknown> {
  return jsonOf(request, { method: 'GET', headers: {} })
}

interface Sent {
  readonly method: string
  readonly body?: string | Uint8Array<ArrayBuffer>
  readonly headers: Readonly<Record<string, string>>
}

async function jsonOf(request: JsonGet, { headers, ...sent }: Sent): Promise<unknown> {
  const { url, maxBytes, fetch: send = fetch } = request
  const limit = request.timeoutMs === undefined ? undefined : AbortSignal.timeout(request.timeoutMs)
  const signals = [request.signal, limit].filter((signal) => signal !== undefined)
  try {
    const response = await send(url, {
      ...sent,
      headers: { ...headers, accept: 'application/json', ...request.headers },
      // Secrets and content are for the configured address only.
      redirect: 'manual',
      signal: AbortSignal.any(signals),
    })
    if (!response.ok) {
      throw await statusError(response, request.now ?? Date.now)
    }
    return parsed(await limitedText(response, maxBytes))
  } catch (cause) {
    request.signal?.throwIfAborted()
    if (cause instanceof PostError) throw cause
    if (limit?.aborted === true)
      throw new PostError('timeout', `did not answer within ${request.timeoutMs} ms`, { cause })
    throw new PostError('unreachable', `cannot be reached (${systemCode(cause)})`, { cause })
  }
}

async function statusError(response: Response, now: () => number): Promise<PostError> {
  const { status, headers } = response
  const retryAfterMs = retryAfter(headers.get('retry-after'), now)
  const problem = await problemOf(response)
  return new PostError('status', `answered with status ${status}`, { status, retryAfterMs, problem })
}

const LARGEST_PROBLEM = 64 * 1024

async function problemOf(response: Response): Promise<string | undefined> {
  if (response.headers.get('content-type')?.startsWith('application/problem+json') !== true) {
    await response.body?.cancel()
    return undefined
  }
  try {
    const { code } = parsed(await limitedText(response, LARGEST_PROBLEM)) as { code?: unknown }
    return typeof code === 'string' && /^[A-Z_]{1,64}$/.test(code) ? code : undefined
  } catch (error) {
    if (error instanceof PostError || error instanceof TypeError) return undefined
    throw error
  }
}

/** The header has seconds or a date. */
function retryAfter(header: string | null, now: () => number): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

async function limitedText(response: Response, maxBytes: number): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > maxBytes) throw new PostError('too-large', `answered with more than ${maxBytes / 1024 / 1024} MB`)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Without the cause: its message quotes the response.
    throw new PostError('not-json', 'answered with something that is not JSON')
  }
}

/** `ECONNREFUSED` and the like, from inside of the error that fetch throws. */
function systemCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } }
  const code = cause?.code ?? cause?.errors?.[0]?.code
  return typeof code === 'string' ? code : 'connection failed'
}

/** The configured URL of a service. @throws the error that `invalid` makes of a problem ("must be an http:// …") */
export function serviceUrl(text: string, invalid: (problem: string) => Error): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalid('must be an http:// or https:// address such as http://127.0.0.1:11434/v1')
  if (url.username !== '' || url.password !== '')
    throw invalid('must not contain a user name or password; give the key as `apiKey`')
  return url
}

/** Completes a base URL: `http://host` and `http://host/v1` become `http://host/v1/embeddings`. */
export function withPath(base: URL, ending: string, root = '/v1'): URL {
  const url = new URL(base)
  const path = url.pathname.replace(/\/+$/, '')
  url.pathname = path.endsWith(ending) ? path : `${path === '' ? root : path}${ending}`
  return url
}

/** Resolves after so many milliseconds; rejects with the signal's reason. */
export function wait(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', abort)
      resolve()
    }, ms)
    if (signal.aborted) abort()
    else signal.addEventListener('abort', abort, { once: true })
  })
}
