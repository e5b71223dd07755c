import { checkLength, collect } from './chunks.ts'
import type { Incoming, Outgoing } from './exchange.ts'

/** A request of the platform. Where it came from is not known, so that it counts as from elsewhere. */
export function incomingFrom(request: Request): Incoming {
  return {
    method: request.method,
    path: new URL(request.url).pathname,
    header: (name) => request.headers.get(name) ?? undefined,
    isLocal: false,
    signal: request.signal,
    readBody: async (maxBytes) => {
      checkLength(request.headers.get('content-length'), maxBytes)
      return collect(request.body ?? noBytes(), maxBytes)
    },
  }
}

/** A response of the platform. */
export function toResponse({ status, headers, body }: Outgoing, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}

async function* noBytes(): AsyncIterable<Uint8Array> {}
