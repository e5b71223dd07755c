import type { EndpointConfig, ProjectConfig, ServerConfig, TokenConfig } from '@tooldex/contract'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'

type Entries<Config> = readonly (readonly [id: string, config: Config])[]

/** Stored entries without what they name and what is not there. Less is left, never more. */
export interface NarrowedEntries {
  readonly servers: Entries<ServerConfig>
  readonly projects: Entries<ProjectConfig>
  readonly endpoints: Entries<EndpointConfig>
  readonly tokens: readonly TokenConfig[]
  /** Endpoints that cannot be served: their project is gone, or they no longer fit. */
  readonly closedEndpoints: ReadonlySet<string>
  /** What was left out and why, as sentences. */
  readonly leftOut: readonly string[]
}

/** What there is beside the stored entries, and which endpoints do not fit. */
export interface NarrowingScope {
  readonly servers: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
  readonly brokenEndpoints: ReadonlySet<string>
}

/** Leaves out what stored entries name and what neither they nor a file have. */
export function narrowStored(stored: StoredState, { brokenEndpoints, ...declared }: NarrowingScope): NarrowedEntries {
  const servers = new Set([...declared.servers, ...stored.servers.map(({ id }) => id)])
  const projects = new Set(['default', ...declared.projects, ...stored.projects.map(({ id }) => id)])
  const leftOut: string[] = []
  const known = (names: readonly string[], what: 'server' | 'project', of: string): string[] =>
    names.filter((name) => {
      const isThere = (what === 'server' ? servers : projects).has(name)
      if (!isThere) leftOut.push(`the stored ${of} names the ${what} ${JSON.stringify(name)}, which is gone`)
      return isThere
    })
  const isServed = ({ id, config }: StoredEndpoint): boolean =>
    !brokenEndpoints.has(id) && known([config.project], 'project', `endpoint ${id}`).length > 0
  const startable = (server: StoredServer) => withReadableSecrets(server, (sentence) => leftOut.push(sentence))
  leftOut.push(...[...brokenEndpoints].map((id) => `the stored endpoint ${id} no longer fits its project or address`))
  const served = stored.endpoints.filter(isServed)
  return {
    servers: stored.servers.map((server) => [server.id, startable(server)]),
    projects: stored.projects.map((project) => [project.id, narrowProject(project, servers, known)]),
    endpoints: served.map(({ id, config }) => [id, config]),
    tokens: clientTokens(stored).map((token) => narrowToken(token, known)),
    closedEndpoints: new Set(stored.endpoints.filter((each) => !served.includes(each)).map(({ id }) => id)),
    leftOut,
  }
}

/** Admin tokens open the admin API and nothing that a model is about. */
export function clientTokens({ tokens }: StoredState): readonly StoredToken[] {
  return tokens.filter(({ kind }) => kind === 'client')
}

type Known = (names: readonly string[], what: 'server' | 'project', of: string) => string[]

function narrowProject({ id, config }: StoredProject, servers: ReadonlySet<string>, known: Known): ProjectConfig {
  const own = config.servers === undefined ? undefined : known(config.servers, 'server', `project ${id}`)
  const within = own === undefined ? servers : new Set(own)
  const tools = Object.entries(config.tools ?? {}).filter(([tool]) => within.has(tool.slice(0, tool.indexOf(':'))))
  return {
    ...config,
    ...(own !== undefined && { servers: own }),
    ...(config.tools !== undefined && { tools: Object.fromEntries(tools) }),
  }
}

/** A scope of nothing stays a scope: absent would mean all. */
function narrowToken({ name, hash, readOnly, expiresAt, projects, servers }: StoredToken, known: Known): TokenConfig {
  return {
    name,
    sha256: hash,
    readOnly,
    ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
    ...(projects !== undefined && { projects: known(projects, 'project', `token ${name}`) }),
    ...(servers !== undefined && { servers: known(servers, 'server', `token ${name}`) }),
  }
}

/** Started without its secrets, a server might do other things than was decided. */
function withReadableSecrets(
  { id, config, unreadableSecrets = [] }: StoredServer,
  tell: (sentence: string) => void,
): ServerConfig {
  if (unreadableSecrets.length === 0) return config
  tell(`the stored server ${id} cannot be used: no key at hand reads its secrets (tooldex doctor says more)`)
  const { disabled: _, ...rest } = config
  return { ...rest, enabled: false }
}
