import { EligibilityCache } from '../access/eligibility-cache.ts'
import type { EligibleTools } from '../access/eligible-tools.ts'
import type { GatewayModel } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'
import type { Project } from '../model/project.ts'
import type { CatalogServer, CatalogSnapshot } from '../catalog/catalog.ts'
import { TokenEstimate } from '../exposure/token-estimate.ts'
import { GatewayError } from '../errors.ts'
import type { ServerStatus } from '../model/server.ts'
import type { AdminCaller } from './admin-caller.ts'
import type { AdminParts, LiveParts } from './admin-parts.ts'
import { Administration } from './administration.ts'
import type { ConfiguredEntries } from './configured-entries.ts'

const NO_TOOLS: CatalogSnapshot = { version: 0, servers: [], tools: new Map() }

/** Everything that an answer of the admin API is made from: what was decided, what holds, and what is going on. */
export class AdminPicture {
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
