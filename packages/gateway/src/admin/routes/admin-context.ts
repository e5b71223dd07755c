import type { AdminRouteId, Overview, RouteAnswer, RouteBody, RouteParams, RouteQuery } from '@tooldex/contract/admin'
import { cleanText } from '@tooldex/http-kit/clean-text'
import { EligibilityCache } from '../../access/eligibility-cache.ts'
import { newRequestId } from '../../clients/mcp/caller.ts'
import type { Found, Person } from '../../clients/mcp/requests/local-client.ts'
import type { RpcMessage } from '../../clients/mcp/requests/request-handler.ts'
import type { EligibleTools } from '../../access/eligible-tools.ts'
import type { AuditFeed } from '../../audit/audit-feed.ts'
import type { CallLatencies } from '../../audit/call-latencies.ts'
import type { Approvals } from '../../catalog/approvals.ts'
import type { Catalog, CatalogServer, CatalogSnapshot } from '../../catalog/catalog.ts'
import type { Machine } from '../../config/environment.ts'
import type { MergedConfig } from '../../config/merge-config.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import { GatewayError } from '../../errors.ts'
import { TokenEstimate } from '../../exposure/token-estimate.ts'
import type { Endpoint } from '../../model/endpoint.ts'
import type { GatewayModel, ModelSource } from '../../model/gateway-model.ts'
import type { AuditBacklog, AuditedChange, AuditedClient, AuditLog } from '../../model/audit.ts'
import type { Principal } from '../../model/principal.ts'
import type { Project } from '../../model/project.ts'
import type { ServerStatus } from '../../model/server.ts'
import type { Store } from '../../model/store.ts'
import type { ProjectUses } from '../../search/learning/project-uses.ts'
import type { RawResult, ServerPool } from '../../servers/server.ts'
import type { RegistriesOptions } from '../../setup/registry/registries.ts'
import type { Stopwatch } from '../../stopwatch.ts'
import { type AdminCaller, auditedAdmin } from '../access/admin-caller.ts'
import type { AdminSessions } from '../access/admin-sessions.ts'
import { Administration } from '../changes/administration.ts'
import type { ConfiguredEntries } from '../changes/configured-entries.ts'
import type { CostLedger } from './cost-ledger.ts'

/** The endpoint under which the searches, calls and acts of an admin are audited. */
export const ADMIN_ENDPOINT = 'admin'
const LONGEST_TARGET = 200
const NO_TOOLS: CatalogSnapshot = { version: 0, servers: [], tools: new Map() }

/** The state that handlers answer from: configured entries, the model in force, the catalog and the running servers. */
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

  get approvals(): Approvals {
    return this.parts.approvals
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

  /** The values that a server lacks; undefined if it lacks none. */
  missingValues(serverId: string): readonly string[] | undefined {
    return this.model.servers.find(({ id }) => id === serverId)?.missingValues
  }

  catalogServer(serverId: string): CatalogServer | undefined {
    return this.catalog.servers.find(({ id }) => id === serverId)
  }

  /** The tools that a principal may use through a project; by default all of them. */
  eligible(project: Project, principal: Principal = EVERYTHING): EligibleTools {
    return this.#eligibility.eligibleTools(principal, project, this.model.serverTools, this.catalog)
  }

  /** The program behind a request, for the audit log. */
  auditedAs(caller: AdminCaller, { headers }: Pick<Request, 'headers'>): AuditedClient {
    return auditedAdmin(caller, headers, this.parts.version)
  }

  /** Writes the one audit entry of an administrative act. */
  recordAct({ id, caller, request, target }: KnownAct, { outcome, watch, changes }: ActResult): void {
    this.parts.audit.record({
      kind: 'change',
      at: watch.startedAt,
      requestId: newRequestId(),
      tokenId: caller.tokenId,
      projectId: '',
      endpointId: ADMIN_ENDPOINT,
      ...this.auditedAs(caller, request),
      durationMs: watch.ms,
      outcome,
      action: id,
      target: cleanText(target, LONGEST_TARGET),
      role: caller.role,
      changes,
    })
  }

  /** @throws GatewayError PROJECT_NOT_FOUND */
  project(id: string): Project {
    const project = this.model.projects.get(id)
    if (project !== undefined) return project
    this.entries.project(id)
    throw new GatewayError('PROJECT_NOT_FOUND', {
      project: id,
      reason: 'the project is not in force yet',
      remedy: 'Try again',
    })
  }
}

/** An administrative act of a known caller. */
export interface KnownAct {
  readonly id: AdminRouteId
  readonly request: Pick<Request, 'headers'>
  readonly target: string
  readonly caller: AdminCaller
}

interface ActResult {
  /** `ok`, or the code of the error. */
  readonly outcome: string
  readonly watch: Stopwatch
  readonly changes: readonly AuditedChange[]
}

/** How an act that failed is recorded. */
export function outcomeOf(error: unknown): string {
  return error instanceof GatewayError ? error.code : 'INTERNAL'
}

