import type { Config, EndpointConfig, ProjectConfig, ServerConfig, TokenConfig } from '@tooldex/contract'
import { hashToken } from '../../access/tokens.ts'
import { declaredIds, type MergedConfig } from '../../config/merge-config.ts'
import type { DeclaredConfig } from '../../config/parse-config.ts'
import { GatewayError, type GatewayErrorCode } from '../../errors.ts'
import { DEFAULT_ENDPOINT, DEFAULT_PROJECT } from '../../model/gateway-model.ts'
import type { StoredState, StoredToken } from '../../model/stored-state.ts'
import { nameKey } from '../../model/stored-tokens.ts'
import { toolKeyParts } from '../../model/tool-key.ts'
import { BUILT_IN_REVISION, revisionOf } from './draft.ts'

type StoredEntry = { readonly id: string; readonly createdAt: number; readonly updatedAt: number }

/** An entry of the file or the store, or a built-in one. */
export interface ConfiguredEntry<Content> {
  readonly id: string
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly config: Content
  /** Present for stored entries only. */
  readonly stored?: StoredEntry
}

/** A token of the file or the store. */
export interface ConfiguredToken extends Omit<StoredToken, 'hash' | 'createdAt' | 'updatedAt'> {
  readonly managedBy: 'store' | 'file'
  readonly stored?: StoredToken
}

/** The entries of file and store together. */
export class ConfiguredEntries {
  readonly #declared: DeclaredConfig
  readonly #ids: ReturnType<typeof declaredIds>
  readonly #file: Partial<Config>
  readonly state: StoredState

  /** @param merged without it, because file and store contradict each other, there are no entries of the file */
  constructor(declared: DeclaredConfig, state: StoredState, merged: Pick<MergedConfig, 'config'> | undefined) {
    this.#declared = declared
    this.#ids = declaredIds(declared.value)
    // The entries of the file with defaults filled in.
    this.#file = merged?.config ?? {}
    this.state = state
  }

