import { Readable } from 'node:stream'
import { PROBLEM_TYPE } from '@tooldex/contract/search-api'
import { readBody } from '@tooldex/http-kit/server'
import type { ProblemError } from '../problem-error.ts'

/** A request, independent of its server. */
export interface Incoming {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** A parameter of the query, if it is there once. */
  parameter(name: string): string | undefined
  /** By lower-case name. */
  header(name: string): string | undefined
  /** Whether it came from this machine. */
  readonly isLocal: boolean
  /** Aborted when the client has gone. */
  readonly signal: AbortSignal
  /** The bytes as they were sent. @throws BodyError */
  readBody(maxBytes: number): Promise<Buffer>
}

/** A response, independent of its server. */
export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A response with JSON, given as text. */
export function jsonAnswer(body: string, status = 200): Outgoing {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
}

/** A problem as a response. */
export function problemAnswer({ problem, headers }: ProblemError): Outgoing {
  const own = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' }
  return { status: problem.status, headers: { ...own, ...headers }, body: JSON.stringify(problem) }
}

/** A web-standard request. Its origin is unknown, so that it never counts as local. */
export function fromRequest(request: Request): Incoming {
  const { pathname, search } = new URL(request.url)
  return {
    method: request.method,
    path: pathname,
    parameter: (name) => onlyValue(search, name),
    header: (name) => request.headers.get(name) ?? undefined,
    isLocal: false,
    signal: request.signal,
    readBody: async (maxBytes) => {
      const body = Readable.from(request.body ?? [])
      try {
        return await readBody(body, maxBytes, request.headers.get('content-length'))
      } finally {
        body.destroy()
      }
    },
  }
}

/** The value of a parameter that a query has exactly once. */
export function onlyValue(search: string, name: string): string | undefined {
  const values = new URLSearchParams(search).getAll(name)
  return values.length === 1 ? values[0] : undefined
}

/** A web-standard response. */
export function toResponse({ status, headers, body }: Outgoing, method: string): Response {
  return new Response(method === 'HEAD' ? null : body, { status, headers })
}
