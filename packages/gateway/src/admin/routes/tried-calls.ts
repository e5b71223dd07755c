import { randomUUID } from 'node:crypto'
import type { RouteAnswer } from '@tooldex/contract/admin'
import type { Person } from '../../clients/mcp/requests/local-client.ts'
import { RpcError } from '../../clients/mcp/requests/request-handler.ts'
import { GatewayError } from '../../errors.ts'
import type { RawResult } from '../../servers/server.ts'
import { problemResponse } from './problem-response.ts'
import { atField } from '../changes/invalid-request.ts'
import { type AdminContext, type Ask, type Handlers, principalOf } from './admin-context.ts'
import { adminEndpoint } from './endpoints.ts'
import { eventStream } from './event-stream.ts'

/** A call that a person made and whose questions they can answer. */
interface OpenCall {
  readonly tokenId: string
  readonly questions: Map<string, (result: Readonly<Record<string, unknown>> | undefined) => void>
}

const REFUSED = -1

/** Routes with which people try tools, prompts and resources. */
export function triedCallHandlers(context: AdminContext) {
  const open = new Map<string, OpenCall>()
  return {
    callTool: (ask) => {
      atField('project', () => context.project(ask.body.project))
      const wantsEvents = ask.request.headers.get('accept')?.includes('text/event-stream') === true
      return wantsEvents ? followedCall(ask, context, open) : calledTool(ask, context, { signal: ask.request.signal })
    },
    answerCall: ({ params, body, caller }) => {
      const call = open.get(params.call)
      const answer = call?.tokenId === caller.tokenId ? call.questions.get(body.question) : undefined
      if (answer === undefined) {
        const reason = 'the question was answered already, or the call has ended'
        throw new GatewayError('CALL_NOT_PARKED', { reason, remedy: 'Call the tool again' })
      }
      answer(body.result)
      return undefined
    },
    askProject: async ({ params, body, caller, request }) => {
      const project = context.project(params.project)
      const started = performance.now()
      const from = context.auditedAs(caller, request)
      const { signal } = request
      const result = await context.live.client
        .request(body, adminEndpoint(project.id), principalOf(caller), from, { signal })
        .catch(asProblem)
      return answerOf(result, started)
    },
  } satisfies Partial<Handlers>
}

async function calledTool(
  { params, body, caller, request }: Ask<'callTool'>,
  context: AdminContext,
  person: Person,
): Promise<RouteAnswer<'callTool'>> {
  const started = performance.now()
  const from = context.auditedAs(caller, request)
  const [endpoint, principal] = [adminEndpoint(body.project), principalOf(caller)]
  const result = await context.live.client.call(params.tool, body.arguments, endpoint, principal, from, person)
  return answerOf(result, started)
}

function answerOf(result: RawResult, started: number): RouteAnswer<'callTool'> {
  return {
    result: { ...result },
    durationMs: performance.now() - started,
    tokens: Math.ceil(JSON.stringify(result).length / 4),
  }
}

/** Invalid names and parameters are the caller's to correct. */
function asProblem(error: unknown): never {
  if (!(error instanceof RpcError)) throw error
  throw new GatewayError('REQUEST_INVALID', { reason: error.message })
}

/** The call as events. It is cancelled when the reader leaves. */
function followedCall(ask: Ask<'callTool'>, context: AdminContext, open: Map<string, OpenCall>): Response {
  const id = randomUUID()
  const ending = new AbortController()
  const signal = AbortSignal.any([ask.request.signal, ending.signal])
  const call: OpenCall = { tokenId: ask.caller.tokenId, questions: new Map() }
  // Ends the stream after the last event.
  const over = new AbortController()
  return eventStream(AbortSignal.any([ask.request.signal, over.signal]), (send) => {
    open.set(id, call)
    send('begun', { call: id })
    const person: Person = {
      signal,
      onProgress: (progress) => send('progress', progress),
      ask: (question, asked) => questionOf(call, asked, (key) => send('question', { id: key, ...question })),
    }
    void calledTool(ask, context, person)
      .then(
        (answer) => send('answer', answer),
        async (error: unknown) => send('problem', await problemResponse(error, context.parts.log).json()),
      )
      .finally(() => over.abort())
    return () => {
      open.delete(id)
      ending.abort()
    }
  })
}

/** Waits for the answer of the person. @throws RpcError if they refuse */
function questionOf(
  { questions }: OpenCall,
  signal: AbortSignal,
  tell: (key: string) => void,
): Promise<Readonly<Record<string, unknown>>> {
  const key = randomUUID()
  const { promise, resolve, reject } = Promise.withResolvers<Readonly<Record<string, unknown>>>()
  questions.set(key, (result) => {
    if (result === undefined) reject(new RpcError(REFUSED, 'The user refused'))
    else resolve(result)
  })
  signal.addEventListener('abort', () => reject(new GatewayError('CALL_CANCELLED')), { once: true })
  tell(key)
  return promise.finally(() => questions.delete(key))
}
