import type { Prompt } from './prompt.ts'
import { SelectFailure } from './select-failure.ts'

/** One request to an endpoint. */
export interface ModelRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: object
}

/** How to speak with an endpoint: one wire format, with several ways of asking for JSON. */
export interface ModelApi {
  readonly address: URL
  /** How many ways of asking there are; the first is the best, the others for endpoints that do not know it. */
  readonly ways: number
  request(prompt: Prompt, way: number): ModelRequest
  /** What the model answered. @throws SelectFailure for a refusal, a truncated answer and what is none */
  read(reply: unknown): unknown
}

/** What every API of ours is told. */
export interface ModelApiOptions {
  readonly url: string
  readonly model: string
  readonly apiKey?: string
  readonly maxAnswerTokens: number
}

/** The name of the tool through which a model answers. */
export const ANSWER_TOOL = 'choose_tools'

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
    // Told below.
  }
  throw new SelectFailure('the model answered something that is not JSON')
}

/** The model would not. */
export function refusal(): SelectFailure {
  return new SelectFailure('the model refused to choose')
}

/** The model ran out of tokens. */
export function truncated(): SelectFailure {
  return new SelectFailure('the model’s answer was cut off; raise its token budget')
}

/** The endpoint answered something that is not of its API. */
export function foreign(): SelectFailure {
  return new SelectFailure('the endpoint answered something that is not of its API; check its url', { isOutage: true })
}
