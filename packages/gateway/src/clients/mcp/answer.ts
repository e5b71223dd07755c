import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import type { Endpoint } from '../../model/endpoint.ts'
import { withInput } from './input-required.ts'
import { type Answer, META_KEY, RPC_CODE } from './json-rpc.ts'
import {
  type RpcMessage,
  type Caller,
  type Recipient,
  type RequestHandler,
  RpcError,
} from './requests/request-handler.ts'
import { MODERN_VERSION } from './protocol-versions.ts'
import { type ClientLog, rpcFailure } from './rpc-errors.ts'

/** What every transport needs in order to answer. */
export interface Answering {
  readonly handler: RequestHandler
  readonly log: ClientLog
  /** The rights of a client as they are now; undefined once its token is invalid or may not use the endpoint. */
  readonly rightsNow: (client: Recipient) => Recipient | undefined
  /** The server information of each endpoint, cached because every result of 2026-07-28 carries it. */
  readonly identities: WeakMap<Endpoint, JsonObject>
  readonly underWay: RequestsUnderWay
}

/** Counts the requests that are being answered. */
class RequestsUnderWay {
  #count = 0
  #onNone: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  begin(): void {
    this.#count++
  }

  end(): void {
    this.#count--
    if (this.#count === 0) for (const resolve of this.#onNone.splice(0)) resolve()
  }

  /** Resolves once there is none, or with the signal. */
  async none(until: AbortSignal): Promise<void> {
    if (this.#count === 0 || until.aborted) return
    await new Promise<void>((resolve) => {
      this.#onNone.push(resolve)
      until.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

/** Without `rightsNow`, rights never change. */
export function answeringWith(
  parts: Pick<Answering, 'handler' | 'log'> & Partial<Pick<Answering, 'rightsNow'>>,
): Answering {
  const { handler, log, rightsNow = (client) => client } = parts
  return { handler, log, rightsNow, identities: new WeakMap(), underWay: new RequestsUnderWay() }
}

/** Answers one request of any transport: the only place that calls the request handler. Never throws. */
export async function answer(answering: Answering, request: RpcMessage, caller: Caller): Promise<Answer> {
  answering.underWay.begin()
  try {
    const result = await resultOf(answering, request, caller)
    return { result: encodeResult(caller.era, request.method, result, identityFor(answering, caller)) }
  } catch (error) {
    return { error: rpcFailure(error, { requestId: caller.requestId, method: request.method }, answering.log) }
  } finally {
    answering.underWay.end()
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
  if (result['resultType'] !== 'input_required') return result
  return withInput(result, cleaned, caller, (retried) => handler.handle(retried, caller))
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

/** Results that a client of 2026-07-28 may cache; they must name the time and the scope. */
const CACHEABLE = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'server/discover',
])

/** Encodes a raw result for the client's era; unchanged if the era allows it. */
export function encodeResult(
  era: 'legacy' | 'modern',
  method: string,
  result: JsonObject,
  serverInfo: JsonObject,
): JsonObject {
  return era === 'modern' ? encodeModern(method, result, serverInfo) : encodeLegacy(method, result)
}

function encodeModern(method: string, result: JsonObject, serverInfo: JsonObject): JsonObject {
  const encoded: Record<string, unknown> = { ...result }
  encoded['resultType'] ??= 'complete'
  if (CACHEABLE.has(method) && encoded['resultType'] === 'complete') {
    encoded['ttlMs'] ??= 0
    encoded['cacheScope'] ??= 'private'
  }
  if (method === 'tools/list') encoded['tools'] = eachTool(result['tools'], 'execution', (tool) => 'execution' in tool)
  // Always the gateway's: a server must not appear as the gateway.
  encoded['_meta'] = { ...(isRecord(result['_meta']) ? result['_meta'] : {}), [META_KEY.serverInfo]: serverInfo }
  return encoded
}

function encodeLegacy(method: string, result: JsonObject): JsonObject {
  const told = withoutModernStamps(result)
  if (method === 'tools/list') return legacyToolList(told)
  if (method === 'tools/call' && told['structuredContent'] !== undefined && !isRecord(told['structuredContent'])) {
    return { ...withText(told), structuredContent: { result: told['structuredContent'] } }
  }
  return told
}

function withoutModernStamps(result: JsonObject): JsonObject {
  const meta = result['_meta']
  const hasIdentity = isRecord(meta) && META_KEY.serverInfo in meta
  if (!('resultType' in result) && !hasIdentity) return result
  const { resultType: _, ...rest } = result
  if (!hasIdentity) return rest
  const { [META_KEY.serverInfo]: __, ...otherMeta } = meta
  return { ...rest, _meta: otherMeta }
}

/** Drops output schemas that are not objects: clients of that era refuse the whole list for one of them. */
function legacyToolList(result: JsonObject): JsonObject {
  const tools = eachTool(
    result['tools'],
    'outputSchema',
    (tool) => isRecord(tool['outputSchema']) && tool['outputSchema']['type'] !== 'object',
  )
  return tools === result['tools'] ? result : { ...result, tools }
}

function eachTool(tools: unknown, dropped: string, isAffected: (tool: JsonObject) => boolean): unknown {
  if (!Array.isArray(tools) || !tools.some((tool) => isRecord(tool) && isAffected(tool))) return tools
  return tools.map((tool: unknown) => {
    if (!isRecord(tool) || !isAffected(tool)) return tool
    const { [dropped]: _, ...rest } = tool
    return rest
  })
}

/** Repeats a value that is not an object as text, for clients that read only text. */
function withText(result: JsonObject): JsonObject {
  const content: readonly unknown[] = Array.isArray(result['content']) ? result['content'] : []
  if (content.some((block) => isRecord(block) && block['type'] === 'text')) return result
  return { ...result, content: [...content, { type: 'text', text: JSON.stringify(result['structuredContent']) }] }
}
