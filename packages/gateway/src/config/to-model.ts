import type { Config, EndpointConfig, ProjectConfig, ServerConfig, TokenConfig } from '@tooldex/contract'
import { defaultProject } from '../access/projects.ts'
import { hashToken } from '../access/tokens.ts'
import { strictestTrust } from '../access/trust-policy.ts'
import {
  translateEndpoint,
  translateProject,
  translateToolDefer,
  translateToolSearch,
} from '../exposure/compatibility-settings.ts'
import { canonicalText } from '../model/canonical-json.ts'
import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { TrustMode } from '../model/pins.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { ServerAuth, ServerDefinition } from '../model/server.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import { SortedMap } from '../model/sorted-map.ts'
import type { StoredState, StoredToken } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import type { ToolKey } from '../model/tool-key.ts'
import type { MergedConfig } from './merge-config.ts'

/** Additional facts of a merged configuration. */
interface ModelNotes {
  /** Endpoints that are not served, the default one included. */
  readonly closedEndpoints: ReadonlySet<string>
  /** The stored tokens. Those of the configuration are of the file. */
  readonly stored: Pick<StoredState, 'tokens'>
  /** The values that servers lack, by server. */
  readonly missingValues?: ReadonlyMap<string, readonly string[]>
  /** The last model, and what it was made of. */
  readonly before?: ModelBefore | undefined
}

interface ModelBefore {
  readonly model: GatewayModel
  readonly resolved: { readonly config: Config }
  readonly merged: Pick<MergedConfig, 'stored'>
}

const NO_NOTES: ModelNotes = { closedEndpoints: new Set(), stored: { tokens: StoredTokens.of() } }

/**
 * The model of a checked configuration. The default project and endpoint always exist, unless closed. Every part that is as
 * in the last model is the same object: listeners compare parts by identity.
 */
export function toModel(config: Config, notes: ModelNotes = NO_NOTES): GatewayModel {
  const { closedEndpoints, stored, missingValues, before } = notes
  if (before?.resolved.config === config) {
    // Most changes are of tokens alone.
    const tokens = tokensOf(config, stored.tokens, before)
    return tokens === before.model.tokens ? before.model : Object.freeze({ ...before.model, tokens })
  }
  const entries = Object.entries(serversIn(config))
  const old = before?.model
  const oldServers = new Map(Object.entries(before === undefined ? {} : serversIn(before.resolved.config)))
  const definitions = new Map(old?.servers.map((server) => [server.id, server]))
  const isSame = (id: string, server: ServerConfig): boolean =>
    oldServers.get(id) === server && missingValues?.has(id) !== true
  const servers = sameList(
    old?.servers,
    entries.map(([id, server]) => {
      const known = definitions.get(id)
      if (known !== undefined && known.missingValues === undefined && isSame(id, server)) return known
      return sameValue(known, withMissing(serverDefinition(id, server), missingValues?.get(id)))
    }),
  )
  const permissions = entries.map(([id, server]) => {
    const known = old?.serverTools.get(id)
    if (known !== undefined && isSame(id, server)) return [id, known] as const
    return [id, sameValue(known, withoutPrototype(server.toolPermissions ?? {}))] as const
  })
  const projects = projectsOf(config, servers, before)
  const accepted = sameMap(
    old?.acceptedFindings,
    entries.flatMap(([id, { acceptedFindings = [] }]) =>
      acceptedFindings.length === 0 ? [] : [[id, sameValue(old?.acceptedFindings?.get(id), acceptedFindings)] as const],
    ),
  )
  const model = {
    servers,
    serverTools: sameMap(old?.serverTools, permissions),
    ...(accepted.size > 0 && { acceptedFindings: accepted }),
    trust: sameMap(old?.trust, trustOf(config, entries, projects)),
    projects,
    endpoints: sameMap(
      old?.endpoints,
      endpointsOf(config, before).filter(([id]) => !closedEndpoints.has(id)),
    ),
    tokens: tokensOf(config, stored.tokens, before),
  }
  return old !== undefined && sameParts(old, model) ? old : Object.freeze(model)
}

const serversIn = ({ mcpServers, servers }: Config): Readonly<Record<string, ServerConfig>> =>
  mcpServers ?? servers ?? {}

