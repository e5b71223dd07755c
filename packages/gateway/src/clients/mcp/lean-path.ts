// The two requests that make up nearly all traffic, answered without an SDK server: parsed once, checked by hand, written
// once. Whatever is not plainly regular is left to the SDK, so that each rule of the protocol has one owner. Both ways
// end in `answer`, which is why they say the same.

import { jsonSize, LARGE_RESULT } from '../../calls/json-size.ts'
import { GatewayError } from '../../errors.ts'
import { answer, type Answering, statusOf } from './answer.ts'
import { type Exchange, header, parameterHeaders } from '../http/exchange.ts'
import {
  type Answer,
  isObject,
  isRequestId,
  type JsonObject,
  META_KEY,
  type RequestId,
  replyMessage,
} from './json-rpc.ts'
import type { LegacySession, LegacySessions } from './legacy-sessions.ts'
import { callerOf, type Conversation, mayNotify, type Peer } from './peer.ts'
import { LEGACY_VERSIONS, MODERN_VERSION } from './protocol-versions.ts'
import { acceptsBoth, isRegularCapabilities, isRegularInfo } from './regular.ts'
import { Reply } from './reply.ts'
import type { RpcMessage } from './requests/request-handler.ts'

const METHODS = new Set(['tools/call', 'tools/list'])
const MESSAGE_KEYS = new Set(['jsonrpc', 'id', 'method', 'params'])

interface RegularRequest extends RpcMessage {
  readonly id: RequestId
}

/** Answers regular `tools/call` and `tools/list` requests of both eras. */
export class LeanPath {
  readonly #answering: Answering
  readonly #sessions: LegacySessions

  constructor(answering: Answering, sessions: LegacySessions) {
    this.#answering = answering
    this.#sessions = sessions
  }

  /** Answers the exchange; undefined = it is not regular, and nothing was done. */
  tryAnswer(exchange: Exchange): Promise<void> | undefined {
    const request = regularRequest(exchange.body)
    if (request === undefined || !acceptsBoth(exchange)) return undefined
    const meta = request.params?.['_meta']
    if (isObject(meta) && META_KEY.protocolVersion in meta) {
      return isRegularModern(exchange, request, meta) ? this.#answerModern(exchange, request, meta) : undefined
    }
    const session = this.#regularSession(exchange)
    return session === undefined ? undefined : this.#answerLegacy(exchange, request, session)
  }

  #regularSession({ req, principal, endpoint }: Exchange): LegacySession | undefined {
    const id = header(req, 'mcp-session-id')
    const version = header(req, 'mcp-protocol-version')
    if (id === undefined) return undefined
    if (version !== undefined && !LEGACY_VERSIONS.includes(version)) return undefined
    return this.#sessions.find(id, 'http', principal, endpoint)
  }

  async #answerLegacy({ res }: Exchange, request: RegularRequest, session: LegacySession): Promise<void> {
    const controller = new AbortController()
    const call = { id: request.id, controller }
    const reply = new Reply(res, session.sessionId)
    session.calls.add(call)
    session.open += 1
    const told = await this.#answer(session, request, reply, {
      signal: controller.signal,
      ask: (question, signal) =>
        session.question(question, (message) => reply.send(message), AbortSignal.any([signal, reply.gone])),
    })
    session.open -= 1
    session.calls.delete(call)
    if (controller.signal.aborted) reply.endEmpty()
    else await send(reply, 200, request, told)
  }

  async #answerModern(exchange: Exchange, request: RegularRequest, meta: JsonObject): Promise<void> {
    const { res, principal, endpoint } = exchange
    const controller = new AbortController()
    const reply = new Reply(res)
    // In this revision a closed stream is how a client cancels.
    res.once('close', () => {
      if (!res.writableFinished) controller.abort(new GatewayError('CALL_CANCELLED'))
    })
    const clientInfo = meta[META_KEY.clientInfo]
    const peer: Peer = {
      principal,
      endpoint,
      era: 'modern',
      protocolVersion: MODERN_VERSION,
      clientCapabilities: meta[META_KEY.clientCapabilities] as JsonObject,
      parameterHeaders: parameterHeaders(exchange.req),
      ...(isObject(clientInfo) ? { clientInfo } : {}),
    }
    const told = await this.#answer(peer, request, reply, { signal: controller.signal })
    await send(reply, statusOf('modern', told), request, told)
  }

  #answer(peer: Peer, request: RegularRequest, reply: Reply, talk: Omit<Conversation, 'notify'>) {
    const notify = (notification: RpcMessage) => {
      if (mayNotify(peer.era, notification, request)) reply.notify({ jsonrpc: '2.0', ...notification })
    }
    const { method, params } = request
    return answer(
      this.#answering,
      { method, ...(params === undefined ? {} : { params }) },
      callerOf(peer, { ...talk, notify }),
    )
  }
}

/** Lists are as large as the gateway's own catalog; a result is as large as a server likes. */
function send(reply: Reply, status: number, { id, method }: RegularRequest, told: Answer): void | Promise<void> {
  const message = replyMessage(id, told)
  const isLarge = method === 'tools/call' && jsonSize(told, LARGE_RESULT) > LARGE_RESULT
  return isLarge ? reply.endSlowly(status, message) : reply.end(status, message)
}

function regularRequest(body: unknown): RegularRequest | undefined {
  if (!isObject(body) || body['jsonrpc'] !== '2.0' || !isRequestId(body['id'])) return undefined
  const { id, method, params } = body
  if (typeof method !== 'string' || !METHODS.has(method)) return undefined
  for (const key in body) if (!MESSAGE_KEYS.has(key)) return undefined
  if (params === undefined) return { id, method }
  if (!isObject(params) || 'inputResponses' in params || 'requestState' in params) return undefined
  return isRegularMeta(params['_meta']) ? { id, method, params } : undefined
}

function isRegularMeta(meta: unknown): boolean {
  if (meta === undefined) return true
  if (!isObject(meta) || 'io.modelcontextprotocol/related-task' in meta) return false
  return meta['progressToken'] === undefined || isRequestId(meta['progressToken'])
}

/** Headers that say what the body says, and an envelope with nothing odd in it. */
function isRegularModern({ req }: Exchange, request: RegularRequest, meta: JsonObject): boolean {
  if (meta[META_KEY.protocolVersion] !== MODERN_VERSION || META_KEY.logLevel in meta) return false
  if (header(req, 'mcp-protocol-version') !== MODERN_VERSION) return false
  if (header(req, 'mcp-method') !== request.method) return false
  if (!isRegularName(request, header(req, 'mcp-name'))) return false
  return isRegularCapabilities(meta[META_KEY.clientCapabilities]) && isRegularInfo(meta[META_KEY.clientInfo])
}

function isRegularName({ method, params }: RegularRequest, name: string | undefined): boolean {
  if (method === 'tools/list') return name === undefined
  return name !== undefined && name === params?.['name'] && !name.startsWith('=?')
}
