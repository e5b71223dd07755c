import type { z } from 'zod'
import type { Prompt } from './prompt.ts'
import { SelectFailure } from './selection.ts'

/** One request to an endpoint. */
export interface ModelRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** The wire format of an endpoint, with several forms of asking for JSON. */
export interface ModelApi {
  /** The end of the path that requests go to. */
  readonly path: string
  /** How many forms there are; the first is the best, the others are for endpoints that do not support it. */
  readonly forms: number
  request(prompt: Prompt, options: ModelApiOptions, form: number): ModelRequest
  /** The model's answer. @throws SelectFailure for a refusal, a truncated answer or a malformed reply */
  read(reply: unknown): unknown
}

/** The options that become part of a request. */
export interface ModelApiOptions {
  readonly model: string
  readonly apiKey?: string
  readonly maxAnswerTokens: number
}

/** The name of the tool through which a model answers. */
export const ANSWER_TOOL = 'choose_tools'

/** The description of that tool. */
export const ANSWER_TOOL_DESCRIPTION = 'Takes the chosen tools.'

/** A reply in the shape of its API. @throws SelectFailure for any other */
export function parseReply<Reply>(schema: z.ZodType<Reply>, reply: unknown): Reply {
  const { data, success } = schema.safeParse(reply)
  if (success) return data
  throw new SelectFailure('the endpoint answered something that is not of its API; check its url', { isOutage: true })
}

/**
 * JSON that a model wrote as text: alone, in a code fence, or with words around it.
 * @throws SelectFailure when there is none
 */
export function jsonIn(text: string): unknown {
  const from = text.indexOf('{')
  const to = text.lastIndexOf('}')
  try {
    if (from >= 0 && to > from) return JSON.parse(text.slice(from, to + 1))
  } catch {
    // Reported below.
  }
  throw new SelectFailure('the model answered something that is not JSON')
}

/** The model refused. */
export function refusal(): SelectFailure {
  return new SelectFailure('the model refused to choose')
}

/** The model ran out of tokens. */
export function truncated(): SelectFailure {
  return new SelectFailure('the model’s answer was cut off; raise its token budget')
}
