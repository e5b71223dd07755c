import { SearchApiFailure } from './search-api-failure.ts'

/** A hundred results with everything that was sent of them fit in; nothing that takes long to parse does. */
const MOST_BYTES = 4 * 1024 * 1024

/** One request to a Search API. */
export interface SearchPost {
  readonly address: URL
  readonly token?: string | undefined
  /** JSON. */
  readonly body: string
  /** From connecting to the last byte of the answer. */
  readonly timeoutMs: number
  /** That of whoever searches. */
  readonly signal?: AbortSignal | undefined
  readonly fetch: typeof fetch
}

/** Asks once and answers with the JSON that came. @throws SearchApiFailure, or the signal's reason when it is aborted */
export async function postSearch(post: SearchPost): Promise<unknown> {
  const limit = AbortSignal.timeout(post.timeoutMs)
  const signal = post.signal === undefined ? limit : AbortSignal.any([post.signal, limit])
  try {
    const response = await post.fetch(post.address, requestOf(post, signal))
    if (!response.ok) {
      await response.body?.cancel()
      throw statusFailure(response.status)
    }
    return parsed(await limitedText(response))
  } catch (cause) {
    post.signal?.throwIfAborted()
    if (cause instanceof SearchApiFailure) throw cause
    if (limit.aborted) throw new SearchApiFailure(`did not answer within ${post.timeoutMs} ms`)
    // Without the cause: it may quote a header, and the token with it.
    throw new SearchApiFailure(`cannot be reached (${systemCode(cause)}); check that it runs there`)
  }
}

function requestOf({ token, body }: SearchPost, signal: AbortSignal): RequestInit {
  return {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    body,
    // The token and the tools are for the address that was configured, and no other.
    redirect: 'manual',
    signal,
  }
}

function statusFailure(status: number): SearchApiFailure {
  const isRefusal = status >= 400 && status < 500 && status !== 408
  return new SearchApiFailure(`answered with status ${status}; ${remedyFor(status)}`, { isRefusal })
}

function remedyFor(status: number): string {
  if (status >= 300 && status < 400) return 'set searchApi.url to where it redirects'
  if (status === 401) return 'check searchApi.token'
  if (status === 403) return 'its token is not for this project: set one in searchApi.projectTokens'
  if (status === 404 || status === 405) return 'check searchApi.url'
  if (status === 413) return 'it takes fewer or shorter tools than this project has'
  if (status === 429) return 'it takes fewer requests than are made'
  return status >= 500 ? 'look at its own log' : 'it does not take requests like ours'
}

async function limitedText(response: Response): Promise<string> {
  const decoder = new TextDecoder()
  const parts: string[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) throw new SearchApiFailure(`answered with more than ${MOST_BYTES / 1024 / 1024} MB`)
    parts.push(decoder.decode(chunk, { stream: true }))
  }
  return parts.join('') + decoder.decode()
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not the cause: its message has a piece of the answer in it.
    throw new SearchApiFailure('answered with something that is not JSON; check searchApi.url')
  }
}

/** `ECONNREFUSED` and its like; what fetch throws has it inside. */
function systemCode(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown; errors?: readonly { code?: unknown }[] } }
  const code = cause?.code ?? cause?.errors?.[0]?.code
  return typeof code === 'string' ? code : 'connection failed'
}
