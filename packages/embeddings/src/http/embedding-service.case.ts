// An embedding service on the loopback interface with scripted answers, good or bad.
import type { ServerResponse } from 'node:http'
import * as kit from '../../../../test/kit/scripted-service.ts'

export { send } from '../../../../test/kit/scripted-service.ts'

interface EmbeddingRequest {
  readonly model: string
  readonly input: readonly string[]
  readonly dimensions?: number
}

/** Answers a request. */
export type Behaviour = kit.Behaviour<EmbeddingRequest>

/** A service that runs. */
export type EmbeddingService = kit.ScriptedService<EmbeddingRequest>

/** Vectors of three numbers: how many letters, vowels and spaces. */
const wellBehaved: Behaviour = ({ body }, res) =>
  sendVectors(
    res,
    body.input.map((text) => [text.length, text.match(/[aeiou]/g)?.length ?? 0, text.split(' ').length]),
  )

/** An answer with these vectors, in the form of the OpenAI API. */
export function sendVectors(res: ServerResponse, vectors: readonly unknown[]): void {
  const data = vectors.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  kit.send(res, 200, JSON.stringify({ object: 'list', data, model: 'm', usage: {} }))
}

/** Starts a service on a free port. */
export function startEmbeddingService(behaviour: Behaviour = wellBehaved): Promise<EmbeddingService> {
  return kit.startService(behaviour)
}
