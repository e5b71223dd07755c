import { expect, vi } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { ClientLink, RawResult, RequestOptions, ServerRequest } from '../servers/server.ts'
import type { Round } from './askable-call.ts'
import type { CallIdentity, ParkedCalls } from './parked-calls.ts'

export const FORM: ServerRequest = { method: 'elicitation/create', params: { message: '?', requestedSchema: {} } }
export const SAMPLE: ServerRequest = { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
export const YES = { action: 'accept', content: { a: 1 } }
export const WORDS = { role: 'assistant', model: 'm', content: { type: 'text', text: '!' } }
export const RESULT = { content: [] }
export const KEPT_MS = 60_000
const NEVER = new AbortController().signal

export const identity = (changes: Partial<CallIdentity> = {}): CallIdentity => ({
  tokenId: 't',
  endpointId: 'e',
  what: ['p', 's:tool', { a: 1 }],
  ...changes,
})
export const roundOf = (changes: Partial<Round> & { capabilities?: ClientLink['capabilities'] } = {}): Round => {
  const { capabilities = { elicitation: {}, sampling: {} }, ...others } = changes
  return { client: { sessionId: 'r', capabilities }, signal: NEVER, notify: () => undefined, ...others }
}

/** A server whose call does what the test says. */
function server() {
  const { promise, resolve, reject } = Promise.withResolvers<RawResult>()
  let how: RequestOptions = {}
  return {
    send: (given: RequestOptions): Promise<RawResult> => {
      how = given
      given.signal?.addEventListener('abort', () => reject(new GatewayError('CALL_CANCELLED')))
      return promise
    },
    ask: (request: ServerRequest, signal = NEVER): Promise<unknown> => {
      const asked = how.client?.answer?.(request, signal) ?? Promise.reject(new Error('cannot be asked'))
      asked.catch(() => undefined)
      return asked
    },
    report: (progress: number) => how.onProgress?.({ progress }),
    finish: resolve,
    fail: reject,
    isCancelled: () => how.signal?.aborted === true,
  }
}

export interface Parked {
  readonly requestState: string
  readonly inputRequests: Readonly<Record<string, ServerRequest>>
}
/** What the request comes to once the questions that are there have been gathered. */
export async function parked(request: Promise<RawResult> | undefined): Promise<Parked> {
  await vi.advanceTimersByTimeAsync(50)
  const result = await request
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.any(String) })
  return result as unknown as Parked
}

export function begun(
  calls: ParkedCalls,
  { who = identity(), round = roundOf(), isAwaited = (): boolean => false } = {},
) {
  const asking = server()
  const first = calls.begin({ identity: who, round, keptMs: KEPT_MS, isAwaited, send: asking.send })
  first.catch(() => undefined)
  return { ...asking, first }
}
