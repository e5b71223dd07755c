import {
  checkConfig,
  type Config,
  type ConfigProblem,
  type EndpointConfig,
  type ProjectConfig,
  type ServerConfig,
} from '@tooldex/contract'
import { isRecord, type JsonObject } from '@tooldex/http-kit/json'
import { hashToken } from '../access/tokens.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredState } from '../model/stored-state.ts'
import { StoredTokens } from '../model/stored-tokens.ts'
import { toolKeyParts } from '../model/tool-key.ts'
import { touchedSince, type TouchedEntries } from './touched-entries.ts'

/** The kinds of entries that file and store can both have. */
type Part = 'server' | 'project' | 'endpoint' | 'token'

/** Declared and stored entries as one checked configuration. Entries that did not change are the same objects as before. */
export interface MergedConfig {
  /** Its tokens are those of the file. */
  readonly config: Config
  /** What was merged. Stored tokens are taken from here: they depend on no other entry. */
  readonly declared: unknown
  readonly stored: StoredState
  /** Stored endpoints that cannot be served. They must not fall back to another project. */
  readonly closedEndpoints: ReadonlySet<string>
  /** Missing references of stored entries that were merged anew, as sentences. */
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
  tokens: StoredTokens.of(),
  settings: new Map(),
})

/**
 * Merges stored entries with those of a file, the file first, and checks the result. Missing references of stored entries
 * are left out, which only ever reduces access; an entry in both is a problem.
 * @param declared the unchecked content of the file
 * @param before the last result: while the file is the same, only stored entries that a change touched are merged and checked
 */
export function mergeConfig(declared: unknown, stored: StoredState, before?: MergedConfig): MergeOutcome {
  const clashes = clashesOf(declared, stored)
  if (clashes.length > 0) return { problems: [...checkConfig(declared).problems.filter(isNotReference), ...clashes] }
  const last = before?.declared === declared ? before : undefined
  if (last !== undefined && hasSameEntries(last.stored, stored))
    return { merged: { ...last, stored, leftOut: [] }, problems: [] }
  const part = last && touchedPart(last, stored)
  const whole = mergeWithout(new Set(), declared, stored, part)
  // A stored endpoint that became invalid (transparent, but its project lost its server) is closed; the rest works on.
  const broken = brokenEndpoints(whole.problems, stored)
  return broken.size === 0 ? whole : mergeWithout(broken, declared, stored, part)
}

