import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import {
  type Config,
  configJsonSchema,
  type ConfigProblem,
  type ServerConfig,
  type TokenConfig,
} from '@tooldex/contract'
import { exportSchema, type ImportPlan, readWith, SECRET_MASK } from '@tooldex/contract/admin'
import { hashToken } from '../../access/tokens.ts'
import { asRecord } from '../../config/merge-config.ts'
import type { ConfiguredEntries, ConfiguredEntry } from './configured-entries.ts'
import type { Draft } from './draft.ts'
import { invalidField, InvalidRequest } from './invalid-request.ts'
import { maskServer } from '../../model/server-secrets.ts'
import { unmaskServer } from './unmask-server.ts'

type What = ImportEntry['what']

/** Applies an import to a draft. Entries that the import does not name stay. */
export function applyImport(
  draft: Draft,
  { config, settings }: Incoming,
  entries: ConfiguredEntries,
  problems: ConfigProblem[],
): ImportEntry[] {
  const servers = importedServers(config.mcpServers, entries, problems)
  return [
    ...mergeEntries('server', servers, entries.servers(), (id, server) => draft.putServer(id, server)),
    ...mergeEntries('project', config.projects, entries.projects(), (id, project) => draft.putProject(id, project)),
    ...mergeEntries('endpoint', config.endpoints, entries.endpoints(), (id, endpoint) =>
      draft.putEndpoint(id, endpoint),
    ),
    ...config.tokens.map((token) => mergeToken(token, draft, entries)),
    ...Object.entries(settings).map(([id, value]) => mergeSetting(id, value, draft)),
  ]
}

function mergeEntries<Config extends object>(
  what: What,
  incoming: Readonly<Record<string, Config>>,
  known: readonly ConfiguredEntry<Config>[],
  put: (id: string, config: Config) => void,
): ImportEntry[] {
  return Object.entries(incoming).map(([id, config]) => {
    const current = known.find((entry) => entry.id === id)
    const twin = known.find((entry) => entry.id !== id && entry.id.toLowerCase() === id.toLowerCase())
    if (twin !== undefined) return refused(what, id, `the ${what} ${JSON.stringify(twin.id)} already has this name`)
    if (current?.managedBy !== 'built-in' && isDeepStrictEqual(current?.config, config))
      return { what, id, action: 'unchanged' }
    if (current?.managedBy === 'file') return refused(what, id, 'is declared in the configuration file')
    put(id, config)
    return { what, id, action: current === undefined || current.managedBy === 'built-in' ? 'create' : 'change' }
  })
}

/** Replaces masks by the current values. Masks without one come from an export without secrets. */
function importedServers(
  incoming: Readonly<Record<string, ServerConfig>>,
  entries: ConfiguredEntries,
  problems: ConfigProblem[],
): Record<string, ServerConfig> {
  const known = new Map(entries.servers().map((server) => [server.id, server.config]))
  return Object.fromEntries(
    Object.entries(incoming).map(([id, config]) => {
      const current = known.get(id)
      if (current !== undefined && isDeepStrictEqual(maskServer(current), config)) return [id, current]
      try {
        return [id, unmaskServer(config, current)]
      } catch {
        problems.push({ path: ['mcpServers', id], message: `has masked values (${SECRET_MASK}); export with secrets` })
        return [id, config]
      }
    }),
  )
}

/** An imported token keeps its secret, so clients can go on using it. */
function mergeToken(config: TokenConfig, draft: Draft, entries: ConfiguredEntries): ImportEntry {
  const hash = config.sha256?.toLowerCase() ?? hashToken(config.value ?? '')
  const current = entries.tokenNamed(config.name)
  const { name, projects, servers, tools, readOnly, expires } = config
  const rights = {
    name,
    kind: 'client' as const,
    hash,
    readOnly,
    ...(projects !== undefined && { projects }),
    ...(servers !== undefined && { servers }),
    ...(tools !== undefined && { tools }),
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
  }
  if (current?.managedBy === 'file') {
    const isSame = entries.tokensAsDeclared().some((token) => isDeepStrictEqual(token.config, { ...config }))
    return isSame
      ? { what: 'token', id: name, action: 'unchanged' }
      : refused('token', name, 'is declared in the configuration file')
  }
  if (current?.kind === 'admin') return refused('token', name, 'is the name of an admin token')
  const { id, createdAt: _created, updatedAt: _updated, ...before } = current?.stored ?? { id: randomUUID() }
  if (isDeepStrictEqual(before, rights)) return { what: 'token', id: name, action: 'unchanged' }
  draft.putToken({ id, ...rights })
  return { what: 'token', id: name, action: current === undefined ? 'create' : 'change' }
}

function mergeSetting(id: string, value: unknown, draft: Draft): ImportEntry {
  if (id !== 'auditKeepDays' && id !== 'auditMaxEntries') return refused('setting', id, 'is not a known setting')
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 1)
    return refused('setting', id, 'must be a whole number')
  if (draft.state.settings.get(id) === value) return { what: 'setting', id, action: 'unchanged' }
  draft.putSetting(id, value)
  return { what: 'setting', id, action: 'change' }
}

function refused(what: What, id: string, reason: string): ImportEntry {
  return { what, id, action: 'refused', reason }
}

/** The effect of an import on one entry. */
export type ImportEntry = ImportPlan['entries'][number]

/** An import, read and checked. */
export interface Incoming {
  readonly config: Pick<Config, 'projects' | 'endpoints' | 'tokens'> & {
    readonly mcpServers: Readonly<Record<string, ServerConfig>>
  }
  readonly settings: Readonly<Record<string, unknown>>
  /** Entries that cannot be imported, with the reason. */
  readonly ignored: readonly ImportEntry[]
}

const PARTS: ReadonlySet<string> = new Set(['mcpServers', 'servers', 'projects', 'endpoints', 'tokens', '$schema'])

/** Reads an export, a `tooldex.json`, or the `mcpServers` of another program. @throws InvalidRequest */
export function readImport(body: unknown): Incoming {
  const top = asRecord(body)
  const isExport = top['format'] === 'tooldex-export'
  if (isExport && top['version'] !== 1)
    throw invalidField('version', 'belongs to a newer release; update this gateway first')
  const source = isExport ? asRecord(top['config']) : top
  const entries = Object.entries(source)
  const parts = Object.fromEntries(entries.filter(([key]) => PARTS.has(key)))
  if (entries.length === 0 || Object.keys(parts).length === 0) {
    throw invalidField('', 'has nothing to import: expected an export, a tooldex.json or { "mcpServers": { … } }')
  }
  const ignored = entries.filter(([key]) => !PARTS.has(key)).map(([id]) => fixedAtStart(id))
  const { $schema: _schema, servers, ...rest } = parts
  // Checks shapes only: references may point to existing entries, which are checked with the whole configuration.
  const value = servers === undefined ? rest : { mcpServers: servers, ...rest }
  const read = readWith(exportSchema.shape.config, value, configJsonSchema)
  if ('problems' in read) throw new InvalidRequest(read.problems)
  const { mcpServers = {}, projects, endpoints, tokens } = read.value
  return {
    config: { mcpServers, projects, endpoints, tokens },
    settings: isExport ? asRecord(top['settings']) : {},
    ignored,
  }
}

function fixedAtStart(id: string): ImportEntry {
  return {
    what: 'setting',
    id,
    action: 'refused',
    reason: 'can be set in the configuration file only',
  }
}
