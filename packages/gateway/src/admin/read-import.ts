import { type Config, configJsonSchema, type ConfigProblem, type ServerConfig } from '@tooldex/contract'
import { exportSchema, type ImportPlan, readWith } from '@tooldex/contract/admin'
import { InvalidRequest, invalidField } from './invalid-request.ts'

/** One line of what an import does. */
export type ImportEntry = ImportPlan['entries'][number]

/** What is to be imported. */
export interface Incoming {
  readonly config: Pick<Config, 'projects' | 'endpoints' | 'tokens'> & {
    readonly mcpServers: Readonly<Record<string, ServerConfig>>
  }
  readonly settings: Readonly<Record<string, unknown>>
  /** What cannot be imported, and why. */
  readonly ignored: readonly ImportEntry[]
  readonly problems: readonly ConfigProblem[]
}

type Json = Readonly<Record<string, unknown>>

const PARTS: ReadonlySet<string> = new Set(['mcpServers', 'servers', 'projects', 'endpoints', 'tokens', '$schema'])
const VARIABLE = /\$\{[^}]+\}/

/** An export, a `tooldex.json`, or another program's `mcpServers`. @throws InvalidRequest */
export function readImport(body: unknown): Incoming {
  const top = asObject(body)
  const isExport = top['format'] === 'tooldex-export'
  if (isExport && top['version'] !== 1)
    throw invalidField('version', 'is of a newer release; update this gateway first')
  const source = isExport ? asObject(top['config']) : top
  const entries = Object.entries(source)
  const parts = Object.fromEntries(entries.filter(([key]) => PARTS.has(key)))
  if (entries.length === 0 || Object.keys(parts).length === 0) {
    throw invalidField('', 'has nothing to import: expected an export, a tooldex.json or { "mcpServers": { … } }')
  }
  const ignored = entries.filter(([key]) => !PARTS.has(key)).map(([id]) => fixedAtStart(id))
  const { $schema: _schema, servers, ...rest } = parts
  // Shapes only: what an entry refers to may be here already, and is checked with the whole.
  const value = servers === undefined ? rest : { mcpServers: servers, ...rest }
  const read = readWith(exportSchema.shape.config, value, configJsonSchema)
  if ('problems' in read) throw new InvalidRequest(read.problems)
  const { mcpServers = {}, projects, endpoints, tokens } = read.value
  return {
    config: { mcpServers, projects, endpoints, tokens },
    settings: isExport ? asObject(top['settings']) : {},
    ignored,
    problems: Object.entries(mcpServers).flatMap(([id, server]) =>
      VARIABLE.test(JSON.stringify(server))
        ? [{ path: ['mcpServers', id], message: 'has ${…}, which only files can use; send the values' }]
        : [],
    ),
  }
}

function fixedAtStart(id: string): ImportEntry {
  return {
    what: 'setting',
    id,
    action: 'refused',
    reason: 'is fixed when the gateway starts; put it into its configuration file',
  }
}

function asObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}
