import { isDeepStrictEqual } from 'node:util'
import type { EndpointConfig, ProjectConfig, ServerConfig } from '@tooldex/contract'
import { maskServer, SECRET_PARTS, type SecretPart } from '../model/server-secrets.ts'
import type { StoredEndpoint, StoredProject, StoredServer, StoredToken } from '../model/stored-state.ts'
import type { SecretBox, SecretPlace } from './secrets/secret-box.ts'
import { fromStorable, toStorable } from './storable-text.ts'
import type { EndpointRow, ProjectRow, ProjectServerRow, ProjectToolRow, ServerRow, TokenRow } from './tables.ts'

/** The place of a secret of a server. */
export function secretPlace(row: string, column: SecretPart): SecretPlace {
  return { table: 'servers', row, column }
}

/**
 * The row of a server: a part with secrets is encrypted in a column of its own, and masked in `config`.
 * @param before the current row: secrets that cannot be decrypted and are not replaced stay as they are
 */
export function toServerRow(
  { id, createdAt, updatedAt, config }: StoredServer,
  box: SecretBox,
  before?: Pick<ServerRow, SecretPart | 'config'>,
): Omit<ServerRow, 'position'> {
  const row = toStorable(id)
  const masked = maskServer(config)
  const old = before === undefined ? {} : (JSON.parse(before.config) as Partial<ServerConfig>)
  const sealed = (part: SecretPart): string | null => {
    const kept = before?.[part] ?? null
    const isSame = isDeepStrictEqual(config[part], old[part])
    if (kept !== null && isSame && box.open(kept, secretPlace(row, part)) === undefined) return kept
    return isDeepStrictEqual(config[part], masked[part]) ? null : box.seal(config[part], secretPlace(row, part))
  }
  return {
    id: row,
    created_at: createdAt,
    updated_at: updatedAt,
    config: otherKeys(masked, 'toolPermissions'),
    tool_permissions: toJson(config.toolPermissions),
    env: sealed('env'),
    headers: sealed('headers'),
    auth: sealed('auth'),
    inputs: sealed('inputs'),
    args: sealed('args'),
    url: sealed('url'),
  }
}

/** The server of a row. Secrets that cannot be decrypted are masked and listed in `unreadableSecrets`. */
export function fromServerRow(row: ServerRow, box: SecretBox): StoredServer {
  const sealed = SECRET_PARTS.filter((part) => row[part] !== null)
  const opened = new Map(sealed.map((part) => [part, box.open(row[part] ?? '', secretPlace(row.id, part))]))
  const secrets = [...opened].flatMap(([part, found]) => (found === undefined ? [] : [[part, found.value] as const]))
  const unreadableSecrets = sealed.filter((part) => opened.get(part) === undefined)
  const config = {
    ...(JSON.parse(row.config) as ServerConfig),
    ...Object.fromEntries(secrets),
    ...present({ toolPermissions: fromJson(row.tool_permissions) }),
  } as ServerConfig
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    config,
    ...(unreadableSecrets.length === 0 ? {} : { unreadableSecrets }),
  }
}

/** Whether a row has a secret that is not encrypted: an earlier release wrote it. */
export function hasPlainSecret({ config }: Pick<ServerRow, 'config'>): boolean {
  const stored = JSON.parse(config) as ServerConfig
  return !isDeepStrictEqual(stored, maskServer(stored))
}

/** The settings of one tool in a project. */
type ProjectTool = NonNullable<ProjectConfig['tools']>[string]

/** The rows of a project in three tables. */
interface ProjectRows {
  readonly project: Omit<ProjectRow, 'position'>
  readonly servers: readonly ProjectServerRow[]
  readonly tools: readonly ProjectToolRow[]
}

/** The rows of a project as they are read, in the order of their positions. */
type ReadProject = Pick<ProjectRows, 'project' | 'tools'> & {
  readonly servers: readonly Pick<ProjectServerRow, 'server_id'>[]
}

/** The rows of a project. */
export function toProjectRows({ id, createdAt, updatedAt, config }: StoredProject): ProjectRows {
  const project_id = toStorable(id)
  const { name, optimization, servers, tools } = config
  return {
    project: {
      id: project_id,
      created_at: createdAt,
      updated_at: updatedAt,
      name: name === undefined ? null : toStorable(name),
      says_optimization: optimization === undefined ? 0 : 1,
      optimization: optimization ?? null,
      lists_servers: servers === undefined ? 0 : 1,
      lists_tools: tools === undefined ? 0 : 1,
      config: otherKeys(config, 'name', 'optimization', 'servers', 'tools'),
    },
    servers: (servers ?? []).map((server, position) => ({ project_id, position, server_id: toStorable(server) })),
    tools: Object.entries(tools ?? {}).map(([key, tool], position) => ({
      project_id,
      position,
      tool_key: toStorable(key),
      ...toolColumns(tool),
    })),
  }
}

