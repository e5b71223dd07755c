import { setMaxListeners } from 'node:events'
import { limitBody, limitEvents } from './reply-limit.ts'
import { networkReason } from './server-failure.ts'

/** Carries a request's id from a transport to its fetch; it never leaves the process. */
export const REQUEST_ID_HEADER = 'tooldex-request-id'

/** What a guarded fetch tells its transport. */
export interface FetchWatch {
  /** The reply to this request is over the limit. */
  readonly tooLarge: (requestId: number) => void
  /** Nothing answers at the other end. */
  readonly unreachable: (reason: string) => void
}

type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const ERROR_BODY_BYTES = 65_536
/** A reply begins or ends with its id, whichever way the server writes it. */
const ID_AT_HEAD = /^data: ?\{(?:"jsonrpc":"2\.0",)?"id":(\d+)/
const ID_AT_TAIL = /"id":(\d+)(?:,"jsonrpc":"2\.0")?\}\s*$/

/** A fetch that bounds what it reads and tells when the server is out of reach. */
export function guardedFetch(maxReplyBytes: number, watch: FetchWatch, base: Fetch = fetch): Fetch {
  return async (url, init) => {
    // The SDK hangs every request of a connection on one signal; thousands are in order.
    if (init?.signal) setMaxListeners(0, init.signal)
    const headers = new Headers(init?.headers)
    const requestId = headers.get(REQUEST_ID_HEADER) ?? undefined
    headers.delete(REQUEST_ID_HEADER)
    try {
      const response = await base(url, { ...init, headers })
      return guarded(response, maxReplyBytes, requestId, watch)
    } catch (error) {
      if (!init?.signal?.aborted) watch.unreachable(networkReason(error) ?? 'cannot be reached')
      throw error
    }
  }
}

function guarded(response: Response, maxBytes: number, requestId: string | undefined, watch: FetchWatch): Response {
  if (response.body === null) return response
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return withBody(response, response.body.pipeThrough(limitEvents(maxBytes, cutWatch(requestId, watch))))
  }
  const limit = response.ok ? maxBytes : ERROR_BODY_BYTES
  const length = plainLength(response)
  if (length !== undefined && length <= limit) return response
  return withBody(response, response.body.pipeThrough(limitBody(limit)))
}

/** A stream of one request tells whose reply was cut; a shared one is asked for the id at the reply's edges. */
function cutWatch(requestId: string | undefined, watch: FetchWatch) {
  if (requestId !== undefined) return { onCut: () => watch.tooLarge(Number(requestId)) }
  return {
    onSkipped: (head: string, tail: string) => {
      const id = ID_AT_HEAD.exec(head)?.[1] ?? ID_AT_TAIL.exec(tail)?.[1]
      if (id !== undefined) watch.tooLarge(Number(id))
    },
  }
}

/** The length that the server promised, if that is the length we will read. */
function plainLength(response: Response): number | undefined {
  const length = response.headers.get('content-length')
  if (length === null || response.headers.has('content-encoding')) return undefined
  return Number(length)
}

function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, statusText, headers } = response
  return new Response(body, { status, statusText, headers })
}