/** The error for requests that need a running gateway. */
export function notRunning(): GatewayError {
  return new GatewayError('NOT_RUNNING', { remedy: 'Start the gateway with `tooldex serve` and try again' })
}

/** A principal with all rights; for counting tools, never for calls. */
const EVERYTHING: Principal = Object.freeze({ tokenId: 'admin', name: 'admin', readOnly: false })

/** The principal of an admin who tries out tools: all projects, audited under the token of the admin. */
export function principalOf({ tokenId, name }: AdminCaller): Principal {
  return { tokenId, name, readOnly: false }
}

/** The dependencies of the admin API. */
export interface AdminParts {
  readonly store: Store
  /** The model in force. A change of the store is part of it as soon as the change resolves. */
  readonly models: Pick<ModelSource, 'current' | 'onChange'>
  /** The last valid content of the configuration file. */
  readonly declared: () => DeclaredConfig
  /** The merged configuration that the gateway uses; absent while no gateway runs. */
  readonly inForce?: (() => MergedConfig) | undefined
  /** Absent while no gateway runs. */
  readonly live?: LiveParts
  /** The last known servers and tools, for use while no gateway runs. */
  readonly known?: CatalogSnapshot
  /** What was approved, and what waits. */
  readonly approvals: Approvals
  readonly sessions: AdminSessions
  readonly version: string
  readonly startedAt: number
  readonly now: () => number
  /** Where servers can be found, and the folder that keeps the answers. */
  readonly registries: Pick<RegistriesOptions, 'sources' | 'folder' | 'timeoutMs'>
  /** The limits of the configuration file. */
  readonly auditLimits: { readonly keepDays: number; readonly maxEntries: number }
  /** The machine of the gateway; without it no file of a client is read or written. */
  readonly machine?: Machine | undefined
  readonly log: AdminLog
  /** Records administrative acts. */
  readonly audit: AuditLog
  /** How gateways on the store differ that should be alike, one sentence each. */
  readonly replicaProblems?: () => readonly string[]
}

/** The parts of a running gateway. */
export interface LiveParts {
  readonly pool: ServerPool
  readonly catalog: Catalog
  /** Searches and calls through the gateway. */
  readonly client: LiveClient
  readonly auditFeed: AuditFeed
  readonly latencies: CallLatencies
  /** The audit entries that are not stored yet. */
  readonly auditBacklog?: () => AuditBacklog | undefined
  /** The tokens that clients loaded into their contexts. */
  readonly costs: Pick<CostLedger, 'totals'>
  /** What searches learnt; absent where none learns. */
  readonly learnt?: Pick<ProjectUses, 'exchange' | 'forget' | 'reload'>
  /** The state of the Search API; undefined if none is configured. */
  readonly searchApi?: () => Overview['searchApi']
  /** Absent if logins at servers are not supported. */
  readonly logins?: LoginControl
  /** The address of the gateway: `http://127.0.0.1:7420`. */
  readonly url: () => string
}

/** Searches and calls like a client of an endpoint: with permission checks, validation and audit. */
interface LiveClient {
  call(
    tool: string,
    args: Arguments,
    endpoint: Endpoint,
    principal: Principal,
    from: AuditedClient,
    person?: Person,
  ): Promise<RawResult>
  request(
    message: RpcMessage,
    endpoint: Endpoint,
    principal: Principal,
    from: AuditedClient,
    person?: Person,
  ): Promise<RawResult>
  find(queries: readonly string[], endpoint: Endpoint, options: LiveFindOptions): Promise<Found>
  snippets(endpoint: Endpoint, principal: Principal, url: string): Readonly<Record<'anthropic' | 'openai', object>>
}

type Arguments = Readonly<Record<string, unknown>>

interface LiveFindOptions {
  readonly principal: Principal
  readonly from: AuditedClient
  readonly maxResults: number
  readonly strategy: 'lexical' | 'regex' | 'bm25' | 'embeddings' | 'hybrid' | 'cloud'
  /** Leaves no audit entry. */
  readonly isPreview: true
}

/** Starts and removes logins at servers. */
export interface LoginControl {
  /** The URL of the login page; `undefined` if the server needs no login. */
  begin(serverId: string): Promise<string | undefined>
  forget(serverId: string): Promise<void>
}

/** Logs changes and unexpected errors. */
export interface AdminLog {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** A checked request to one route. */
export interface Ask<Id extends AdminRouteId> {
  readonly params: RouteParams<Id>
  readonly query: RouteQuery<Id>
  readonly body: RouteBody<Id>
  readonly caller: AdminCaller
  readonly request: Request
  /** The revision that the change is based on. */
  readonly revision?: string
}

/** The answer of a route: its JSON value, or a whole response. */
type Answer<Id extends AdminRouteId> = [RouteAnswer<Id>] extends [never] ? Response : RouteAnswer<Id> | Response

/** One handler for every route of the contract. */
export type Handlers = {
  readonly [Id in AdminRouteId]: (ask: Ask<Id>) => Answer<Id> | Promise<Answer<Id>>
}
