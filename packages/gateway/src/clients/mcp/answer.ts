import type { Endpoint } from '../../model/endpoint.ts'
import { isObject, RPC_CODE, type Answer, type JsonObject, META_KEY } from './json-rpc.ts'
import { asksForInput, withInput } from './input-required.ts'
import { type Caller, RpcError, type RequestHandler, type RpcMessage } from './requests/request-handler.ts'
import { encodeResult } from './result-encoding.ts'
import { type DownstreamLog, rpcFailure } from './rpc-errors.ts'

/** What every way in needs in order to answer. */
export interface Answering {
  readonly handler: RequestHandler
  readonly log: DownstreamLog
  /** Who answers at an endpoint. Kept, for every result of 2026-07-28 says it, and describing ourselves costs more. */
  readonly identities: WeakMap<Endpoint, JsonObject>
}

/** Makes it from the two parts that it is handed. */
export function answeringWith({ handler, log }: Pick<Answering, 'handler' | 'log'>): Answering {
  return { handler, log, identities: new WeakMap() }
}

/** Answers one request, whatever way it came: the only place that calls the request handler. Never throws. */
export async function answer(answering: Answering, request: RpcMessage, caller: Caller): Promise<Answer> {
  try {
    checkRequestState(request)
    const told = withoutEnvelope(request)
    const { handler } = answering
    const first = await handler.handle(told, caller)
    const result = asksForInput(first)
      ? await withInput(first, told, caller, (asked) => handler.handle(asked, caller))
      : first
    return { result: encodeResult(caller.era, request.method, result, identityFor(answering, caller)) }
  } catch (error) {
    return { error: rpcFailure(error, { requestId: caller.requestId, method: request.method }, answering.log) }
  }
}

const BAD_REQUESTS: ReadonlySet<number> = new Set([RPC_CODE.missingClientCapability, RPC_CODE.headerMismatch])

/** The HTTP status that goes with an answer. In the session era 404 means a lost session, so that errors travel as 200. */
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

/** Version, client and capabilities are the transport's and stand in `Caller`; everything else in `_meta` travels on. */
function withoutEnvelope(request: RpcMessage): RpcMessage {
  const meta = request.params?.['_meta']
  if (!isObject(meta) || !ENVELOPE_KEYS.some((key) => key in meta)) return request
  const kept = Object.fromEntries(Object.entries(meta).filter(([key]) => !(ENVELOPE_KEYS as string[]).includes(key)))
  const { _meta: _, ...params } = request.params ?? {}
  return { method: request.method, params: Object.keys(kept).length > 0 ? { ...params, _meta: kept } : params }
}

function checkRequestState({ params }: RpcMessage): void {
  const state = params?.['requestState']
  if (state === undefined || typeof state === 'string') return
  throw new RpcError(RPC_CODE.invalidParams, 'requestState is a string that came from an earlier answer')
}
