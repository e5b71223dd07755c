import type { ServerResponse } from 'node:http'
import type { ModelSource } from './model/gateway-model.ts'
import { RateLimit } from './access/rate-limit.ts'
import type { Store } from './model/store.ts'
import type { GatewayConfig } from './config/gateway-config.ts'
import { connectionsWithin } from './config/file-descriptor-limit.ts'
import type { AdminEntry } from './admin/api/admin-entry.ts'
import type { ConnectedClients } from './clients/mcp/connected-clients.ts'
import { CONNECTION_LIMITS, type ConnectionLimits } from './clients/http/connections.ts'
import { consoleArea, leadToConsole } from './clients/http/console-files.ts'
import { HttpServer, type HttpServerOptions } from './clients/http/http-server.ts'
import { JwtVerifier } from './clients/http/jwt-verifier.ts'
import { RequestAccess } from './clients/http/request-access.ts'
import type { RequestHandler } from './clients/mcp/requests/request-handler.ts'
import { answerMetadata, metadataUrl } from './clients/http/resource-metadata.ts'
import type { AreaHandler, PlainHandler } from './clients/http/routes.ts'
import { callbackPage } from './servers/login/callback-page.ts'
import type { ServerLogins } from './servers/login/server-logins.ts'
import { healthz, type PlainAnswer } from './telemetry/health.ts'
import type { Logger } from './telemetry/logger.ts'
import type { Metrics } from './telemetry/metrics.ts'

/** What the HTTP side of a gateway is made of. */
export interface HttpAssembly {
  readonly config: GatewayConfig
  readonly models: ModelSource
  readonly store?: Store
  readonly admin?: AdminEntry
  readonly logins?: ServerLogins
  readonly requests: RequestHandler
  readonly clients: ConnectedClients
  readonly ready: () => PlainAnswer
  readonly logger: Logger
  readonly metrics: Metrics
}

/** Puts the HTTP side together: who may come in, and what lies where. */
export function assembleHttp(parts: HttpAssembly): HttpServer {
  const { config, models, store, requests, clients, ready, logger, metrics } = parts
  const { auth } = config
  const access = new RequestAccess({
    models,
    now: Date.now,
    ...(auth !== undefined && { jwt: new JwtVerifier({ config: auth, now: Date.now }) }),
    ...(store !== undefined && { onUse: storedUses(store) }),
  })
  const http = new HttpServer({
    handler: requests,
    access,
    log: logger,
    health: plain(() => healthz()),
    ready: plain(ready),
    metrics: plain(() => metrics.answer()),
    areas: areasOf(parts),
    limits: limitsOf(config),
    ...(auth !== undefined && { metadataUrl }),
    host: config.listen.host,
    port: config.listen.port,
    allowedHosts: config.listen.allowedHosts,
    connectionLimits: connectionLimitsOf(config),
    isValid: (principal, endpointId) => access.isValid(principal, endpointId),
    clients,
  })
  metrics.observeConnections(() => {
    const { evicted, ...counts } = http.connectionCounts
    return { ...counts, gaveWay: evicted }
  })
  return http
}

function areasOf({ admin, logins, config: { auth } }: HttpAssembly): ReadonlyMap<string, AreaHandler> {
  const areas = new Map<string, AreaHandler>()
  if (admin !== undefined) {
    areas.set('api', (req, res, proven) => admin.handle(req, res, proven).then(() => true))
    areas.set(
      'console',
      consoleArea(async () => (await import('@tooldex/console')).consoleFolder),
    )
    areas.set('', leadToConsole)
  }
  if (logins !== undefined) areas.set('oauth', callbackPage(logins))
  if (auth !== undefined) areas.set('.well-known', (req, res) => answerMetadata(req, res, auth))
  return areas
}

function connectionLimitsOf({ listen: { limits } }: GatewayConfig): ConnectionLimits {
  const wished = { ...CONNECTION_LIMITS, ...limits }
  return { ...wished, maxConnections: connectionsWithin(wished.maxConnections) }
}

function limitsOf({ rateLimits = {} }: GatewayConfig): NonNullable<HttpServerOptions['limits']> {
  const limit = (perMinute: number | undefined): ((key: string) => void) => {
    if (perMinute === undefined) return () => {}
    const limited = new RateLimit(perMinute, () => performance.now())
    return (key) => limited.take(key)
  }
  return { address: limit(rateLimits.addressPerMinute), token: limit(rateLimits.tokenPerMinute) }
}

/** Of tokens that are stored only: of others there is nothing to be noted. */
function storedUses(store: Store): (tokenId: string, at: number) => void {
  let state = store.current()
  let ids = new Set(state.tokens.map(({ id }) => id))
  return (tokenId, at) => {
    if (state !== store.current()) {
      state = store.current()
      ids = new Set(state.tokens.map(({ id }) => id))
    }
    if (ids.has(tokenId)) store.noteTokenUse(tokenId, at)
  }
}

function plain(answer: () => PlainAnswer | Promise<PlainAnswer>): PlainHandler {
  return async (_req, res: ServerResponse) => {
    const { status, contentType, body } = await answer()
    res.writeHead(status, { 'content-type': contentType })
    res.end(body)
  }
}
