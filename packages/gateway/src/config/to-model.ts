import type { Config, EndpointConfig, ProjectConfig, TokenConfig } from '@tooldex/contract'
import type { Endpoint } from '../model/endpoint.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT, type GatewayModel } from '../model/gateway-model.ts'
import type { Principal } from '../model/principal.ts'
import type { Project, ProjectTool } from '../model/project.ts'
import { defaultProject } from '../access/projects.ts'
import { hashToken } from '../access/tokens.ts'
import type { ToolKey } from '../model/tool-key.ts'
import { fromSeedToolDefer } from '../exposure/seed-settings.ts'
import type { ServerDefinition } from '../model/server.ts'
import { deepFreeze } from './deep-freeze.ts'
import { endpointDisclosure, projectDisclosure } from './disclosure.ts'
import { serverDefinition } from './server-definition.ts'

/** What a configuration of several sources says beside its text. */
export interface ModelNotes {
  /** Endpoints that are not served, not even in the way of the default one. */
  readonly closedEndpoints: ReadonlySet<string>
  /** Ids of tokens by name, where the name is not the id. */
  readonly tokenIds: ReadonlyMap<string, string>
}

const NO_NOTES: ModelNotes = { closedEndpoints: new Set(), tokenIds: new Map() }

/** The model that a checked configuration describes. The default project and endpoint always exist, unless closed. */
export function toModel(config: Config, { closedEndpoints, tokenIds }: ModelNotes = NO_NOTES): GatewayModel {
  const entries = Object.entries(config.mcpServers ?? config.servers ?? {})
  const servers = entries.map(([id, server]) => serverDefinition(id, server))
  const permissions = entries.map(([id, { toolPermissions = {} }]) => [id, withoutPrototype(toolPermissions)] as const)
  return deepFreeze({
    servers,
    serverTools: new Map(permissions),
    projects: projectsOf(config, servers),
    endpoints: new Map([...endpointsOf(config)].filter(([id]) => !closedEndpoints.has(id))),
    tokens: new Map(
      config.tokens.map((token) => [tokenHash(token), principalOf(token, tokenIds.get(token.name) ?? token.name)]),
    ),
  })
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
  return new Map(all.map((project) => [project.id, project]))
}

function projectOf(id: string, project: ProjectConfig): Project {
  const tools = Object.entries(project.tools ?? {}).map(([key, { defer_loading, ...tool }]) => {
    const deferLoading = fromSeedToolDefer(defer_loading)
    // Checked: a key of this record is a tool key.
    return [key as ToolKey, { ...tool, ...(deferLoading !== undefined && { deferLoading }) } as ProjectTool] as const
  })
  return {
    id,
    name: project.name ?? id,
    serverIds: project.servers ?? [],
    tools: new Map(tools),
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

/** In a file the name is the id: it is unique, and audit entries stay readable. */
function principalOf({ name, projects, servers, readOnly, expires }: TokenConfig, tokenId: string): Principal {
  return {
    tokenId,
    name,
    ...(projects !== undefined && { projects: new Set(projects) }),
    ...(servers !== undefined && { servers: new Set(servers) }),
    readOnly,
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
  }
}

function tokenHash({ sha256, value }: TokenConfig): string {
  return sha256?.toLowerCase() ?? hashToken(value ?? '')
}

/** Tool names are a server's choice: `constructor` must not be found by accident. */
function withoutPrototype(permissions: Record<string, boolean>): Record<string, boolean> {
  return Object.assign(Object.create(null) as Record<string, boolean>, permissions)
}