/** Whether two states differ in their tokens at most. */
function hasSameEntries(one: StoredState, other: StoredState): boolean {
  const trusts = [one, other].map(({ settings }) => settings.get(TRUST_SETTING))
  return (
    one.servers === other.servers &&
    one.projects === other.projects &&
    one.endpoints === other.endpoints &&
    trusts[0] === trusts[1]
  )
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

/** The last result, and the entries that were touched since. */
interface TouchedPart {
  readonly before: MergedConfig
  readonly touched: TouchedEntries
}

/** The entries that a state touches, beside the last result. */
export function touchedPart(before: MergedConfig, stored: StoredState): TouchedPart {
  return { before, touched: touchedSince(before.stored, stored) }
}

function mergeWithout(
  brokenEndpoints: ReadonlySet<string>,
  declared: unknown,
  stored: StoredState,
  part: TouchedPart | undefined,
): MergeOutcome {
  const ids = declaredIds(declared)
  const scope = { servers: ids.server, projects: ids.project, brokenEndpoints, touched: part?.touched }
  const narrowed = narrowStored(stored, scope)
  const whole = withStored(fileEntries(declared, part), narrowed)
  const trust = stored.settings.get(TRUST_SETTING)
  const value = trust !== undefined && isRecord(whole) ? { ...whole, trust } : whole
  const { config, problems } = checkConfig(value, part && untouchedEntries(part))
  if (config === undefined) return { problems }
  const { closedEndpoints, leftOut } = narrowed
  const merged = part === undefined ? config : withUntouched(config, stored, part)
  const stillClosed = [...(part?.before.closedEndpoints ?? [])].filter(
    (id) => part?.touched.endpoints.has(id) === false,
  )
  const closed = new Set([...stillClosed, ...closedEndpoints])
  return { merged: { config: merged, declared, stored, closedEndpoints: closed, leftOut }, problems: [] }
}

/** File and stored entries as one value, nothing left out; of a part, the touched entries and the valid ones beside them. */
export function valueOf(
  declared: unknown,
  { servers, projects, endpoints }: StoredState,
  part: TouchedPart | undefined,
): {
  readonly value: Readonly<Record<string, unknown>>
  readonly valid?: ReturnType<typeof untouchedEntries> | undefined
} {
  const some = <Content>(
    entries: readonly { readonly id: string; readonly config: Content }[],
    ids: ReadonlySet<string> | undefined,
  ): Entries<Content> => entries.filter(({ id }) => ids?.has(id) ?? true).map(({ id, config }) => [id, config])
  const value = withStored(asRecord(fileEntries(declared, part)), {
    servers: some(servers, part?.touched.servers),
    projects: some(projects, part?.touched.projects),
    endpoints: some(endpoints, part?.touched.endpoints),
  })
  return { value: asRecord(value), valid: part && untouchedEntries(part) }
}

/** The content of the file. Its entries need a new check only if what they refer to may be gone. */
function fileEntries(declared: unknown, part: TouchedPart | undefined): unknown {
  if (part?.touched.mayBreakReferences !== false || !isRecord(declared)) return declared
  const parts = new Set(['mcpServers', 'servers', 'projects', 'endpoints', 'tokens'])
  const rest = Object.entries(declared).filter(([key]) => !parts.has(key))
  return { ...Object.fromEntries(rest), [serversKey(declared)]: {} }
}

/** The entries that are valid as they are. Touched ones may refer to them. */
function untouchedEntries({ before: { config }, touched }: TouchedPart) {
  const kept = (entries: Readonly<Record<string, object>>, changed: ReadonlySet<string>) =>
    new Map(Object.entries(entries).filter(([id]) => !changed.has(id)))
  return {
    servers: kept(serversOf(config), touched.servers),
    projects: kept(config.projects, touched.projects),
  }
}

/** The checked part of a configuration with the entries that were not touched, in the order of file and store. */
function withUntouched(part: Config, stored: StoredState, { before, touched }: TouchedPart): Config {
  const ids = declaredIds(before.declared)
  const all = <Entry>(
    now: Readonly<Record<string, Entry>>,
    old: Readonly<Record<string, Entry>>,
    order: readonly string[],
    changed: ReadonlySet<string>,
  ): Record<string, Entry> => {
    const [fresh, kept] = [new Map(Object.entries(now)), new Map(Object.entries(old))]
    const entries = order.map((id) => [id, (changed.has(id) ? fresh : kept).get(id)] as const)
    return Object.fromEntries(entries.filter((entry): entry is [string, Entry & {}] => entry[1] !== undefined))
  }
  const inOrder = (declared: ReadonlySet<string>, entries: readonly { readonly id: string }[]): readonly string[] => [
    ...declared,
    ...entries.map(({ id }) => id),
  ]
  const order = inOrder(ids.server, stored.servers)
  return {
    ...part,
    [serversKey(asRecord(before.declared))]: all(serversOf(part), serversOf(before.config), order, touched.servers),
    projects: all(part.projects, before.config.projects, inOrder(ids.project, stored.projects), touched.projects),
    endpoints: all(part.endpoints, before.config.endpoints, inOrder(ids.endpoint, stored.endpoints), touched.endpoints),
    tokens: before.config.tokens,
  }
}

const serversOf = ({ mcpServers, servers }: Config): Readonly<Record<string, ServerConfig>> =>
  mcpServers ?? servers ?? {}

function withStored(
  declared: unknown,
  { servers, projects, endpoints }: Pick<NarrowedEntries, 'servers' | 'projects' | 'endpoints'>,
): unknown {
  if (!isRecord(declared)) return declared
  return {
    ...declared,
    ...added(declared, serversKey(declared), servers),
    ...added(declared, 'projects', projects),
    ...added(declared, 'endpoints', endpoints),
  }
}

/** Adds stored entries to a part of the file. The check reports a part of the wrong shape. */
function added(top: JsonObject, key: string, entries: readonly (readonly [string, unknown])[]): JsonObject {
  const own = top[key] ?? {}
  if (entries.length === 0 || !isRecord(own)) return {}
  return { [key]: Object.fromEntries([...Object.entries(own), ...entries]) }
}

/** The entries that are in the file and in the store. */
export function clashesOf(declared: unknown, stored: StoredState): ConfigProblem[] {
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
    ...tokenClashes(asList(top['tokens']), stored.tokens),
  ]
}

