import { setTimeout as delay } from 'node:timers/promises'
import { Client, type ClientCapabilities, SdkError, SdkErrorCode } from '@modelcontextprotocol/client'
import type { ConnectRequest, GatewayInfo, TransportFactory } from './connect.ts'
import { McpConnection } from './mcp-connection.ts'
import { OpenRequests } from './open-requests.ts'
import type { Asked } from './client-requests.ts'
import type { ClientLink } from '../server.ts'
import type { ServerDefinition } from '../../model/server.ts'
import { errorLine, exitReason, StartEnded } from './errors.ts'
import type { ServerTransport } from './server-transport.ts'
import { sharedCapabilities } from './client-capabilities.ts'
import { startFailure } from './transport-errors.ts'

const MODERN = '2026-07-28'
/** A server's request is lost before its stream is open, but some servers open the stream with the first event. */
const LISTENING_WITHIN_MS = 500

/** Opens one connection within the time limit of a start. @throws GatewayError like `connector` */
export async function openConnection(
  info: GatewayInfo,
  makeTransport: TransportFactory,
  request: ConnectRequest,
): Promise<McpConnection> {
  const { definition, logs } = request
  const limit = AbortSignal.timeout(definition.limits.startTimeoutMs)
  const signal = AbortSignal.any([request.signal, limit])
  const attempt = (mode: Mode) => open(info, makeTransport, { ...request, signal }, mode)
  try {
    return await withFallback(attempt, modeOf(request), signal)
  } catch (error) {
    if (!limit.aborted) throw startFailure(definition, error)
    const reason = new StartEnded(`was not ready within ${definition.limits.startTimeoutMs} ms`)
    throw startFailure(definition, reason, errorLine(logs.last(60)))
  }
}

type Mode = 'legacy' | 'modern' | 'auto'

/** Probing the era would start a process twice, so standard streams mean the older one. */
function modeOf({ definition, isKnownLegacy }: ConnectRequest): Mode {
  if (definition.era === MODERN) return 'modern'
  return definition.era === 'legacy' || definition.transport.kind !== 'http' || isKnownLegacy ? 'legacy' : 'auto'
}

/** Some servers of the older eras fail on the probe for their era: they are connected as legacy. */
async function withFallback(attempt: (mode: Mode) => Promise<McpConnection>, mode: Mode, signal: AbortSignal) {
  try {
    return await attempt(mode)
  } catch (error) {
    const isUndecided = error instanceof SdkError && error.code === SdkErrorCode.EraNegotiationFailed
    if (mode !== 'auto' || !isUndecided || signal.aborted) throw error
    return attempt('legacy').catch(() => {
      throw error
    })
  }
}

async function open(info: GatewayInfo, makeTransport: TransportFactory, request: ConnectRequest, mode: Mode) {
  const { definition, signal, owner, logs, events, traffic } = request
  const requests = new OpenRequests(definition)
  const transport = await makeTransport(definition, logs, requests)
  const { promise: ready, resolve: isReady } = Promise.withResolvers<McpConnection>()
  const asked = askedOn(definition, owner, mode)
  const declared = owner?.capabilities ?? (asked === 'caller' ? sharedCapabilities(definition) : {})
  const client = makeClient(owner === undefined ? info : clientInfo(owner, info), declared, mode, definition)
  client.fallbackRequestHandler = async (asked, context) => {
    const connection = await ready
    return connection.answer({ method: asked.method, params: asked.params ?? {} }, context.mcpReq.signal)
  }
  await aborting(transport, signal, () =>
    client.connect(transport, {
      timeout: definition.limits.startTimeoutMs,
      ...(mode === 'legacy' && { prior: { kind: 'legacy' as const } }),
    }),
  )
  if (owner !== undefined)
    await Promise.race([transport.listening, delay(LISTENING_WITHIN_MS, undefined, { ref: false })])
  const self = { protocolVersion: client.getNegotiatedProtocolVersion() ?? MODERN, info }
  const parts = { definition, client, transport, requests, self, owner, asked, declared, events, traffic }
  const connection = new McpConnection(parts)
  isReady(connection)
  return connection
}

/** A client that owns the connection is asked; on the process of a program that clients share, the client that calls. */
function askedOn({ transport }: ServerDefinition, owner: ClientLink | undefined, mode: Mode): Asked {
  if (owner !== undefined) return 'owner'
  return transport.kind === 'stdio' && mode === 'legacy' ? 'caller' : 'none'
}

function makeClient(
  info: GatewayInfo,
  capabilities: ClientLink['capabilities'],
  mode: Mode,
  definition: ServerDefinition,
) {
  const timeoutMs = Math.min(5_000, definition.limits.startTimeoutMs / 2)
  const client = new Client(info, {
    capabilities: capabilities as ClientCapabilities,
    inputRequired: { autoFulfill: false },
    ...(mode === 'auto' && { versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs } } }),
    ...(mode === 'modern' && { versionNegotiation: { mode: { pin: MODERN } } }),
  })
  // The SDK's client does not know our requests, to which progress belongs.
  client.removeNotificationHandler('notifications/progress')
  return client
}

/** Runs the handshake; closes the transport if that fails or the signal fires, and waits for the close. */
async function aborting(transport: ServerTransport, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    await Promise.race([work(), aborted])
  } catch (error) {
    const { exit, closeReason } = transport
    await transport.close().catch(() => {})
    const reason = exit ? exitReason(exit) : closeReason
    throw reason === undefined ? error : new StartEnded(reason)
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

/** On its own connection a client that names itself is passed on under its name. */
function clientInfo(owner: ClientLink, info: GatewayInfo): GatewayInfo {
  const { name, version } = (owner.info ?? {}) as { name?: unknown; version?: unknown }
  return typeof name === 'string' && typeof version === 'string' ? { ...owner.info, name, version } : info
}
