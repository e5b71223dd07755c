import {
  checkConfig,
  type Config,
  type ConfigProblem,
  type EndpointConfig,
  type ProjectConfig,
  type ServerConfig,
  type TokenConfig,
} from '@tooldex/contract'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { hashToken } from '../access/tokens.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState, StoredToken } from '../model/stored-state.ts'

/** The kinds of entries that file and store can both have. */
type Part = 'server' | 'project' | 'endpoint' | 'token'

/** Declared and stored entries as one checked configuration. */
export interface MergedConfig {
  readonly config: Config
  /** Stored endpoints that cannot be served. They must not fall back to another project. */
  readonly closedEndpoints: ReadonlySet<string>
  /** The ids of stored tokens, by name. Tokens of a file have their name as id. */
  readonly tokenIds: ReadonlyMap<string, string>
  /** Missing references of stored entries, as sentences. */
  readonly leftOut: readonly string[]
}

/** A configuration, or its problems. */
type MergeOutcome =
  | { readonly merged: MergedConfig; readonly problems: readonly [] }
  | { readonly merged?: undefined; readonly problems: readonly ConfigProblem[] }

/** The stored setting that replaces `trust` of the file. */
export const TRUST_SETTING = 'trust'

/** The state of an empty store. */
export const NOTHING_STORED: StoredState = Object.freeze({
  revision: 0,
  servers: [],
  projects: [],
  endpoints: [],
  tokens: [],
  settings: new Map(),
})

/**
 * Merges stored entries with those of a file, the file first, and checks the result. Missing references of stored entries
 * are left out, which only ever reduces access; an entry in both is a problem.
 * @param declared the unchecked content of the file
 */
export function mergeConfig(declared: unknown, stored: StoredState): MergeOutcome {
  const clashes = clashesOf(declared, stored)
  if (clashes.length > 0) return { problems: [...checkConfig(declared).problems.filter(isNotReference), ...clashes] }
  const whole = mergeWithout(new Set(), declared, stored)
  // A stored endpoint that became invalid (transparent, but its project lost its server) is closed; the rest works on.
  const broken = brokenEndpoints(whole.problems, stored)
  return broken.size === 0 ? whole : mergeWithout(broken, declared, stored)
}

/** The ids that a file declares, by kind. These entries can be changed in the file only. */
export function declaredIds(declared: unknown): Readonly<Record<Part, ReadonlySet<string>>> {
  const top = asRecord(declared)
  const names = asList(top['tokens']).flatMap(({ name }) => (typeof name === 'string' ? [name.trim()] : []))
  return {
    server: new Set(Object.keys(asRecord(top[serversKey(top)]))),
    project: new Set(Object.keys(asRecord(top['projects']))),
    endpoint: new Set(Object.keys(asRecord(top['endpoints']))),
    token: new Set(names),
  }
}

function mergeWithout(brokenEndpoints: ReadonlySet<string>, declared: unknown, stored: StoredState): MergeOutcome {
  const ids = declaredIds(declared)
  const narrowed = narrowStored(stored, { servers: ids.server, projects: ids.project, brokenEndpoints })
  const trust = stored.settings.get(TRUST_SETTING)
  const whole = withStored(declared, narrowed)
  const { config, problems } = checkConfig(trust !== undefined && isRecord(whole) ? { ...whole, trust } : whole)
  if (config === undefined) return { problems }
  const { closedEndpoints, leftOut } = narrowed
  const tokenIds = new Map(clientTokens(stored).map(({ id, name }) => [name, id]))
  return { merged: { config, closedEndpoints, tokenIds, leftOut }, problems: [] }
}

function withStored(declared: unknown, { servers, projects, endpoints, tokens }: NarrowedEntries): unknown {
  if (!isRecord(declared)) return declared
  return {
    ...declared,
    ...added(declared, serversKey(declared), servers),
    ...added(declared, 'projects', projects),
    ...added(declared, 'endpoints', endpoints),
    ...(tokens.length > 0 && { tokens: [...asArray(declared['tokens']), ...tokens] }),
  }
}

/** Adds stored entries to a part of the file. The check reports a part of the wrong shape. */
function added(top: JsonObject, key: string, entries: readonly (readonly [string, unknown])[]): JsonObject {
  const own = top[key] ?? {}
  if (entries.length === 0 || !isRecord(own)) return {}
  return { [key]: Object.fromEntries([...Object.entries(own), ...entries]) }
}

function clashesOf(declared: unknown, stored: StoredState): ConfigProblem[] {
  const ids = declaredIds(declared)
  const top = asRecord(declared)
  const both = (part: Part, key: string, entries: readonly { readonly id: string }[]): ConfigProblem[] =>
    entries
      .filter(({ id }) => ids[part].has(id))
      .map(({ id }) => ({ path: [key, id], message: alsoStored(part, id), isKey: true }))
  return [
    ...both('server', serversKey(top), stored.servers),
    ...both('project', 'projects', stored.projects),
    ...both('endpoint', 'endpoints', stored.endpoints),
    ...tokenClashes(asList(top['tokens']), clientTokens(stored)),
  ]
}