/** Whether two models have the same parts. */
function sameParts(one: GatewayModel, other: GatewayModel): boolean {
  const parts: readonly (keyof GatewayModel)[] = [
    ...(['servers', 'serverTools', 'trust'] as const),
    ...(['acceptedFindings', 'projects', 'endpoints', 'tokens'] as const),
  ]
  return parts.every((part) => one[part] === other[part])
}

/** The value from before if it is equal, else the new one, frozen. */
function sameValue<Value>(before: Value | undefined, now: Value): Value {
  return before !== undefined && canonicalText(before) === canonicalText(now) ? before : deepFreeze(now)
}

function sameList<Entry>(before: readonly Entry[] | undefined, now: readonly Entry[]): readonly Entry[] {
  const isSame = before?.length === now.length && now.every((entry, at) => entry === before[at])
  return isSame ? before : Object.freeze(now)
}

/** The map from before if it has the same values in the same order, else a new one. */
function sameMap<Value>(
  before: ReadonlyMap<string, Value> | undefined,
  now: readonly (readonly [string, Value])[],
): ReadonlyMap<string, Value> {
  if (before === undefined || before.size !== now.length) return new Map(now)
  const old = [...before]
  return now.every(([id, value], at) => old[at]?.[0] === id && old[at][1] === value) ? before : new Map(now)
}

/** A project makes its servers stricter, because a definition is served to all projects or to none. */
function trustOf(
  config: Config,
  servers: readonly (readonly [string, ServerConfig])[],
  projects: ReadonlyMap<string, Project>,
): (readonly [string, TrustMode])[] {
  const configured = new Map(Object.entries(config.projects))
  const ofProjects = new Map<string, (TrustMode | undefined)[]>()
  for (const { id, serverIds } of projects.values()) {
    const trust = configured.get(id)?.trust
    if (trust === undefined) continue
    for (const serverId of serverIds) ofProjects.set(serverId, [...(ofProjects.get(serverId) ?? []), trust])
  }
  return servers.map(([id, { trust }]) => [id, strictestTrust([config.trust, trust, ...(ofProjects.get(id) ?? [])])])
}

function projectsOf(
  config: Config,
  servers: readonly ServerDefinition[],
  before: ModelBefore | undefined,
): ReadonlyMap<string, Project> {
  const old = before?.model.projects
  const given = new Map(Object.entries(before?.resolved.config.projects ?? {}))
  const named = Object.entries(config.projects).map(([id, project]) => {
    const known = old?.get(id)
    // The default project also depends on the others.
    const isSame = known !== undefined && id !== DEFAULT_PROJECT && given.get(id) === project
    return isSame ? known : projectOf(id, project)
  })
  const fallback = defaultProject(servers, named)
  const own = new Map(Object.entries(config.projects)).get(DEFAULT_PROJECT)
  const completed = named.map((project) => {
    if (project.id !== DEFAULT_PROJECT) return project
    const { serverIds } = own?.servers === undefined ? fallback : project
    return { ...project, serverIds, name: own?.name ?? fallback.name }
  })
  const all = own === undefined ? [fallback, ...completed] : completed
  const [toolSearch] = (config.middleware?.proxy ?? []).map(toolSearchDisclosure)
  return sameMap(
    old,
    all.map((project) => {
      const isSearched = toolSearch !== undefined && project.id === DEFAULT_PROJECT
      const made = isSearched ? { ...project, disclosure: { ...toolSearch, ...project.disclosure } } : project
      const known = old?.get(project.id)
      return [project.id, made === known ? known : sameValue(known, made)]
    }),
  )
}

