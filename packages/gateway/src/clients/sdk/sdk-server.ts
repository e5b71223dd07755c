import { Server, type ServerContext } from '@modelcontextprotocol/server'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { withoutRaw } from '../../servers/protocol/raw-json.ts'
import { answer, type Answering } from '../mcp/answer.ts'
import { type Answer, META_KEY } from '../mcp/json-rpc.ts'
import { type RpcMessage, RpcError } from '../mcp/requests/request-handler.ts'
import { gatewayFailure } from '../mcp/rpc-errors.ts'
import {
  callerOf,
  callerOutsideRequest,
  type ClientIdentity,
  isAccessEnded,
  mayNotify,
  type RequestChannel,
} from '../mcp/caller.ts'

/** A schema that accepts every result unchanged. */
const RAW = {
  '~standard': { version: 1, vendor: 'tooldex', validate: (value: unknown) => ({ value }) },
} as const

/** People answer elicitations at their own pace; the call's own time limit ends the wait. */
const NO_TIMEOUT_MS = 2 ** 31 - 1

/** A request that is being answered. */
export interface BegunRequest {
  /** Its sender, with the rights of this request. */
  readonly client: ClientIdentity
  /** Aborts when its access ends. */
  readonly signal?: AbortSignal
  end(): void
}

/** What a transport adds to an SDK server. */
export interface SdkServerOptions {
  readonly onAnswer?: (asked: RpcMessage, told: Answer) => void
  /** Decides the rights of a request. Default: those of the client. @throws GatewayError */
  readonly begin?: (asked: RpcMessage) => BegunRequest
}

/**
 * An SDK server that handles handshake, ping, ids and cancellation; the gateway answers every other request. One per
 * session or connection, never shared. The client is read anew with each request.
 */
export function sdkServer(
  answering: Answering,
  client: ClientIdentity,
  { onAnswer = () => undefined, begin = () => ({ client, end: () => undefined }) }: SdkServerOptions = {},
): Server {
  const { capabilities, instructions, serverInfo } = answering.handler.describe(callerOutsideRequest(client))
  const server = new Server(serverInfo, { capabilities, ...(instructions === undefined ? {} : { instructions }) })
  // The SDK would keep the level to itself; the servers behind the gateway need it.
  server.removeRequestHandler('logging/setLevel')
  // Not setRequestHandler, which drops unknown fields of results.
  server.fallbackRequestHandler = async (request, context) => {
    const asked = requestAsSent(request, context)
    const told = await answered(asked, context)
    onAnswer(asked, told)
    if ('result' in told) return withoutRaw(told.result)
    throw Object.assign(new Error(told.error.message), { code: told.error.code, data: told.error.data })
  }
  const answered = async (asked: RpcMessage, context: ServerContext): Promise<Answer> => {
    const request = begin(asked)
    const open = channel(client, asked, context)
    const signal = request.signal === undefined ? open.signal : AbortSignal.any([open.signal, request.signal])
    const told = await answer(answering, asked, callerOf(asDeclared(request.client, context), { ...open, signal }))
    request.end()
    return isAccessEnded(signal) ? { error: gatewayFailure(signal.reason) } : told
  }
  server.fallbackNotificationHandler = async (notification) =>
    answering.handler.notified(plainMessage(notification), callerOutsideRequest(client))
  server.onerror = () => undefined
  return server
}

interface SdkMessage {
  readonly method: string
  readonly params?: JsonObject | undefined
}

/** Puts back the fields that the SDK takes out of the parameters. */
function requestAsSent(request: SdkMessage, { mcpReq }: ServerContext): RpcMessage {
  const state = mcpReq.requestState<unknown>()
  const meta = { ...(isRecord(request.params?.['_meta']) ? request.params['_meta'] : {}), ...mcpReq.envelope }
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

/** In 2026-07-28 each request declares its client and the client's capabilities. */
function asDeclared(client: ClientIdentity, { mcpReq }: ServerContext): ClientIdentity {
  const envelope: JsonObject = { ...mcpReq.envelope }
  const { [META_KEY.clientInfo]: clientInfo, [META_KEY.clientCapabilities]: clientCapabilities } = envelope
  if (client.era === 'legacy' || !isRecord(clientCapabilities)) return client
  return { ...client, clientCapabilities, ...(isRecord(clientInfo) ? { clientInfo } : {}) }
}

function channel(client: ClientIdentity, request: RpcMessage, { mcpReq }: ServerContext): RequestChannel {
  const open: RequestChannel = {
    signal: mcpReq.signal,
    notify: (notification) => {
      if (!mayNotify(client.era, notification, request)) return
      // Fails only if the client is gone, or does not know the capability.
      mcpReq.notify(notification).catch(() => undefined)
    },
  }
  if (client.era === 'modern') return open
  return {
    ...open,
    ask: (question, signal) =>
      mcpReq.send(question, RAW, { signal, timeout: NO_TIMEOUT_MS }).then(
        (told) => told as JsonObject,
        (error: unknown) => {
          throw clientRefusal(error)
        },
      ),
  }
}

/** The error that the client answered with, or the failure to reach it. */
function clientRefusal(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return error
  return new RpcError(error.code, error.message, 'data' in error ? error.data : undefined)
}

function plainMessage({ method, params }: SdkMessage): RpcMessage {
  return params === undefined ? { method } : { method, params }
}