  /** The entries of the file, then those of the store, in order of priority. */
  servers(): ConfiguredEntry<ServerConfig>[] {
    return [
      ...ofFile(this.#file.mcpServers ?? this.#file.servers, this.#ids.server),
      ...this.state.servers.map(ofStore),
    ]
  }

  projects(): ConfiguredEntry<ProjectConfig>[] {
    const all = [...ofFile(this.#file.projects, this.#ids.project), ...this.state.projects.map(ofStore)]
    return withBuiltIn(all, DEFAULT_PROJECT, {})
  }

  endpoints(): ConfiguredEntry<EndpointConfig>[] {
    const all = [...ofFile(this.#file.endpoints, this.#ids.endpoint), ...this.state.endpoints.map(ofStore)]
    return withBuiltIn(all, DEFAULT_ENDPOINT, { project: DEFAULT_PROJECT, auth: 'token', transparent: false })
  }

  /** The tokens of the file, which are few. */
  fileTokens(): readonly ConfiguredToken[] {
    return (this.#file.tokens ?? []).map(fileToken)
  }

  /** Some tokens in the order of their names, and the key of the last one if there are more. */
  tokenPage(
    after: string,
    limit: number,
  ): { readonly items: readonly ConfiguredToken[]; readonly nextKey?: string | undefined } {
    const page = this.fileTokens().filter((token) => nameKey(token) > after)
    const most = page.length + limit
    for (const token of this.state.tokens.afterName(after)) {
      if (page.length > most) break
      page.push(storedToken(token))
    }
    page.sort((one, other) => (nameKey(one) < nameKey(other) ? -1 : 1))
    const items = page.slice(0, limit)
    const last = items.at(-1)
    return { items, nextKey: last !== undefined && page.length > limit ? nameKey(last) : undefined }
  }

  /** The token with this name or id, ignoring case. */
  tokenNamed(name: string): ConfiguredToken | undefined {
    const plain = name.trim().toLowerCase()
    const declared = this.fileTokens().find((token) => token.name.trim().toLowerCase() === plain)
    if (declared !== undefined) return declared
    const stored = this.state.tokens.named(name)
    return stored && storedToken(stored)
  }

  /** The name of a token, if it still exists. */
  tokenName(id: string): string | undefined {
    return this.state.tokens.get(id)?.name ?? this.fileTokens().find((token) => token.id === id)?.name
  }

  /** Client tokens in the shape of a configuration file. */
  tokensAsDeclared(): { readonly managedBy: 'store' | 'file'; readonly config: TokenConfig }[] {
    const ofFile = (this.#file.tokens ?? []).map(({ value, ...token }) => ({
      managedBy: 'file' as const,
      config: { ...token, ...(value !== undefined && { sha256: hashToken(value) }) },
    }))
    const clients = [...this.state.tokens.afterName('')].filter(({ kind }) => kind === 'client')
    const servers = new Set(this.servers().map(({ id }) => id))
    const projects = new Set(this.projects().map(({ id }) => id))
    return [
      ...ofFile,
      ...clients.map((token) => ({ managedBy: 'store' as const, config: declaredToken(token, servers, projects) })),
    ]
  }

  /** The path of the file that declares an entry. */
  fileOf({ managedBy }: { readonly managedBy: string }): { readonly file?: string } {
    return managedBy === 'file' && this.#declared.path !== undefined ? { file: this.#declared.path } : {}
  }

  /** @throws GatewayError SERVER_NOT_FOUND */
  server(id: string): ConfiguredEntry<ServerConfig> {
    return found(this.servers(), id, 'SERVER_NOT_FOUND', 'server')
  }

  /** @throws GatewayError PROJECT_NOT_FOUND */
  project(id: string): ConfiguredEntry<ProjectConfig> {
    return found(this.projects(), id, 'PROJECT_NOT_FOUND', 'project')
  }

  /** @throws GatewayError ENDPOINT_NOT_FOUND */
  endpoint(id: string): ConfiguredEntry<EndpointConfig> {
    return found(this.endpoints(), id, 'ENDPOINT_NOT_FOUND', 'endpoint')
  }

  /** @throws GatewayError TOKEN_NOT_FOUND */
  token(id: string): ConfiguredToken {
    const stored = this.state.tokens.get(id)
    return stored === undefined ? found(this.fileTokens(), id, 'TOKEN_NOT_FOUND', 'token') : storedToken(stored)
  }

  /** @throws GatewayError FILE_MANAGED for an entry of the file */
  refuseFileManaged(what: string, entry: { readonly id: string; readonly managedBy: string }): void {
    if (entry.managedBy !== 'file') return
    const file = this.#declared.path ?? 'the configuration that the gateway was started with'
    throw new GatewayError('FILE_MANAGED', {
      [what]: entry.id,
      file,
      reason: `the ${what} ${JSON.stringify(entry.id)} is declared in ${file}`,
      remedy: 'Change it there; the gateway reloads the file by itself',
    })
  }
}

function ofFile<Content>(
  entries: Readonly<Record<string, Content>> | undefined,
  ids: ReadonlySet<string>,
): ConfiguredEntry<Content>[] {
  return Object.entries(entries ?? {})
    .filter(([id]) => ids.has(id))
    .map(([id, config]) => ({ id, config, managedBy: 'file' }))
}

function ofStore<Content>(stored: StoredEntry & { readonly config: Content }): ConfiguredEntry<Content> {
  return { id: stored.id, config: stored.config, managedBy: 'store', stored }
}

function withBuiltIn<Content>(
  entries: ConfiguredEntry<Content>[],
  id: string,
  config: Content,
): ConfiguredEntry<Content>[] {
  return entries.some((entry) => entry.id === id) ? entries : [{ id, config, managedBy: 'built-in' }, ...entries]
}

function fileToken({ name, projects, servers, tools, readOnly, expires }: TokenConfig): ConfiguredToken {
  return {
    id: name,
    name,
    kind: 'client',
    managedBy: 'file',
    readOnly,
    ...(projects !== undefined && { projects }),
    ...(servers !== undefined && { servers }),
    ...(tools !== undefined && { tools }),
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
  }
}

/** A stored token with the metadata of entries. */
function storedToken(token: StoredToken): ConfiguredToken {
  return { ...token, managedBy: 'store', stored: token }
}

/** Without references to missing entries, so that another gateway can import it. */
function declaredToken(
  { name, hash, readOnly, expiresAt, projects, servers, tools }: StoredToken,
  knownServers: ReadonlySet<string>,
  knownProjects: ReadonlySet<string>,
): TokenConfig {
  return {
    name,
    sha256: hash,
    readOnly,
    ...(expiresAt !== undefined && { expires: new Date(expiresAt).toISOString() }),
    ...(projects !== undefined && { projects: projects.filter((id) => knownProjects.has(id)) }),
    ...(servers !== undefined && { servers: servers.filter((id) => knownServers.has(id)) }),
    ...(tools !== undefined && { tools: tools.filter((key) => knownServers.has(toolKeyParts(key).serverId)) }),
  }
}

function found<Entry extends { readonly id: string }>(
  entries: readonly Entry[],
  id: string,
  code: GatewayErrorCode,
  what: string,
): Entry {
  const entry = entries.find((each) => each.id === id)
  if (entry !== undefined) return entry
  throw new GatewayError(code, {
    [what]: id.slice(0, 200),
    reason: `there is no ${what} ${JSON.stringify(id.slice(0, 200))}`,
    remedy: `List the ${what}s to see the existing ones`,
  })
}

interface Entry {
  readonly managedBy: 'store' | 'file' | 'built-in'
  readonly stored?: { readonly createdAt: number; readonly updatedAt: number }
}

interface EntryMetadata {
  readonly managedBy: Entry['managedBy']
  readonly file?: string
  readonly revision?: string
  readonly createdAt?: number
  readonly updatedAt?: number
}

/** The fields that every entry of the API has. */
export function entryMetadata<Of extends Entry>(
  { managedBy, stored }: Of,
  entries: ConfiguredEntries,
): EntryMetadata & Pick<Of, 'managedBy'> {
  const { file } = entries.fileOf({ managedBy })
  return {
    managedBy,
    ...(file !== undefined && { file }),
    ...(managedBy === 'built-in' && { revision: BUILT_IN_REVISION }),
    ...(stored !== undefined && {
      revision: revisionOf(stored),
      createdAt: stored.createdAt,
      updatedAt: stored.updatedAt,
    }),
  }
}
