// What commands need of the gateway. `assemble.ts` makes one; tests bring their own.
import type { ModelSource } from '../access/model.ts'
import type { Principal } from '../access/principal.ts'
import type { AuditLog } from '../audit/audit-log.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { GatewayConfig } from '../config/gateway-config.ts'
import type { ServerPool } from '../servers/server.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'

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

/** Who asks, and how. */
export interface FindOptions {
  readonly principal: Principal
  readonly endpointId?: string
  readonly maxResults?: number
  readonly strategy?: string
}

/** A gateway, as far as commands use it. `find` and `call` work without `listen`, on what is known and started on demand. */
export interface CommandGateway {
  listen(): Promise<{ readonly url: string; readonly port: number }>
  serveStdio(principal: Principal): Promise<void>
  readonly pool: ServerPool
  readonly catalog: Catalog
  readonly models: ModelSource
  find(queries: readonly string[], options: FindOptions): Promise<FindAnswer>
  call(
    tool: string,
    args: Record<string, unknown>,
    options: { readonly principal: Principal; readonly endpointId?: string },
  ): Promise<Record<string, unknown>>
  stop(): Promise<void>
}

/** What a gateway is made of. */
export interface AssembleOptions {
  readonly config: GatewayConfig
  readonly models: ModelSource
  readonly dataDir: string
  readonly logger: Logger
  readonly metrics: Metrics
  readonly audit: AuditLog
  readonly version: string
}

/** Makes a gateway. */
export type Assemble = (options: AssembleOptions) => CommandGateway
