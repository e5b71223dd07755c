import { EligibilityCache } from '../../../access/eligibility-cache.ts'
import type { EligibleTools } from '../../../access/eligible-tools.ts'
import type { AbsenceBasis, NamedTools, ServerTrouble } from '../../../access/named-tool.ts'
import { type ExposedNames, ExposedNameTables } from '../../../access/exposed-names.ts'
import { wantedProject } from '../../../access/projects.ts'
import type { Catalog, CatalogServer, CatalogSnapshot } from '../../../catalog/catalog.ts'
import type { NamingRules } from '../../../catalog/name-table.ts'
import type { Dialect } from '../../../dialects/dialect.ts'
import { dialectNamed, RESERVED_TOOL_NAMES } from '../../../dialects/dialects.ts'
import {
  type DecidedExposure,
  decideExposure,
  type ExposureDecision,
  ExposureMemory,
} from '../../../exposure/decide-exposure.ts'
import { resolveSettings } from '../../../exposure/resolve-settings.ts'
import { TokenEstimate } from '../../../exposure/token-estimate.ts'
import type { ListReader } from '../../../model/context-cost.ts'
import type { Endpoint } from '../../../model/endpoint.ts'
import { fixedModelSource, type GatewayModel, type ModelSource } from '../../../model/gateway-model.ts'
import type { Principal } from '../../../model/principal.ts'
import type { Project } from '../../../model/project.ts'
import type { ResolvedDisclosure } from '../../../model/settings.ts'
import type { Caller, Lister } from './request-handler.ts'

/** Everything that one request sees: one snapshot of model and catalog, filtered and named for the caller. */
export interface EndpointView {
  readonly project: Project
  /** Its `awaited` are the servers that a list, search or call waits for, and that an answer without them names. */
  readonly tools: EligibleTools
  /** The servers that the caller may use and that can answer. */
  readonly servers: readonly CatalogServer[]
  readonly settings: ResolvedDisclosure
  readonly dialect: Dialect
  readonly mode: DecidedExposure
  /** Why it is this mode, for debug logs. */
  readonly modeReason: string
  /** The servers to which `_meta` narrowed the project; empty if it did not. */
  readonly narrowing: string
  readonly rules: NamingRules
  readonly names: ExposedNames
  readonly named: NamedTools
}

/** The collaborators of `EndpointViews`. */
export interface EndpointViewParts {
  readonly models: Pick<ModelSource, 'current'>
  readonly catalog: Pick<Catalog, 'snapshot'>
  readonly troubleOf: (serverId: string) => ServerTrouble | undefined
  /** For views of another moment: the decisions of `auto` so far, to which they add none. */
  readonly decided?: ExposureMemory
}

/** A view with its inputs, which are replaced and never changed in place. */
interface LatestView {
  readonly principal: Principal
  readonly model: GatewayModel
  readonly view: EndpointView
}

const VERBATIM: NamingRules = { separator: '__', dropPrefix: true, reserved: new Set(), verbatim: true }

/** Creates views: the only place that applies eligibility, exposure and names to requests. */
export class EndpointViews {
  readonly #parts: EndpointViewParts
  readonly #eligibility = new EligibilityCache()
  readonly #exposures: ExposureMemory
  readonly #tables = new ExposedNameTables()
  readonly #tokens = new TokenEstimate()
  readonly #rules = new Map<string, NamingRules>()
  readonly #settings = new WeakMap<Project, WeakMap<Endpoint, ResolvedDisclosure>>()
  /** The latest view of each endpoint, for the next request of the same principal. All are of the same snapshot. */
  #latest = new WeakMap<Endpoint, LatestView>()
  #latestCatalog: CatalogSnapshot | undefined

  constructor(parts: EndpointViewParts) {
    this.#parts = parts
    this.#exposures = parts.decided ?? new ExposureMemory()
  }

  /** The views of another moment. They decide as these would, and remember nothing. */
  at(model: GatewayModel, catalog: CatalogSnapshot): EndpointViews {
    return new EndpointViews({
      models: fixedModelSource(model),
      catalog: { snapshot: () => catalog },
      troubleOf: this.#parts.troubleOf,
      decided: this.#exposures,
    })
  }

  /** @param meta what the client wrote; its `projectId` names a project */
  viewOf(caller: Lister, meta?: unknown): EndpointView {
    const model = this.#parts.models.current()
    const catalog = this.#parts.catalog.snapshot()
    if (this.#latestCatalog !== catalog) {
      this.#latest = new WeakMap()
      this.#latestCatalog = catalog
    }
    const latest = this.#latest.get(caller.endpoint)
    const isSame = latest?.principal === caller.principal && latest.model === model
    if (isSame && meta === undefined) return latest.view
    const view = this.#view(caller, model, catalog, meta)
    // `auto` depends on the client and its earlier requests.
    if (meta === undefined && view.settings.exposure !== 'auto') {
      this.#latest.set(caller.endpoint, { principal: caller.principal, model, view })
    }
    return view
  }

