import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { Endpoint } from '../../model/endpoint.ts'
import { asksForInput, withInput } from './input-required.ts'
import { type Answer, META_KEY, RPC_CODE, type RpcMessage } from './json-rpc.ts'
import { MODERN_VERSION } from './protocol-versions.ts'
import { type Caller, RpcError, type RequestHandler } from './requests/request-handler.ts'
import { encodeResult } from './result-encoding.ts'
import { type ClientLog, rpcFailure } from './rpc-errors.ts'

/** What every transport needs in order to answer. */
export interface Answering {
  readonly handler: RequestHandler
  readonly log: ClientLog
  /** The server information of each endpoint, cached because every result of 2026-07-28 carries it. */
  readonly identities: WeakMap<Endpoint, JsonObject>
}

export function answeringWith({ handler, log }: Pick<Answering, 'handler' | 'log'>): Answering {
  return { handler, log, identities: new WeakMap() }
}

/** Answers one request of any transport: the only place that calls the request handler. Never throws. */
export async function answer(answering: Answering, request: RpcMessage, caller: Caller): Promise<Answer> {
  try {
    const result = await resultOf(answering, request, caller)
    return { result: encodeResult(caller.era, request.method, result, identityFor(answering, caller)) }
  } catch (error) {
    return { error: rpcFailure(error, { requestId: caller.requestId, method: request.method }, answering.log) }
  }
}

/** Methods that the other era does not have. */
const MISSING_IN: Readonly<Record<Caller['era'], ReadonlySet<string>>> = {
  legacy: new Set(['server/discover', 'subscriptions/listen']),
  modern: new Set([
    ...['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'roots/list'],
    ...['tasks/get', 'tasks/result', 'tasks/list', 'tasks/cancel', 'sampling/createMessage', 'elicitation/create'],
  ]),
}

async function resultOf({ handler }: Answering, request: RpcMessage, caller: Caller): Promise<JsonObject> {
  const { method } = request
  if (MISSING_IN[caller.era].has(method)) throw new RpcError(RPC_CODE.methodNotFound, 'Method not found')
  if (method === 'ping') return {}
  if (method === 'server/discover') return discovery(handler, caller)
  const cleaned = withoutEnvelope(withCheckedInput(request))
  const result = await handler.handle(cleaned, caller)
  return asksForInput(result)
    ? withInput(result, cleaned, caller, (retried) => handler.handle(retried, caller))
    : result
}

function discovery(handler: RequestHandler, caller: Caller): JsonObject {
  const { capabilities, instructions } = handler.describe(caller)
  return { supportedVersions: [MODERN_VERSION], capabilities, ...(instructions !== undefined && { instructions }) }
}

const BAD_REQUESTS: ReadonlySet<number> = new Set([RPC_CODE.missingClientCapability, RPC_CODE.headerMismatch])

/** The HTTP status that goes with an answer. With sessions 404 means a lost session, so errors are sent with 200. */
export function statusOf(era: 'legacy' | 'modern', told: Answer): number {
  if (era === 'legacy' || !('error' in told)) return 200
  if (told.error.code === RPC_CODE.methodNotFound) return 404
  return BAD_REQUESTS.has(told.error.code) ? 400 : 200
}

function identityFor({ handler, identities }: Answering, caller: Caller): JsonObject {
  const known = identities.get(caller.endpoint)
  if (known !== undefined) return known
  const { serverInfo } = handler.describe(caller)
  identities.set(caller.endpoint, serverInfo)
  return serverInfo
}

const ENVELOPE_KEYS = [META_KEY.protocolVersion, META_KEY.clientInfo, META_KEY.clientCapabilities]

/** Version, client and capabilities are part of `Caller`; everything else in `_meta` travels on. */
function withoutEnvelope(request: RpcMessage): RpcMessage {
  const meta = request.params?.['_meta']
  if (!isRecord(meta) || !ENVELOPE_KEYS.some((key) => key in meta)) return request
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !(ENVELOPE_KEYS as string[]).includes(key)))
  const { _meta: _, ...params } = request.params ?? {}
  return { method: request.method, params: Object.keys(kept).length > 0 ? { ...params, _meta: kept } : params }
}

/** Drops input responses that cannot be one. @throws RpcError for a request state that is no text */
function withCheckedInput(request: RpcMessage): RpcMessage {
  const { params } = request
  if (params === undefined) return request
  const { requestState, inputResponses } = params
  if (requestState !== undefined && typeof requestState !== 'string') {
    throw new RpcError(RPC_CODE.invalidParams, 'requestState is a string that came from an earlier answer')
  }
  if (inputResponses === undefined) return request
  const given = isRecord(inputResponses) ? Object.entries(inputResponses) : []
  const kept = given.filter(([, each]) => isRecord(each) && !('method' in each) && !('result' in each))
  return { method: request.method, params: { ...params, inputResponses: Object.fromEntries(kept) } }
}
