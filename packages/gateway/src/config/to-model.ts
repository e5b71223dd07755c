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
import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { TrustMode } from '../model/pins.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import type { ServerAuth, ServerDefinition } from '../model/server.ts'
import type { DisclosureSettings } from '../model/settings.ts'
import type { ToolKey } from '../model/tool-key.ts'

/** Additional facts of a merged configuration. */
interface ModelNotes {
  /** Endpoints that are not served, the default one included. */
  readonly closedEndpoints: ReadonlySet<string>
  /** Ids of tokens by name, if the name is not the id. */
  readonly tokenIds: ReadonlyMap<string, string>
  /** The values that servers lack, by server. */
  readonly missingValues?: ReadonlyMap<string, readonly string[]>
}

const NO_NOTES: ModelNotes = { closedEndpoints: new Set(), tokenIds: new Map() }

/** The model of a checked configuration. The default project and endpoint always exist, unless closed. */
export function toModel(config: Config, notes: ModelNotes = NO_NOTES): GatewayModel {
  const entries = Object.entries(config.mcpServers ?? config.servers ?? {})
  const { closedEndpoints, tokenIds, missingValues } = notes
  const servers = entries.map(([id, server]) => withMissing(serverDefinition(id, server), missingValues?.get(id)))
  const permissions = entries.map(([id, { toolPermissions = {} }]) => [id, withoutPrototype(toolPermissions)] as const)
  const projects = projectsOf(config, servers)
  const accepted = entries.flatMap(([id, { acceptedFindings = [] }]) =>
    acceptedFindings.length === 0 ? [] : [[id, acceptedFindings] as const],
  )
  return deepFreeze({
    servers,
    serverTools: new Map(permissions),
    ...(accepted.length > 0 && { acceptedFindings: new Map(accepted) }),
    trust: trustOf(config, entries, projects),
    projects,
    endpoints: new Map([...endpointsOf(config)].filter(([id]) => !closedEndpoints.has(id))),
    tokens: new Map(
      config.tokens.map((token) => [tokenHash(token), principalOf(token, tokenIds.get(token.name) ?? token.name)]),
    ),
  })
}

/** A project makes its servers stricter, because a definition is served to all projects or to none. */
function trustOf(
  config: Config,
  servers: readonly (readonly [string, ServerConfig])[],
  projects: ReadonlyMap<string, Project>,
): Map<string, TrustMode> {
  return new Map(
    servers.map(([id, { trust }]) => {
      const having = [...projects.values()].filter(({ serverIds }) => serverIds.includes(id))
      return [id, strictestTrust([config.trust, trust, ...having.map((each) => config.projects[each.id]?.trust)])]
    }),
  )
}

function projectsOf(config: Config, servers: readonly ServerDefinition[]): Map<string, Project> {
  const named = Object.entries(config.projects).map(([id, project]) => projectOf(id, project))
  const fallback = defaultProject(servers, named)
  const own = config.projects[DEFAULT_PROJECT]
  const completed = named.map((project) => {
    if (project.id !== DEFAULT_PROJECT) return project
    const { serverIds } = own?.servers === undefined ? fallback : project
    return { ...project, serverIds, name: own?.name ?? fallback.name }
  })
  const all = own === undefined ? [fallback, ...completed] : completed
  const [toolSearch] = (config.middleware?.proxy ?? []).map(toolSearchDisclosure)
  return new Map(
    all.map((project) => {
      const isSearched = toolSearch !== undefined && project.id === DEFAULT_PROJECT
      return [project.id, isSearched ? { ...project, disclosure: { ...toolSearch, ...project.disclosure } } : project]
    }),
  )
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

function endpointsOf(config: Config): Map<string, Endpoint> {
  const endpoints = Object.entries(config.endpoints).map(([id, endpoint]) => endpointOf(id, endpoint))
  const hasDefault = endpoints.some(({ id }) => id === DEFAULT_ENDPOINT)
  const all = hasDefault ? endpoints : [endpointOf(DEFAULT_ENDPOINT), ...endpoints]
  return new Map(all.map((endpoint) => [endpoint.id, endpoint]))
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
function principalOf({ name, projects, servers, tools, readOnly, expires }: TokenConfig, tokenId: string): Principal {
  return {
    tokenId,
    name,
    ...(projects !== undefined && { projects: new Set(projects) }),
    ...(servers !== undefined && { servers: new Set(servers) }),
    ...(tools !== undefined && { tools: new Set(tools) }),
    readOnly,
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
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
    limits: server.limits,
    instances: server.instances,
    roots: server.roots,
    era: server.era,
  }
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