/** Tokens with the name, id or secret of a stored one: audit entries and rights would be ambiguous. */
function tokenClashes(tokens: readonly JsonObject[], stored: StoredTokens): ConfigProblem[] {
  return tokens.flatMap((token, index) => {
    const named = typeof token['name'] === 'string' ? stored.named(token['name']) : undefined
    if (named?.kind === 'client') return [{ path: ['tokens', index, 'name'], message: alsoStored('token', named.name) }]
    const twin = stored.withHash(hashOf(token) ?? '')
    if (twin?.kind !== 'client') return []
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
  /** The entries to narrow; all if absent. */
  readonly touched: TouchedEntries | undefined
}

/** Removes references of stored entries to entries that neither file nor store have. */
function narrowStored(stored: StoredState, { brokenEndpoints, touched, ...declared }: NarrowingScope): NarrowedEntries {
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
  const some = <Entry extends { readonly id: string }>(
    entries: readonly Entry[],
    ids: ReadonlySet<string> | undefined,
  ): readonly Entry[] => (ids === undefined ? entries : entries.filter(({ id }) => ids.has(id)))
  const endpoints = some(stored.endpoints, touched?.endpoints)
  const served = new Set(endpoints.filter(isServed))
  // A token keeps its references to missing entries, because they give it no rights. They are reported with the whole.
  if (touched === undefined) {
    for (const { name, kind, projects: ofProjects = [], servers: ofServers = [] } of stored.tokens) {
      if (kind !== 'client') continue
      known(ofProjects, 'project', `token ${name}`)
      known(ofServers, 'server', `token ${name}`)
    }
  }
  return {
    servers: some(stored.servers, touched?.servers).map((server) => [server.id, withReadableSecrets(server)]),
    projects: some(stored.projects, touched?.projects).map((project) => [
      project.id,
      narrowProject(project, servers, known),
    ]),
    endpoints: [...served].map(({ id, config }) => [id, config]),
    closedEndpoints: new Set(endpoints.filter((each) => !served.has(each)).map(({ id }) => id)),
    leftOut,
  }
}

type Known = (names: readonly string[], what: 'server' | 'project', of: string) => string[]

function narrowProject({ id, config }: StoredProject, servers: ReadonlySet<string>, known: Known): ProjectConfig {
  const own = config.servers === undefined ? undefined : known(config.servers, 'server', `project ${id}`)
  const within = own === undefined ? servers : new Set(own)
  const tools = Object.entries(config.tools ?? {}).filter(([tool]) => within.has(toolKeyParts(tool).serverId))
  return {
    ...config,
    ...(own !== undefined && { servers: own }),
    ...(config.tools !== undefined && { tools: Object.fromEntries(tools) }),
  }
}

/** Disables a server with unreadable secrets: without them it might behave differently. The store reports them. */
function withReadableSecrets({ config, unreadableSecrets = [] }: StoredServer): ServerConfig {
  if (unreadableSecrets.length === 0) return config
  const { disabled: _, ...rest } = config
  return { ...rest, enabled: false }
}