/** The principals by the hash of their secret. Stored tokens depend on no other entry. */
function tokensOf(
  { tokens }: Config,
  stored: StoredTokens,
  before: ModelBefore | undefined,
): ReadonlyMap<string, Principal> {
  const old = before?.model.tokens
  const ofFile = tokens.map((token): [string, Principal] => [
    tokenHash(token),
    sameValue(old?.get(tokenHash(token)), principalOf(token)),
  ])
  if (before === undefined || !(old instanceof SortedMap)) {
    const others = Array.from(stored).filter(({ kind }) => kind !== 'client')
    const notClients = others.map(({ hash }): [string, undefined] => [hash, undefined])
    // Most of many tokens are not used soon.
    return stored.byHash(storedPrincipal).with([...notClients, ...ofFile])
  }
  const changes = new Map<string, Principal | undefined>()
  const isKept = new Set(ofFile.map(([hash]) => hash))
  for (const token of before.resolved.config.tokens) {
    if (!isKept.has(tokenHash(token))) changes.set(tokenHash(token), undefined)
  }
  const changed = [...stored.changedSince(before.merged.stored.tokens)]
  for (const id of changed) {
    const hash = before.merged.stored.tokens.get(id)?.hash
    if (hash !== undefined) changes.set(hash, undefined)
  }
  for (const token of changed.flatMap((id) => stored.get(id) ?? [])) {
    if (token.kind === 'client') changes.set(token.hash, sameValue(old.get(token.hash), storedPrincipal(token)))
  }
  for (const [hash, principal] of ofFile) changes.set(hash, principal)
  const different = [...changes].filter(([hash, principal]) => old.get(hash) !== principal)
  return different.length === 0 ? old : (old as SortedMap<Principal>).with(different)
}

function projectOf(id: string, project: ProjectConfig): Project {
  const tools = Object.entries(project.tools ?? {}).map(([key, { defer_loading, ...tool }]) => {
    const deferLoading = translateToolDefer(defer_loading)
    // The keys of this record were checked to be tool keys.
    return [key as ToolKey, { ...tool, ...(deferLoading !== undefined && { deferLoading }) } as ProjectTool] as const
  })
  return {
    id,
    name: project.name ?? id,
    serverIds: project.servers ?? [],
    tools: new Map(tools),
    ...(project.allow !== undefined && { allow: project.allow }),
    disclosure: projectDisclosure(project),
  }
}

function endpointsOf(config: Config, before: ModelBefore | undefined): (readonly [string, Endpoint])[] {
  const given = new Map(Object.entries(before?.resolved.config.endpoints ?? {}))
  const endpoints = Object.entries(config.endpoints).map(([id, endpoint]) => {
    const known = before?.model.endpoints.get(id)
    return known !== undefined && given.get(id) === endpoint ? known : sameValue(known, endpointOf(id, endpoint))
  })
  const hasDefault = endpoints.some(({ id }) => id === DEFAULT_ENDPOINT)
  const known = before?.model.endpoints.get(DEFAULT_ENDPOINT)
  const all = hasDefault ? endpoints : [sameValue(known, endpointOf(DEFAULT_ENDPOINT)), ...endpoints]
  return all.map((endpoint) => [endpoint.id, endpoint])
}

function endpointOf(id: string, endpoint?: EndpointConfig): Endpoint {
  return {
    id,
    projectId: endpoint?.project ?? DEFAULT_PROJECT,
    disclosure: endpoint === undefined ? {} : endpointDisclosure(endpoint),
    auth: endpoint?.auth ?? 'token',
    transparent: endpoint?.transparent ?? false,
  }
}

/** In a file the name is the id: it is unique, and readable in audit entries. */
function principalOf({ name, expires, ...rights }: TokenConfig): Principal {
  return withRights(name, { name, ...rights, ...(expires !== undefined && { expiresAt: Date.parse(expires) }) })
}

/** The principal of a stored token. */
function storedPrincipal(token: StoredToken): Principal {
  return deepFreeze(withRights(token.id, token))
}

type Rights = Pick<StoredToken, 'name' | 'readOnly' | 'expiresAt'> & {
  readonly [Part in 'projects' | 'servers' | 'tools']?: readonly string[] | undefined
}

function withRights(tokenId: string, { name, projects, servers, tools, readOnly, expiresAt }: Rights): Principal {
  return {
    tokenId,
    name,
    ...(projects !== undefined && { projects: new Set(projects) }),
    ...(servers !== undefined && { servers: new Set(servers) }),
    ...(tools !== undefined && { tools: new Set(tools) }),
    readOnly,
    ...(expiresAt !== undefined && { expiresAt }),
  }
}

function tokenHash({ sha256, value }: TokenConfig): string {
  return sha256?.toLowerCase() ?? hashToken(value ?? '')
}

