import { PROBLEM_TYPE } from '@tooldex/contract/search-api'
import type { ProblemError } from '../problem-error.ts'

/** A request, wherever it came from. */
export interface Incoming {
  readonly method: string
  /** Without the query. */
  readonly path: string
  /** By lower-case name. */
  header(name: string): string | undefined
  /** Whether it came from this machine. */
  readonly isLocal: boolean
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** The bytes as they were sent. @throws ProblemError REQUEST_TOO_LARGE beyond `maxBytes` */
  readBody(maxBytes: number): Promise<Buffer>
}

/** What is answered. */
export interface Outgoing {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An answer in JSON, given as text. */
export function jsonAnswer(body: string, status = 200): Outgoing {
  return { status, headers: { 'content-type': 'application/json', 'cache-control': 'no-store' }, body }
}

/** A problem as an answer. */
export function problemAnswer({ problem, headers }: ProblemError): Outgoing {
  const own = { 'content-type': PROBLEM_TYPE, 'cache-control': 'no-store' }
  return { status: problem.status, headers: { ...own, ...headers }, body: JSON.stringify(problem) }
}