/** The project of its rows. */
export function fromProjectRows({ project, servers, tools }: ReadProject): StoredProject {
  const config = {
    ...(JSON.parse(project.config) as ProjectConfig),
    ...present({
      name: project.name === null ? undefined : fromStorable(project.name),
      optimization: project.says_optimization === 1 ? project.optimization : undefined,
      servers: project.lists_servers === 1 ? servers.map(({ server_id }) => fromStorable(server_id)) : undefined,
      tools:
        project.lists_tools === 1
          ? Object.fromEntries(tools.map((row) => [fromStorable(row.tool_key), fromToolRow(row)]))
          : undefined,
    }),
  } as ProjectConfig
  return { id: fromStorable(project.id), createdAt: project.created_at, updatedAt: project.updated_at, config }
}

function toolColumns(tool: ProjectTool): Omit<ProjectToolRow, 'project_id' | 'position' | 'tool_key'> {
  return {
    allowed: toFlag(tool.allowed),
    defer_loading: toFlag(tool.deferLoading),
    pinned: toFlag(tool.pinned),
    name: tool.name === undefined ? null : toStorable(tool.name),
    description: tool.description === undefined ? null : toStorable(tool.description),
    config: otherKeys(tool, 'allowed', 'deferLoading', 'pinned', 'name', 'description'),
  }
}

function fromToolRow(row: ProjectToolRow): ProjectTool {
  return {
    ...(JSON.parse(row.config) as ProjectTool),
    ...present({
      allowed: fromFlag(row.allowed),
      deferLoading: fromFlag(row.defer_loading),
      pinned: fromFlag(row.pinned),
      name: row.name === null ? undefined : fromStorable(row.name),
      description: row.description === null ? undefined : fromStorable(row.description),
    }),
  } as ProjectTool
}

/** The row of an endpoint. */
export function toEndpointRow({ id, createdAt, updatedAt, config }: StoredEndpoint): Omit<EndpointRow, 'position'> {
  return {
    id: toStorable(id),
    created_at: createdAt,
    updated_at: updatedAt,
    project_id: toStorable(config.project),
    config: otherKeys(config, 'project'),
  }
}

/** The endpoint of a row. */
export function fromEndpointRow(row: EndpointRow): StoredEndpoint {
  const rest = JSON.parse(row.config) as Omit<EndpointConfig, 'project'>
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    config: { ...rest, project: fromStorable(row.project_id) },
  }
}

/** The row of a token. */
export function toTokenRow(token: StoredToken): Omit<TokenRow, 'position'> {
  return {
    id: toStorable(token.id),
    created_at: token.createdAt,
    updated_at: token.updatedAt,
    name: toStorable(token.name),
    kind: token.role ?? token.kind,
    hash: token.hash,
    projects: toJson(token.projects),
    servers: toJson(token.servers),
    tools: toJson(token.tools),
    read_only: token.readOnly ? 1 : 0,
    expires_at: token.expiresAt ?? null,
    last_used_at: null,
  }
}

/** The columns of a token. */
export const TOKEN_COLUMNS = [
  ...(['id', 'created_at', 'updated_at', 'name', 'kind', 'hash'] as const),
  ...(['projects', 'servers', 'tools', 'read_only', 'expires_at'] as const),
]

/** The token of a row. */
export function fromTokenRow(row: Pick<TokenRow, (typeof TOKEN_COLUMNS)[number]>): StoredToken {
  return {
    id: fromStorable(row.id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    name: fromStorable(row.name),
    ...kindOf(row),
    hash: row.hash,
    readOnly: row.read_only === 1,
    // Spelt out, because there may be 100,000 of them.
    ...(row.projects !== null && { projects: JSON.parse(row.projects) as string[] }),
    ...(row.servers !== null && { servers: JSON.parse(row.servers) as string[] }),
    ...(row.tools !== null && { tools: JSON.parse(row.tools) as string[] }),
    ...(row.expires_at !== null && { expiresAt: row.expires_at }),
  }
}

/** A kind of a later release stays as it is, and is valid for nothing. */
function kindOf({ kind }: Pick<TokenRow, 'kind'>): Pick<StoredToken, 'kind' | 'role'> {
  return kind === 'operator' || kind === 'reader' ? { kind: 'admin', role: kind } : { kind }
}

/** The keys of a configuration without a column of their own, as JSON. */
function otherKeys(config: object, ...columns: readonly string[]): string {
  return JSON.stringify(Object.fromEntries(Object.entries(config).filter(([key]) => !columns.includes(key))))
}

/** Drops keys whose value is undefined. */
function present<Value extends object>(value: Value): { [Key in keyof Value]: Exclude<Value[Key], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, part]) => part !== undefined)) as {
    [Key in keyof Value]: Exclude<Value[Key], undefined>
  }
}

function toFlag(value: boolean | undefined): 0 | 1 | null {
  if (value === undefined) return null
  return value ? 1 : 0
}

function fromFlag(flag: 0 | 1 | null): boolean | undefined {
  return flag === null ? undefined : flag === 1
}

function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

function fromJson<Value>(text: string | null): Value | undefined {
  return text === null ? undefined : (JSON.parse(text) as Value)
}