  #view(caller: Lister, model: GatewayModel, catalog: CatalogSnapshot, meta: unknown): EndpointView {
    const { principal, endpoint } = caller
    const project = wantedProject(endpoint, meta, principal, model)
    const tools = this.#eligibility.eligibleTools(principal, project, model.serverTools, catalog)
    const settings = this.#settingsOf(endpoint, project)
    const dialect = dialectNamed(settings.dialect)
    const rules = endpoint.transparent ? VERBATIM : this.#rulesOf(dialect, settings)
    // Searches need no names, and those of thousands of tools take long to make.
    const names = (): ExposedNames => this.#tables.exposedNames(tools, rules)
    const { troubleOf } = this.#parts
    const narrowing = project === model.projects.get(endpoint.projectId) ? '' : project.serverIds.join(':')
    const exposure = this.#exposureOf(caller, { project, settings, tools, narrowing })
    const basis: AbsenceBasis = { principal, project, serverTools: model.serverTools, catalog, troubleOf }
    return {
      project,
      tools,
      servers: tools.servers,
      settings,
      dialect,
      mode: exposure.mode,
      modeReason: exposure.reason,
      narrowing,
      rules,
      get names() {
        return names()
      },
      get named() {
        return { eligible: tools, names: names(), rules, basis }
      },
    }
  }

  /** The tokens that the full list would take. */
  tokensOf(tools: EligibleTools): number {
    return this.#tokens.ofWhole(tools)
  }

  /** Notes that the caller was given a list, so that a session keeps the mode, even if more servers start later. */
  listGiven(caller: Caller, { project, mode, narrowing, settings, tools }: EndpointView): void {
    const isUndecided = tools.size === 0 && tools.awaited.length === 0
    // Without a session, `auto` depends on the catalog alone.
    if (isUndecided || (caller.sessionId === undefined && settings.exposure === 'auto')) return
    this.#exposures.given(listReader(caller, project.id), mode, narrowing)
  }

  /** Whether the caller was given the gateway's own tools while no others were known. */
  gaveOwnTools(caller: Caller, { project, narrowing }: EndpointView): boolean {
    return this.#exposures.lastGiven(listReader(caller, project.id), narrowing) === 'meta-tools'
  }

  /** The mode that is remembered for a caller. */
  lastGivenTo(caller: Lister): DecidedExposure | undefined {
    return this.#exposures.lastGiven(listReader(caller, caller.endpoint.projectId))
  }

  sessionClosed(sessionId: string): void {
    this.#exposures.forget(sessionId)
  }

  #exposureOf(
    caller: Lister,
    { project, settings, tools, narrowing }: Pick<EndpointView, 'project' | 'settings' | 'tools' | 'narrowing'>,
  ): ExposureDecision {
    if (caller.endpoint.transparent) return { mode: 'full', reason: 'the endpoint is transparent' }
    if (project.emptied !== undefined) return { mode: 'meta-tools', reason: project.emptied }
    const awaiting = tools.awaited.length === 0 ? {} : { awaiting: { isEmpty: tools.size === 0 } }
    if (settings.exposure !== 'auto') return decideExposure({ settings, tokens: 0, ...awaiting })
    const facts = { tokens: this.#tokens.ofWhole(tools), narrowing, ...awaiting }
    const reader = listReader(caller, project.id)
    const isPast = this.#parts.decided !== undefined
    return isPast ? this.#exposures.preview(reader, settings, facts) : this.#exposures.decide(reader, settings, facts)
  }

  /** Resolved once per endpoint and project, which are replaced and never changed in place. */
  #settingsOf(endpoint: Endpoint, project: Project): ResolvedDisclosure {
    const ofProject = this.#settings.get(project) ?? new WeakMap<Endpoint, ResolvedDisclosure>()
    this.#settings.set(project, ofProject)
    const known = ofProject.get(endpoint) ?? resolveSettings(endpoint.disclosure, project.disclosure)
    ofProject.set(endpoint, known)
    return known
  }

  /** One object per combination, because tables are cached by it. */
  #rulesOf({ separator }: Dialect, { dropPrefix }: ResolvedDisclosure): NamingRules {
    const key = `${separator}${dropPrefix}`
    const known = this.#rules.get(key) ?? { separator, dropPrefix, reserved: RESERVED_TOOL_NAMES }
    this.#rules.set(key, known)
    return known
  }
}

/** The reader of a list, for exposure. */
export function listReader(caller: Lister, projectId: string): ListReader {
  const [clientName, clientVersion] = [caller.clientInfo?.['name'], caller.clientInfo?.['version']]
  return {
    endpointId: caller.endpoint.id,
    projectId,
    tokenId: caller.principal.tokenId,
    ...(caller.sessionId !== undefined && { sessionId: caller.sessionId }),
    ...(typeof clientName === 'string' && { clientName }),
    ...(typeof clientVersion === 'string' && { clientVersion }),
  }
}