/** Servers choose tool names: `constructor` must not be found on the prototype. */
function withoutPrototype(permissions: Record<string, boolean>): Record<string, boolean> {
  return Object.assign(Object.create(null) as Record<string, boolean>, permissions)
}

/** The definition of a server from its checked configuration. */
export function serverDefinition(id: string, server: ServerConfig): ServerDefinition {
  return {
    id,
    name: server.name ?? id,
    ...(server.description !== undefined && { description: server.description }),
    transport: transportOf(server),
    enabled: server.enabled ?? server.disabled !== true,
    start: server.start,
    limits: { ...server.limits, maxConcurrentCalls: server.limits.maxConcurrentCalls ?? concurrentCalls(server) },
    instances: server.instances,
    ...(server.placement === 'one' && { placement: server.placement }),
    roots: server.roots,
    era: server.era,
  }
}

/** A program answers from one process; what is behind a URL is made for many callers. */
function concurrentCalls({ url }: ServerConfig): number {
  return url === undefined ? 64 : 512
}

/** A server that lacks a value is disabled until it has one: a half-filled text must reach no program and no address. */
function withMissing(server: ServerDefinition, missingValues: readonly string[] | undefined): ServerDefinition {
  return missingValues === undefined ? server : { ...server, enabled: false, missingValues }
}

function transportOf(server: ServerConfig): ServerDefinition['transport'] {
  if (server.url !== undefined) {
    return {
      kind: server.type === 'sse' ? 'sse' : 'http',
      url: server.url,
      headers: server.headers ?? {},
      ...(server.auth !== undefined && { auth: server.auth as ServerAuth }),
    }
  }
  return {
    kind: 'stdio',
    command: server.command ?? '',
    args: server.args ?? [],
    env: server.env ?? {},
    ...(server.cwd !== undefined && { cwd: server.cwd }),
  }
}

const OWN = [
  ...(['exposure', 'dialect', 'strategy', 'deferLoading', 'maxTools', 'searchThreshold', 'selectionOrder'] as const),
  ...([
    'executeTool',
    'executeVariants',
    'directCalls',
    'dropPrefix',
    'learning',
    'tokenBudget',
    'resultBudget',
    'hiddenCharacters',
    'resultRemarks',
  ] as const),
]
const SHARED_ALIASES = ['optimization', 'maxToolsLimit', 'toolSelectionOrder'] as const
const PROJECT_ALIASES = ['default_defer_loading', 'default_search_method', 'default_tool_visibility'] as const
const ENDPOINT_ALIASES = ['override_defer_loading', 'override_search_method', 'override_tool_visibility'] as const

/** The settings of a project; our own names take precedence over those of other gateways. */
function projectDisclosure(project: ProjectConfig): DisclosureSettings {
  return { ...translateProject(present(project, [...SHARED_ALIASES, ...PROJECT_ALIASES])), ...present(project, OWN) }
}

function toolSearchDisclosure({
  enabled,
  config,
}: NonNullable<Config['middleware']>['proxy'][number]): DisclosureSettings {
  const settings = present(config, ['maxToolsLimit', 'searchThreshold', 'toolSelectionOrder'])
  return translateToolSearch({ enabled, config: settings })
}

/** The overrides of an endpoint. */
export function endpointDisclosure(endpoint: EndpointConfig): DisclosureSettings {
  return {
    ...translateEndpoint(present(endpoint, [...SHARED_ALIASES, ...ENDPOINT_ALIASES])),
    ...present(endpoint, OWN),
  }
}

type Present<Source, Key extends keyof Source> = { [Each in Key]?: Exclude<Source[Each], undefined> }

/** The named settings without undefined ones: an absent setting is inherited. */
function present<Source extends object, Key extends keyof Source>(
  source: Source,
  keys: readonly Key[],
): Present<Source, Key> {
  const entries = keys.filter((key) => source[key] !== undefined).map((key) => [key, source[key]] as const)
  return Object.fromEntries(entries) as Present<Source, Key>
}

/** Freezes a value recursively. Maps and sets themselves are not frozen, but their values are. */
function deepFreeze<Value>(value: Value): Value {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  if (value instanceof Map || value instanceof Set) {
    for (const entry of value.values()) deepFreeze(entry)
    return value
  }
  Object.freeze(value)
  for (const entry of Object.values(value)) deepFreeze(entry)
  return value
}