/** Tokens with the name, id or secret of a stored one: audit entries and rights would be ambiguous. */
function tokenClashes(tokens: readonly JsonObject[], stored: readonly StoredToken[]): ConfigProblem[] {
  return tokens.flatMap((token, index) => {
    const plain = typeof token['name'] === 'string' ? token['name'].trim().toLowerCase() : undefined
    const named = stored.find(({ id, name }) => name.toLowerCase() === plain || id.toLowerCase() === plain)
    if (named !== undefined) return [{ path: ['tokens', index, 'name'], message: alsoStored('token', named.name) }]
    const twin = stored.find(({ hash }) => hash === hashOf(token))
    if (twin === undefined) return []
    return [{ path: ['tokens', index], message: `the stored token ${JSON.stringify(twin.name)} has the same secret` }]
  })
}

function hashOf({ sha256, value }: JsonObject): string | undefined {
  if (typeof sha256 === 'string') return sha256.toLowerCase()
  return typeof value === 'string' ? hashToken(value) : undefined
}

function alsoStored(part: Part, id: string): string {
  const command = `tooldex ${part} ${part === 'token' ? 'revoke' : 'remove'} ${id}`
  return `the ${part} ${JSON.stringify(id)} is also stored in the database; remove it here, or there with \`${command}\``
}

/** Whether a problem of the file is not a missing reference, which the store may resolve. */
const isNotReference = ({ message }: ConfigProblem): boolean => !/^there is no (?:server|project) /.test(message)

function brokenEndpoints(problems: readonly ConfigProblem[], { endpoints }: StoredState): ReadonlySet<string> {
  const paths = problems.filter(({ path: [part] }) => part === 'endpoints').map(({ path: [, id] }) => String(id))
  return new Set(endpoints.map(({ id }) => id).filter((id) => paths.includes(id)))
}

function serversKey(top: JsonObject): 'mcpServers' | 'servers' {
  return top['mcpServers'] === undefined && top['servers'] !== undefined ? 'servers' : 'mcpServers'
}

/** The value if it is a JSON object, else an empty one. */
export const asRecord = (value: unknown): Readonly<Record<string, unknown>> => (isRecord(value) ? value : {})
const asArray = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const asList = (value: unknown): readonly JsonObject[] => asArray(value).map(asRecord)

type Entries<Config> = readonly (readonly [id: string, config: Config])[]

/** Stored entries without missing references. */
interface NarrowedEntries {
  readonly servers: Entries<ServerConfig>
  readonly projects: Entries<ProjectConfig>
  readonly endpoints: Entries<EndpointConfig>
  readonly tokens: readonly TokenConfig[]
  /** Endpoints that cannot be served: their project is missing, or they became invalid. */
  readonly closedEndpoints: ReadonlySet<string>
  /** The references that were left out, as sentences. */
  readonly leftOut: readonly string[]
}

/** The declared entries, and the endpoints that became invalid. */
interface NarrowingScope {
  readonly servers: ReadonlySet<string>
  readonly projects: ReadonlySet<string>
  readonly brokenEndpoints: ReadonlySet<string>
}

/** Removes references of stored entries to entries that neither file nor store have. */
function narrowStored(stored: StoredState, { brokenEndpoints, ...declared }: NarrowingScope): NarrowedEntries {
  const servers = new Set([...declared.servers, ...stored.servers.map(({ id }) => id)])
  const projects = new Set(['default', ...declared.projects, ...stored.projects.map(({ id }) => id)])
  const leftOut: string[] = []
  const known = (names: readonly string[], what: 'server' | 'project', of: string): string[] =>
    names.filter((name) => {
      const isThere = (what === 'server' ? servers : projects).has(name)
      if (!isThere) leftOut.push(`the stored ${of} refers to the missing ${what} ${JSON.stringify(name)}`)
      return isThere
    })
  const isServed = ({ id, config }: StoredEndpoint): boolean =>
    !brokenEndpoints.has(id) && known([config.project], 'project', `endpoint ${id}`).length > 0
  leftOut.push(
    ...[...brokenEndpoints].map((id) => `the stored endpoint ${id} is no longer valid for its project or address`),
  )
  const served = stored.endpoints.filter(isServed)
  return {
    servers: stored.servers.map((server) => [server.id, withReadableSecrets(server)]),
    projects: stored.projects.map((project) => [project.id, narrowProject(project, servers, known)]),
    endpoints: served.map(({ id, config }) => [id, config]),
    tokens: clientTokens(stored).map((token) => narrowToken(token, known, (id) => servers.has(id))),
    closedEndpoints: new Set(stored.endpoints.filter((each) => !served.includes(each)).map(({ id }) => id)),
    leftOut,
  }
}

/** The client tokens. Admin tokens are not part of the model. */
function clientTokens({ tokens }: StoredState): readonly StoredToken[] {
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

/** An empty scope stays empty: an absent one would mean all. */
function narrowToken(token: StoredToken, known: Known, isKnown: (serverId: string) => boolean): TokenConfig {
  const { name, hash, readOnly, expiresAt, projects, servers, tools } = token
  return {
    name,
    sha256: hash,
    readOnly,
    ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
    ...(projects !== undefined && { projects: known(projects, 'project', `token ${name}`) }),
    ...(servers !== undefined && { servers: known(servers, 'server', `token ${name}`) }),
    ...(tools !== undefined && { tools: tools.filter((key) => isKnown(key.slice(0, key.indexOf(':')))) }),
  }
}

/** Disables a server with unreadable secrets: without them it might behave differently. The store reports them. */
function withReadableSecrets({ config, unreadableSecrets = [] }: StoredServer): ServerConfig {
  if (unreadableSecrets.length === 0) return config
  const { disabled: _, ...rest } = config
  return { ...rest, enabled: false }
}
