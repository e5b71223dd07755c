import { isRecord } from '@tooldex/http-kit/json'
import type { ServerRequest } from '../servers/server.ts'

type Answer = Readonly<Record<string, unknown>>

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

/** What a client answers to a server's question, if it has the shape of an answer to it; what it says is for the server. */
export function answerTo({ method }: ServerRequest, given: unknown): Answer | undefined {
  if (!isRecord(given)) return undefined
  const { resultType: _, ...answer } = given
  return isAnswer(method, answer) ? answer : undefined
}

function isAnswer(method: string, answer: Answer): boolean {
  if (method === 'elicitation/create') {
    const { action, content } = answer
    return ACTIONS.has(action) && (content === undefined || isRecord(content))
  }
  const { role, model, content } = answer
  return typeof role === 'string' && typeof model === 'string' && typeof content === 'object' && content !== null
}
