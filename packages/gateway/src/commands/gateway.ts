// What commands need of the gateway. `assemble.ts` makes one; tests bring their own.
import type { Readable, Writable } from 'node:stream'
import type { ModelSource } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'
import type { Store } from '../model/store.ts'
import type { AuditLog } from '../model/audit.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Environment } from '../config/environment.ts'
import type { DeclaredConfig } from '../config/parse-config.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import type { StrategySetting } from '../model/settings.ts'
import type { ServerPool } from '../servers/server.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { Tracing } from '../telemetry/tracing.ts'

/** A tool that a search found. */
export interface FindHit {
  readonly toolKey: string
  readonly toolName: string
  readonly serverName: string
  readonly description?: string
  readonly relevance: number
  readonly explanation?: string
  readonly signature?: string
}

/** What came of a search. */
export interface FindAnswer {
  readonly hits: readonly FindHit[]
  readonly answeredBy: string
  readonly degraded?: string
  readonly ms: number
}

/** How to rank. */
export type Strategy = Exclude<StrategySetting, null>

/** Who asks, and how. */
export interface FindOptions {
  readonly principal: Principal
  readonly endpointId?: string
  readonly maxResults?: number
  readonly strategy?: Strategy
}

/** Where a client over stdio is. */
export interface StandardStreams {
  readonly input: Readable
  readonly output: Writable
}

/** A gateway, as far as commands use it. */
export interface CommandGateway {
  listen(): Promise<{ readonly url: string; readonly port: number }>
  startServers(): Promise<void>
  serveStdio(principal: Principal, streams: StandardStreams, endpointId: string): Promise<void>
  readonly pool: ServerPool
  readonly catalog: Catalog
  readonly models: ModelSource
  find(queries: readonly string[], options: FindOptions): Promise<FindAnswer>
  call(
    tool: string,
    args: Readonly<Record<string, unknown>>,
    options: { readonly principal: Principal; readonly endpointId?: string },
  ): Promise<Readonly<Record<string, unknown>>>
  /** The tools that a client of the endpoint is shown. */
  list(endpointId: string, principal: Principal): readonly object[]
  /** Parts of model API requests, by API. */
  snippets(endpointId: string, url: string, principal: Principal): ModelApiSnippets
  /** A code that signs a browser in to the console; absent where there is none. */
  signInCode(): string | undefined
  stop(): Promise<void>
}

/** Requests to model APIs, as far as they connect an endpoint. */
export interface ModelApiSnippets {
  readonly anthropic: Readonly<Record<string, unknown>>
  readonly openai: Readonly<Record<string, unknown>>
}

/** What a gateway is made of. */
export interface AssembleOptions {
  readonly config: GatewayConfig
  readonly store: Store
  /** What the file declares now. */
  readonly declared: () => DeclaredConfig
  /** The hash of the secret in the run record, which opens the admin API; absent where nothing is recorded. */
  readonly localHash?: string
  readonly models: ModelSource
  readonly logger: Logger
  readonly metrics: Metrics
  readonly audit: AuditLog
  readonly tracing: Tracing
  readonly version: string
  /** The program's own environment. */
  readonly environment: Environment['variables']
}

/** Makes a gateway. */
export type Assemble = (options: AssembleOptions) => CommandGateway
