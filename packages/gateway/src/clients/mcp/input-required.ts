// A server of 2026-07-28 asks for input by returning `resultType: "input_required"`. Clients of that era ask
// the user themselves. For clients with a session the gateway asks, and calls the server again with the answers.

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { missingCapability } from '../../servers/protocol/client-capabilities.ts'
import { RPC_CODE } from './json-rpc.ts'
import { type RpcMessage, type Caller, RpcError } from './requests/request-handler.ts'

/** A server that asks for input more often than this is stopped. */
const MAX_ROUNDS = 8
/** Before the next call of a server that only wants to be called again. */
const PAUSE_MS = 250

type Handle = (request: RpcMessage) => Promise<JsonObject>

function asksForInput(result: JsonObject): boolean {
  return result['resultType'] === 'input_required'
}

/**
 * Resolves to the result for the client, which is asked for input first if it has a session.
 * @param first the result that asks
 */
export async function withInput(
  first: JsonObject,
  request: RpcMessage,
  caller: Caller,
  handle: Handle,
): Promise<JsonObject> {
  let result = first
  for (let round = 0; asksForInput(result); round++) {
    const wanted = Object.entries(isRecord(result['inputRequests']) ? result['inputRequests'] : {})
    if (caller.era === 'modern') return checkedForModern(result, wanted, caller)
    if (round === MAX_ROUNDS) return unfulfilled(request, `the server asked for input more than ${MAX_ROUNDS} times`)
    const answers = await askAll(request, wanted, caller)
    if ('failure' in answers) return unfulfilled(request, answers.failure)
    if (wanted.length === 0) await delay(PAUSE_MS, undefined, { signal: caller.signal })
    result = await handle(retryOf(request, answers.inputResponses, result['requestState']))
  }
  return result
}

/** A client gets only requests of the kinds that it declared. */
function checkedForModern(result: JsonObject, wanted: readonly [string, unknown][], caller: Caller): JsonObject {
  for (const [, embedded] of wanted) {
    const missing = missingCapability(embedded, caller.clientCapabilities)
    if (missing === undefined) continue
    throw new RpcError(RPC_CODE.missingClientCapability, 'The tool asks for input that this client cannot give', {
      requiredCapabilities: missing,
    })
  }
  return result
}

async function askAll(
  request: RpcMessage,
  wanted: readonly [string, unknown][],
  caller: Caller,
): Promise<{ inputResponses: JsonObject } | { failure: string }> {
  const { ask } = caller
  for (const [, embedded] of wanted) {
    if (ask === undefined || missingCapability(embedded, caller.clientCapabilities) !== undefined) {
      const kind = isRecord(embedded) ? String(embedded['method']) : 'of an unknown kind'
      return { failure: `it asks for input (${kind}) that this client cannot give` }
    }
  }
  if (ask === undefined) return { inputResponses: {} }
  try {
    const answers = wanted.map(async ([key, embedded]) => [key, await ask(legacyRequest(embedded), caller.signal)])
    return { inputResponses: Object.fromEntries(await Promise.all(answers)) as JsonObject }
  } catch (error) {
    if (caller.signal.aborted) throw error
    return { failure: `the client did not give the input that ${request.method} asks for` }
  }
}

/** URL elicitations have an id in that era. */
function legacyRequest(embedded: unknown): RpcMessage {
  const { method, params } = embedded as { method: string; params?: JsonObject }
  if (method === 'elicitation/create' && params?.['mode'] === 'url' && params['elicitationId'] === undefined) {
    return { method, params: { ...params, elicitationId: randomUUID() } }
  }
  return { method, ...(params === undefined ? {} : { params }) }
}

function retryOf(request: RpcMessage, inputResponses: JsonObject, requestState: unknown): RpcMessage {
  const { inputResponses: _, requestState: __, ...params } = request.params ?? {}
  return {
    method: request.method,
    params: {
      ...params,
      ...(Object.keys(inputResponses).length > 0 ? { inputResponses } : {}),
      ...(requestState === undefined ? {} : { requestState }),
    },
  }
}

/** A tool's failure is a result that a model can read; anything else is an error. */
function unfulfilled(request: RpcMessage, reason: string): JsonObject {
  const text = `The server could not finish: ${reason}`
  if (request.method === 'tools/call') return { content: [{ type: 'text', text }], isError: true }
  throw new RpcError(RPC_CODE.internalError, text)
}
