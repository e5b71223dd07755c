import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { withoutRaw } from '../../servers/protocol/raw-json.ts'
import { answer, type Answering } from '../mcp/answer.ts'
import { type Answer, isObject, type JsonObject, META_KEY } from '../mcp/json-rpc.ts'
import { callerOf, callerOutsideRequest, type Conversation, mayNotify, type Peer } from '../mcp/peer.ts'
import { RpcError, type RpcMessage } from '../mcp/requests/request-handler.ts'

/** Hands results on as they are. */
const RAW = {
  '~standard': { version: 1, vendor: 'tooldex', validate: (value: unknown) => ({ value }) },
} as const

/** People answer elicitations at their own pace; the call's own time limit ends the wait. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/**
 * An SDK server that leaves the protocol's own business (handshake, ping, ids, cancellation) to the SDK and every other
 * request to ours. One per session, connection or request, never shared. The peer is read anew with each request.
 */
export function sdkServer(
  answering: Answering,
  peer: Peer,
  onAnswer: (asked: RpcMessage, told: Answer) => void = () => undefined,
): Server {
  const { capabilities, instructions, serverInfo } = answering.handler.describe(callerOutsideRequest(peer))
  const server = new Server(serverInfo, { capabilities, ...(instructions === undefined ? {} : { instructions }) })
  // The SDK would keep the level to itself; the servers behind us have to hear of it.
  server.removeRequestHandler('logging/setLevel')
  // Not setRequestHandler: that one drops the fields of results that it does not know.
  server.fallbackRequestHandler = async (request, context) => {
    const asked = requestAsSent(request, context)
    const told = await answer(answering, asked, callerOf(asDeclared(peer, context), conversation(peer, asked, context)))
    onAnswer(asked, told)
    if ('result' in told) return withoutRaw(told.result)
    throw Object.assign(new Error(told.error.message), { code: told.error.code, data: told.error.data })
  }
  server.fallbackNotificationHandler = async (notification) =>
    answering.handler.notified(plainMessage(notification), callerOutsideRequest(peer))
  server.onerror = () => undefined
  return server
}

interface SdkMessage {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** The SDK takes some fields out of the parameters before it hands a request over. */
function requestAsSent(request: SdkMessage, { mcpReq }: ServerContext): RpcMessage {
  const state = mcpReq.requestState<unknown>()
  const meta = { ...(isObject(request.params?.['_meta']) ? request.params['_meta'] : {}), ...mcpReq.envelope }
  const params: JsonObject = {
    ...request.params,
    ...(Object.keys(meta).length === 0 ? {} : { _meta: meta }),
    ...(mcpReq.inputResponses === undefined ? {} : { inputResponses: mcpReq.inputResponses }),
    ...(state === undefined ? {} : { requestState: state }),
  }
  return request.params === undefined && Object.keys(params).length === 0
    ? { method: request.method }
    : { method: request.method, params }
}

/** In 2026-07-28 a client says with each request who it is and what it can do. */
function asDeclared(peer: Peer, { mcpReq }: ServerContext): Peer {
  const envelope: JsonObject = { ...mcpReq.envelope }
  const { [META_KEY.clientInfo]: clientInfo, [META_KEY.clientCapabilities]: clientCapabilities } = envelope
  if (peer.era === 'legacy' || !isObject(clientCapabilities)) return peer
  return { ...peer, clientCapabilities, ...(isObject(clientInfo) ? { clientInfo } : {}) }
}

function conversation(peer: Peer, request: RpcMessage, { mcpReq, http }: ServerContext): Conversation {
  const open: Conversation = {
    signal: mcpReq.signal,
    notify: (notification) => {
      if (!mayNotify(peer.era, notification, request)) return
      // Fails only where the client is gone or was never told of the capability: nobody is there to hear it.
      mcpReq.notify(notification).catch(() => undefined)
    },
  }
  if (peer.era === 'modern') return open
  // Over HTTP a question travels on the stream of its request; with that gone, nobody can answer.
  const signals = http?.req === undefined ? [] : [http.req.signal]
  return {
    ...open,
    ask: (question, signal) =>
      mcpReq.send(question, RAW, { signal: AbortSignal.any([signal, ...signals]), timeout: NO_TIMEOUT_MS }).then(
        (told) => told as JsonObject,
        (error: unknown) => {
          throw clientRefusal(error)
        },
      ),
  }
}

/** What the client answered instead of a result, or that it is gone. */
function clientRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return error
  return new RpcError(error.code, error.message, 'data' in error ? error.data : undefined)
}

function plainMessage({ method, params }: SdkMessage): RpcMessage {
  return params === undefined ? { method } : { method, params }
}
