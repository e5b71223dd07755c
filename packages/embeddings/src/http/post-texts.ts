import { AttemptFailure } from './failure.ts'
import { readVectors } from './read-vectors.ts'

/** Much more than the vectors of a batch can take. */
const MOST_BYTES = 32 * 1024 * 1024
const LONGEST_RETRY_AFTER_MS = 30_000

/** One request to a service. */
export interface Post {
  readonly address: URL
  readonly model: string
  readonly apiKey?: string
  /** Asked of the service where it was configured. */
  readonly wantedDimensions?: number
  /** That of earlier answers; 0 before the first. */
  readonly dimensions: number
  readonly texts: readonly string[]
  /** For the request and for reading the answer. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
  readonly fetch: typeof fetch
  readonly now: () => number
}

/** Asks once. @throws AttemptFailure when that failed, the signal's reason when aborted. */
export async function postTexts(post: Post): Promise<Float32Array[]> {
  const limit = AbortSignal.timeout(post.timeoutMs)
  const signal = AbortSignal.any([post.signal, limit])
  try {
    const response = await post.fetch(post.address, requestOf(post, signal))
    if (!response.ok) {
      await response.body?.cancel()
      throw statusFailure(response, post)
    }
    return readVectors(await limitedText(response), { count: post.texts.length, dimensions: post.dimensions })
  } catch (cause) {
    post.signal.throwIfAborted()
    if (cause instanceof AttemptFailure) throw cause
    if (limit.aborted) throw late(post.timeoutMs, cause)
    throw new AttemptFailure(`cannot be reached (${systemCode(cause)})`, {
      remedy: 'check that it runs there',
      isPassing: true,
      cause,
    })
  }
}

function requestOf({ model, apiKey, wantedDimensions, texts }: Post, signal: AbortSignal): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
    },
    body: JSON.stringify({
      model,
      input: texts,
      encoding_format: 'float',
      ...(wantedDimensions !== undefined && { dimensions: wantedDimensions }),
    }),
    // A key is for the address that was configured, and no other.
    redirect: 'manual',
    signal,
  }
}

function statusFailure({ status, headers }: Response, { model, now }: Post): AttemptFailure {
  const isPassing = status === 408 || status === 429 || status >= 500
  const retryAfterMs = isPassing ? retryAfter(headers.get('retry-after'), now()) : undefined
  return new AttemptFailure(`answered with status ${status}`, {
    remedy: remedyFor(status, model),
    isPassing,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  })
}

function remedyFor(status: number, model: string): string {
  if (status === 401 || status === 403) return 'check `apiKey`'
  if (status === 404) return `check \`url\`, and that it has the model "${model}"`
  if (status === 429) return 'it takes fewer requests than are made; raise its limit or use the built-in table'
  if (status >= 500) return 'look at its own log'
  if (status >= 300 && status < 400) return 'set `url` to where it redirects'
  return `check that "${model}" is an embedding model and that \`dimensions\` suits it`
}

/** Seconds or a date. */
function retryAfter(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const seconds = Number(header)
  const ms = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(header) - now
  return Number.isFinite(ms) ? Math.min(Math.max(0, ms), LONGEST_RETRY_AFTER_MS) : undefined
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) throw endless()
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  parts.push(decoder.decode())
  return parts.join('')
}

function endless(): AttemptFailure {
  const remedy = 'check that the address is that of an OpenAI-compatible /v1/embeddings'
  return new AttemptFailure(`answered with more than ${MOST_BYTES / 1024 / 1024} MB`, { remedy, isPassing: false })
}

function late(timeoutMs: number, cause: unknown): AttemptFailure {
  const remedy = 'raise `timeoutMs` if the model is slow'
  return new AttemptFailure(`did not answer within ${timeoutMs} ms`, { remedy, isPassing: true, cause })
}

/** `ECONNREFUSED` and its like; what fetch throws has it inside. */
function systemCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } }
  const code = cause?.code ?? cause?.errors?.[0]?.code
  return typeof code === 'string' ? code : 'connection failed'
}
