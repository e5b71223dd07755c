import type { Readable, Writable } from 'node:stream'
import type { ModelSource } from './model/gateway-model.ts'
import type { Principal } from './model/principal.ts'
import type { Store } from './model/store.ts'
import type { AuditLog } from './model/audit.ts'
import type { Catalog } from './catalog/catalog.ts'
import type { GatewayConfig } from './config/gateway-config.ts'
import type { DeclaredConfig } from './config/parse-config.ts'
import type { FindOptions, Found, ModelApiSnippets } from './clients/mcp/requests/local-client.ts'
import type { RequestHandler } from './clients/mcp/requests/request-handler.ts'
import type { SearchApiHealth } from './search/cloud/search-api-link.ts'
import type { ServerPool } from './servers/server.ts'
import type { Environment } from './servers/stdio/child-environment.ts'
import type { Logger } from './telemetry/logger.ts'
import type { Metrics } from './telemetry/metrics.ts'
import type { Tracing } from './telemetry/tracing.ts'

/** A gateway, put together and ready to be started. */
export interface Gateway {
  readonly pool: ServerPool
  readonly catalog: Catalog
  readonly models: ModelSource
  readonly requests: RequestHandler
  /** Ends what a killed gateway left behind, starts servers, takes connections. */
  listen(): Promise<{ readonly url: string; readonly port: number }>
  /** Starts servers without listening: for commands that need them once. */
  startServers(): Promise<void>
  /** Serves one client over standard streams until it leaves. */
  serveStdio(
    principal: Principal,
    streams: { readonly input: Readable; readonly output: Writable },
    endpointId?: string,
  ): Promise<void>
  find(queries: readonly string[], options: FindOptions): Promise<Found>
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: CallOptions,
  ): Promise<Readonly<Record<string, unknown>>>
  /** The tools that a client of the endpoint is shown. */
  list(endpointId: string, principal: Principal): readonly object[]
  /** Ready parts of model API requests that connect an endpoint at a URL. */
  snippets(endpointId: string, url: string, principal: Principal): ModelApiSnippets
  /** How the Search API is doing; undefined where none is configured. */
  searchApiHealth(): SearchApiHealth | undefined
  /** A code that signs a browser in to the console, once and soon; absent before it listens and without a store. */
  signInCode(): string | undefined
  /** Leaves no process behind. Safe to call twice. */
  stop(): Promise<void>
}

/** On whose behalf, and through which endpoint. */
export interface CallOptions {
  readonly principal: Principal
  readonly endpointId?: string
}

/** What a gateway is made of. */
export interface AssembleOptions {
  readonly config: GatewayConfig
  readonly models: ModelSource
  /** Without it nothing can be changed while the gateway runs, and lists are kept in files. */
  readonly store?: Store
  /** What the file declares now; nothing without. */
  readonly declared?: () => DeclaredConfig
  /** The hash of the secret that opens the admin API for the owner of the data folder. */
  readonly localHash?: string
  readonly logger: Logger
  readonly metrics: Metrics
  readonly audit: AuditLog
  /** Nothing is traced without. */
  readonly tracing?: Tracing
  readonly version: string
  /** The program's own environment; servers get a few harmless variables of it. */
  readonly environment: Environment
}
