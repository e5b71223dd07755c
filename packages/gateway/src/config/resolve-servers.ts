import { readFileSync, statSync } from 'node:fs'
import type { Config, ServerConfig } from '@tooldex/contract'
import type { StoredState } from '../model/stored-state.ts'
import { type ReferenceSources, substitute } from './substitute.ts'

/** Larger files are not values but mistakes. */
const MOST_BYTES = 1024 * 1024
/** Variables of the gateway itself: its keys and passwords must not reach a server. */
const OWN_VARIABLE = /^TOOLDEX_/

/** The servers of a configuration as they are started, and the values that are missing. */
export interface ResolvedServers {
  readonly config: Config
  /** Names of missing values, by the id of the server that lacks them. */
  readonly missingValues: ReadonlyMap<string, readonly string[]>
}

/** The last result, for the servers that did not change. */
interface ResolvedBefore {
  readonly merged: { readonly config: Config }
  readonly resolved: ResolvedServers
}

/**
 * Resolves the references of stored servers, as those of the file were when it was read, and reads the `envFile` of each. A
 * server that lacks a value is not started with a half-filled text: its missing values are named.
 */
export function resolveServers(
  config: Config,
  stored: Pick<StoredState, 'servers'>,
  { variables, home }: Omit<ReferenceSources, 'readFile'>,
  before?: ResolvedBefore,
): ResolvedServers {
  const key = config.mcpServers === undefined && config.servers !== undefined ? 'servers' : 'mcpServers'
  const storedIds = new Set(stored.servers.map(({ id }) => id))
  const [given, made] = [before?.merged.config[key], before?.resolved.config[key]].map(
    (servers) => new Map(Object.entries(servers ?? {})),
  )
  let sources: ReferenceSources | undefined
  const missingValues = new Map<string, readonly string[]>()
  const resolved = Object.entries(config[key] ?? {}).map(([id, server]) => {
    const known = made?.get(id)
    // A server that lacks a value may have it by now.
    if (known !== undefined && given?.get(id) === server && before?.resolved.missingValues.has(id) === false)
      return [id, known] as const
    sources ??= foreignSources(variables, home)
    const { value, missing } = storedIds.has(id) ? resolveStored(server, sources) : { value: server, missing: [] }
    const { value: complete, missing: files } = withEnvFile(value)
    if (missing.length + files.length > 0) missingValues.set(id, [...missing, ...files])
    return [id, complete] as const
  })
  return { config: { ...config, [key]: Object.fromEntries(resolved) }, missingValues }
}

function foreignSources(variables: ReferenceSources['variables'], home: string | undefined): ReferenceSources {
  const foreign = Object.fromEntries(Object.entries(variables).filter(([name]) => !OWN_VARIABLE.test(name)))
  return { variables: foreign, ...(home !== undefined && { home }), readFile: readSmallFile }
}

interface Resolved {
  readonly value: ServerConfig
  readonly missing: readonly string[]
}

function resolveStored(server: ServerConfig, sources: ReferenceSources): Resolved {
  // A tool may have any name, so the names of permissions and accepted findings are not touched.
  const { toolPermissions, acceptedFindings, ...texts } = server
  const { value, missing } = substitute(texts, sources)
  const resolved = value as ServerConfig
  const isBadAddress = resolved.url !== undefined && missing.length === 0 && !isAddress(resolved.url)
  return {
    value: {
      ...resolved,
      ...(toolPermissions !== undefined && { toolPermissions }),
      ...(acceptedFindings !== undefined && { acceptedFindings }),
    },
    missing: isBadAddress ? ['a valid address in url'] : missing,
  }
}

function isAddress(text: string): boolean {
  return /^https?:\/\//i.test(text) && URL.canParse(text)
}

function withEnvFile(server: ServerConfig): Resolved {
  const { envFile } = server
  if (envFile === undefined) return { value: server, missing: [] }
  const text = readSmallFile(envFile)
  if (text === undefined) return { value: server, missing: [`the file ${envFile}`] }
  return { value: { ...server, env: { ...readEnvFile(text), ...server.env } }, missing: [] }
}

/** The variables of a `.env` file: `NAME=value` lines, with `export`, quotes and comments. */
export function readEnvFile(text: string): Record<string, string> {
  const entries = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .flatMap((line) => {
      const [, name, raw] = /^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*=\s*(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, unquoted(raw ?? '')] as const]
    })
  return Object.fromEntries(entries)
}

function unquoted(raw: string): string {
  const [, single] = /^'([^']*)'/.exec(raw) ?? []
  if (single !== undefined) return single
  const [, double] = /^"((?:[^"\\]|\\.)*)"/.exec(raw) ?? []
  if (double !== undefined) return double.replace(/\\n/g, '\n').replace(/\\(.)/g, '$1')
  return raw.replace(/\s+#.*$/, '').trim()
}

/** The text of a file, without the newline at its end; undefined if it is missing, huge or no plain file. */
export function readSmallFile(path: string): string | undefined {
  try {
    const found = statSync(path)
    if (!found.isFile() || found.size > MOST_BYTES) return undefined
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '')
  } catch {
    return undefined
  }
}
