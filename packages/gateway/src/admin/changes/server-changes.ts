import { checkConfig, type ServerConfig } from '@tooldex/contract'
import type { NewServer, ServerPatch } from '@tooldex/contract/admin'
import { type Administration, refuseTaken, refuseUnknown, type Removal } from './administration.ts'
import type { AdminCaller } from '../access/admin-caller.ts'
import type { ConfiguredEntries } from './configured-entries.ts'
import { checkRevision, type Draft } from './draft.ts'
import { invalidField, InvalidRequest } from './invalid-request.ts'
import { unmaskServer } from './unmask-server.ts'
import { patched, patchedServer } from './patch.ts'

/** Changes servers. */
export class ServerChanges {
  readonly #administration: Administration

  constructor(administration: Administration) {
    this.#administration = administration
  }

  /** @throws GatewayError NAME_TAKEN, FRESH_PROOF_REQUIRED, InvalidRequest */
  create({ id, ...config }: NewServer, caller: AdminCaller): Promise<void> {
    const add = (draft: Draft, entries: ConfiguredEntries): void => {
      refuseTaken(
        { what: 'server', field: 'id', name: id },
        entries.servers().map((server) => server.id),
      )
      draft.putServer(id, unmaskServer(config, undefined))
    }
    return this.#administration.change(['mcpServers', id], add, caller)
  }

  /** @throws GatewayError SERVER_NOT_FOUND, FILE_MANAGED, REVISION_CONFLICT, FRESH_PROOF_REQUIRED, InvalidRequest */
  change(id: string, patch: ServerPatch, caller: AdminCaller, revision?: string): Promise<void> {
    return this.#edit(id, revision, (config) => changedServer(config, patch), caller)
  }

  /** @throws GatewayError SERVER_NOT_FOUND, FILE_MANAGED */
  enable(id: string, enabled: boolean): Promise<void> {
    return this.#edit(id, undefined, (config) => patchedServer(config, { enabled }))
  }

  /** Forbids or allows one of its tools in all projects. */
  allowTool(id: string, toolName: string, allowed: boolean): Promise<void> {
    // A configuration cannot have this key, so the decision would be lost.
    if (toolName === '__proto__')
      throw invalidField('tool', 'has a name that cannot be forbidden for all projects; forbid it in each project')
    return this.#edit(id, undefined, (config) => {
      const others = Object.entries(config.toolPermissions ?? {}).filter(([name]) => name !== toolName)
      // A missing entry allows the tool, so only forbidden tools are stored.
      const toolPermissions = Object.fromEntries(allowed ? others : [...others, [toolName, false]])
      return patched(config, { toolPermissions })
    })
  }

  /** @throws InvalidRequest unless all stored servers are named once */
  order(ids: readonly string[]): Promise<void> {
    return this.#administration.change(undefined, (draft) => {
      const known = draft.state.servers.map(({ id }) => id)
      refuseUnknown('servers', 'stored server', ids, known)
      const missing = known.filter((id) => !ids.includes(id))
      if (missing.length > 0 || ids.length !== known.length) {
        const message = missing.length > 0 ? `must name ${missing.join(', ')}, too` : 'must name each server once'
        throw new InvalidRequest([{ path: ['servers'], message }])
      }
      draft.orderServers(ids)
    })
  }

  /** Removes a server, also from projects and tokens. No token gains access. */
  remove(id: string, revision?: string): Promise<Removal> {
    return this.#administration.change(['mcpServers', id], (draft, entries) => {
      const server = entries.server(id)
      entries.refuseFileManaged('server', server)
      checkRevision(server.stored, revision)
      draft.removeServer(id)
      return { removed: id, alsoRemoved: [], narrowed: withoutServer(draft, id) }
    })
  }

  #edit(
    id: string,
    revision: string | undefined,
    edit: (config: ServerConfig) => ServerConfig,
    caller?: AdminCaller,
  ): Promise<void> {
    const change = (draft: Draft, entries: ConfiguredEntries): void => {
      const server = entries.server(id)
      entries.refuseFileManaged('server', server)
      checkRevision(server.stored, revision)
      draft.putServer(id, edit(server.config))
    }
    return this.#administration.change(['mcpServers', id], change, caller)
  }
}

/** The configuration of a server after a change. @throws InvalidRequest */
export function changedServer(config: ServerConfig, patch: ServerPatch): ServerConfig {
  return unmaskServer(patchedServer(config, patch), config)
}

/** The configuration with its defaults. @throws InvalidRequest */
export function checkedServer(id: string, server: object): ServerConfig {
  const { config, problems } = checkConfig({ mcpServers: { [id]: server } })
  const checked = config?.mcpServers?.[id]
  if (checked !== undefined) return checked
  throw new InvalidRequest(problems.map((each) => ({ ...each, path: each.path.slice(2) })))
}

function withoutServer(draft: Draft, id: string): string[] {
  const { projects, tokens } = draft.state
  const narrowed: string[] = []
  for (const { id: projectId, config } of projects) {
    const tools = Object.entries(config.tools ?? {}).filter(([key]) => !key.startsWith(`${id}:`))
    const isNamed = config.servers?.includes(id) === true || tools.length !== Object.keys(config.tools ?? {}).length
    if (!isNamed) continue
    narrowed.push(`project ${projectId}`)
    draft.putProject(projectId, {
      ...config,
      ...(config.servers !== undefined && { servers: config.servers.filter((each) => each !== id) }),
      ...(config.tools !== undefined && { tools: Object.fromEntries(tools) }),
    })
  }
  for (const { createdAt: _created, updatedAt: _updated, ...token } of tokens) {
    if (token.servers?.includes(id) !== true) continue
    narrowed.push(`token ${token.name}`)
    // An empty list means no server: a token for this server alone loses all access instead of gaining all.
    draft.putToken({ ...token, servers: token.servers.filter((each) => each !== id) })
  }
  return narrowed
}
