import type { Overview } from '@tooldex/contract/admin'
import { EligibilityCache } from '../../access/eligibility-cache.ts'
import type { EligibleTools } from '../../access/eligible-tools.ts'
import type { AuditFeed } from '../../audit/audit-feed.ts'
import type { CallLatencies } from '../../audit/call-latencies.ts'
import type { Catalog, CatalogServer, CatalogSnapshot } from '../../catalog/catalog.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import { GatewayError } from '../../errors.ts'
import { TokenEstimate } from '../../exposure/token-estimate.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { GatewayModel, ModelSource } from '../../model/gateway-model.ts'
import type { Principal } from '../../model/principal.ts'
import type { Project } from '../../model/project.ts'
import type { ServerStatus } from '../../model/server.ts'
import type { Store } from '../../model/store.ts'
import type { RawResult, ServerPool } from '../../servers/server.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import type { AdminSessions } from '../access/admin-sessions.ts'
import { Administration } from '../changes/administration.ts'
import type { ConfiguredEntries } from '../changes/configured-entries.ts'
import type { CostLedger } from './cost-ledger.ts'

const NO_TOOLS: CatalogSnapshot = { version: 0, servers: [], tools: new Map() }

/** Everything that an answer of the admin API is made from: what was decided, what holds, and what is going on. */
export class AdminContext {
  readonly parts: AdminParts
  readonly administration: Administration
  readonly tokens = new TokenEstimate()
  readonly #eligibility = new EligibilityCache()

  constructor(parts: AdminParts) {
    this.parts = parts
    this.administration = new Administration(parts)
  }

  get entries(): ConfiguredEntries {
    return this.administration.entries()
  }

  get model(): GatewayModel {
    return this.parts.models.current()
  }

  get catalog(): CatalogSnapshot {
    return this.parts.live?.catalog.snapshot() ?? this.parts.known ?? NO_TOOLS
  }

  /** @throws GatewayError NOT_RUNNING */
  get live(): LiveParts {
    if (this.parts.live !== undefined) return this.parts.live
    throw notRunning()
  }

  statusOf(serverId: string): ServerStatus | undefined {
    return this.parts.live?.pool.get(serverId)?.status()
  }

  catalogServer(serverId: string): CatalogServer | undefined {
    return this.catalog.servers.find(({ id }) => id === serverId)
  }

  /** What somebody may use through a project now. */
  eligible(project: Project, principal: Principal = EVERYTHING): EligibleTools {
    return this.#eligibility.eligibleTools(principal, project, this.model.serverTools, this.catalog)
  }

  /** @throws GatewayError PROJECT_NOT_FOUND */
  project(id: string): Project {
    const project = this.model.projects.get(id)
    if (project !== undefined) return project
    this.entries.project(id)
    throw new GatewayError('PROJECT_NOT_FOUND', { project: id, reason: 'it is not in force yet', remedy: 'Try again' })
  }
}

/** What needs servers or clients needs a gateway that runs. */
export function notRunning(): GatewayError {
  return new GatewayError('NOT_RUNNING', { remedy: 'Start the gateway with `tooldex serve` and try again' })
}

/** Whoever may use everything; for figures, never for calls. */
const EVERYTHING: Principal = Object.freeze({ tokenId: 'admin', name: 'admin', readOnly: false })

/** An admin as a caller of tools: all projects, and audited under its own token. */
export function principalOf({ tokenId, name }: AdminCaller): Principal {
  return { tokenId, name, readOnly: false }
}

/** What the admin API is made of. */
export interface AdminParts {
  readonly store: Store
  /** The model in force. When a change of the store has resolved, it holds here. */
  readonly models: Pick<ModelSource, 'current' | 'onChange'>
  /** What the file declares now: the last good one. */
  readonly declared: () => DeclaredConfig
  /** Absent where the store is used without a gateway running. */
  readonly live?: LiveParts
  /** What is known of servers and tools where no gateway runs. */
  readonly known?: CatalogSnapshot
  readonly sessions: AdminSessions
  readonly version: string
  readonly startedAt: number
  readonly now: () => number
  /** What the file says of retention. */
  readonly auditLimits: { readonly keepDays: number; readonly maxEntries: number }
  readonly log: AdminLog
}

/** Servers and tools as they are now, and the one path to them. */
export interface LiveParts {
  readonly pool: ServerPool
  readonly catalog: Catalog
  /** The gateway as its own client. */
  readonly client: LiveClient
  readonly auditFeed: AuditFeed
  readonly latencies: CallLatencies
  /** What clients loaded. */
  readonly costs: Pick<CostLedger, 'totals'>
  /** How the Search API is doing; undefined where none is configured. */
  readonly searchApi?: () => Overview['searchApi']
  /** Logs in at a server; absent where that cannot be done. */
  readonly logins?: LoginControl
  /** The address of the gateway: `http://127.0.0.1:7420`. */
  readonly url: () => string
}

/** Searches and calls as a client of an endpoint would: checked, validated, audited. */
interface LiveClient {
  call(tool: string, args: Arguments, endpoint: Endpoint, principal: Principal): Promise<RawResult>
  find(queries: readonly string[], endpoint: Endpoint, options: LiveFindOptions): Promise<LiveFound>
  snippets(endpoint: Endpoint, principal: Principal, url: string): Readonly<Record<'anthropic' | 'openai', object>>
}

type Arguments = Readonly<Record<string, unknown>>

interface LiveFindOptions {
  readonly principal: Principal
  readonly maxResults: number
  readonly strategy: 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud'
}

interface LiveFound {
  readonly hits: readonly {
    readonly toolKey: string
    readonly toolName: string
    readonly serverName: string
    readonly description?: string
    readonly signature: string
    readonly relevance: number
    readonly explanation?: string
  }[]
  readonly answeredBy: string
  readonly degraded?: string
  readonly ms: number
}

/** Starting and forgetting logins at servers. */
export interface LoginControl {
  /** The page that a person opens; `undefined` where the server needs none. */
  begin(serverId: string): Promise<string | undefined>
  forget(serverId: string): Promise<void>
}

/** Where changes and unforeseen failures are told. */
export interface AdminLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}
