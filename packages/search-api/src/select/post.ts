import type { ModelRequest } from './model-api.ts'
import { SelectFailure } from './select-failure.ts'

/** Much more than any choice of tools takes. */
const MOST_BYTES = 2 * 1024 * 1024

/** One attempt. */
export interface Post {
  readonly address: URL
  readonly request: ModelRequest
  readonly fetch: typeof fetch
  /** Aborted when the time is up or nobody waits any more. */
  readonly signal: AbortSignal
}

/** Asks once. @throws SelectFailure; whatever the signal is aborted with */
export async function post({ address, request, fetch, signal }: Post): Promise<unknown> {
  try {
    const response = await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...request.headers },
      body: JSON.stringify(request.body),
      // A key is for the address that was configured, and no other.
      redirect: 'manual',
      signal,
    })
    if (!response.ok) {
      await response.body?.cancel()
      throw statusFailure(response)
    }
    return parsed(await limitedText(response))
  } catch (cause) {
    signal.throwIfAborted()
    if (cause instanceof SelectFailure) throw cause
    throw new SelectFailure('the model cannot be reached; check that it runs there', {
      isPassing: true,
      isOutage: true,
      cause,
    })
  }
}

function statusFailure({ status, headers }: Response): SelectFailure {
  const isPassing = status === 408 || status === 409 || status === 429 || status >= 500
  const seconds = Number(headers.get('retry-after') ?? Number.NaN)
  return new SelectFailure(`the model’s endpoint answered with status ${status}${remedyFor(status)}`, {
    isPassing,
    isMisunderstood: status === 400 || status === 422,
    isOutage: true,
    ...(Number.isFinite(seconds) && { retryAfterMs: Math.max(0, seconds * 1_000) }),
  })
}

function remedyFor(status: number): string {
  if (status === 401 || status === 403) return '; check its key'
  if (status === 404) return '; check its url and the name of the model'
  if (status === 429) return '; it takes fewer requests than are made'
  if (status >= 300 && status < 400) return '; set its url to where it redirects'
  return ''
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SelectFailure('the model’s endpoint answered something that is not JSON', { isOutage: true })
  }
}

async function limitedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength
    // Leaving the loop closes the connection.
    if (bytes > MOST_BYTES) throw new SelectFailure('the model’s endpoint answered without end', { isOutage: true })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
