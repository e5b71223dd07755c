import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { checkFixedConfig, type Config, type SearchConfig } from '@tooldex/contract'
import { isRecord } from '@tooldex/http-kit/json'
import { GatewayError } from '../errors.ts'
import type { GatewayModel } from '../model/gateway-model.ts'
import type { StoredState } from '../model/stored-state.ts'
import type { TracingConfig } from '../telemetry/tracing.ts'
import type { Environment } from './environment.ts'
import { unknownVariables, withVariables } from './environment-settings.ts'
import type { EngineConfig, GatewayConfig } from './gateway-config.ts'
import { checkDeclared, declaredAs, type DeclaredConfig, invalid, readDeclared } from './parse-config.ts'
import type { MergedConfig } from './merge-config.ts'
import { readSmallFile, type ResolvedServers, resolveServers } from './resolve-servers.ts'
import type { ReferenceSources } from './substitute.ts'
import { toModel } from './to-model.ts'

const FILE_NAME = 'tooldex.json'
const MOST_BYTES = 10 * 1024 * 1024

/** The static configuration, and the declared entries, which can change. */
export interface LoadedConfig {
  readonly config: GatewayConfig
  readonly declared: DeclaredConfig
  /** The values of references in stored servers. */
  readonly sources: ReferenceSources
  /** Sentences about variables that set nothing. */
  readonly remarks?: readonly string[]
}

/** Settings of the command line, which override the file. */
export interface ConfigOverrides {
  readonly host?: string
  readonly port?: number
  readonly dataDir?: string
  readonly database?: string
}

/**
 * Finds the configuration file: the given one, else `tooldex.json` in the working directory, else in `~/.tooldex`.
 * @throws GatewayError CONFIG_INVALID if the given file does not exist
 */
export async function findConfigFile(given: string | undefined, environment: Environment): Promise<string | undefined> {
  const candidates =
    given === undefined
      ? [join(environment.cwd, FILE_NAME), join(environment.home, '.tooldex', FILE_NAME)]
      : [absolute(given, environment)]
  for (const path of candidates) {
    if (await isFile(path)) return path
  }
  if (given === undefined) return undefined
  throw new GatewayError('CONFIG_INVALID', {
    reason: `the file ${candidates.join(' and ')} does not exist`,
    remedy: 'Create it (docs/guide/getting-started.md), or omit --config',
  })
}

/** Reads and resolves a file; without one, uses the defaults. @throws GatewayError CONFIG_INVALID */
export async function loadConfig(
  path: string | undefined,
  environment: Environment,
  overrides: ConfigOverrides = {},
): Promise<LoadedConfig> {
  const text = path === undefined ? '' : await readText(path)
  const declared = path === undefined ? declaredAs({}) : readDeclared(text, path, sourcesOf(environment))
  return { ...resolveConfig(declared, environment, overrides), remarks: unknownVariables(environment.variables, text) }
}

/** Makes a configuration from a value instead of a file, such as the one of the demo. */
export function configFrom(value: unknown, environment: Environment, overrides: ConfigOverrides = {}): LoadedConfig {
  return resolveConfig(declaredAs(value), environment, overrides)
}

/** A model and the configuration that it was made of. The next one shares what does not change. */
export interface MadeModel {
  readonly model: GatewayModel
  readonly merged: MergedConfig
  readonly resolved: ResolvedServers
  /** The references that were left out. */
  readonly leftOut: readonly string[]
}

/** The model of declared and stored entries. @param before the last one @throws GatewayError CONFIG_INVALID */
export function modelOf(
  { declared, sources }: Pick<LoadedConfig, 'declared' | 'sources'>,
  stored?: StoredState,
  before?: MadeModel,
): MadeModel {
  const merged = checkDeclared(declared, stored, before?.merged)
  const isSame = before !== undefined && merged.config === before.merged.config
  const resolved = isSame ? before.resolved : resolveServers(merged.config, merged.stored, sources, before)
  const model = toModel(resolved.config, { ...merged, missingValues: resolved.missingValues, before })
  return { model, merged, resolved, leftOut: merged.leftOut }
}

function sourcesOf({ variables, home }: Environment): ReferenceSources {
  return { variables, home, readFile: readSmallFile }
}

function resolveConfig(read: DeclaredConfig, environment: Environment, overrides: ConfigOverrides): LoadedConfig {
  const declared = withOverrides(withVariables(read, sourcesOf(environment)), overrides)
  const { config, problems } = checkFixedConfig(declared.value)
  // Throws with all problems, those of the declared entries included.
  if (config === undefined) {
    checkDeclared(declared)
    throw invalid(declared.path ?? 'the configuration', declared.describe(problems))
  }
  const tracing = tracingConfig(config.telemetry, environment.variables)
  const { database } = config
  const { file, ...retention } = config.audit
  const { url: searchApiUrl, ...searchApi } = config.searchApi
  const dataDir = absolute(overrides.dataDir ?? config.dataDir, environment)
  return Object.freeze({
    config: Object.freeze({
      ...(declared.path !== undefined && { path: declared.path }),
      listen: Object.freeze(config.listen),
      ...(config.auth !== undefined && { auth: Object.freeze(config.auth) }),
      rateLimits: Object.freeze(config.rateLimits),
      dataDir,
      ...(database !== undefined && { database }),
      audit: Object.freeze({
        ...retention,
        ...(file !== undefined && { file: absolute(file, environment) }),
      }),
      logLevel: config.logLevel,
      startGraceMs: config.startGraceMs,
      drainMs: config.drainMs,
      embeddings: Object.freeze({
        ...config.embeddings,
        ...(config.embeddings.table !== undefined && { table: absolute(config.embeddings.table, environment) }),
      }),
      learning: config.learning,
      ...(searchApiUrl !== undefined && { searchApi: Object.freeze({ ...searchApi, url: searchApiUrl }) }),
      ...(config.search.engine === 'lance' && { searchEngine: engineConfig(config.search, dataDir, environment) }),
      registries: Object.freeze(config.registries),
      ...(tracing !== undefined && { tracing: Object.freeze(tracing) }),
    }),
    declared,
    sources: sourcesOf(environment),
  })
}

function engineConfig({ at, storage }: SearchConfig, dataDir: string, environment: Environment): EngineConfig {
  const isUrl = at !== undefined && /^[a-z][a-z0-9+.-]+:\/\//i.test(at)
  const place = at === undefined ? join(dataDir, 'engine') : isUrl ? at : absolute(at, environment)
  return Object.freeze({ at: place, storage })
}

/** Adds flags before the check, because a flag may open an endpoint to the network. */
function withOverrides(declared: DeclaredConfig, overrides: ConfigOverrides): DeclaredConfig {
  const { value } = declared
  if (!isRecord(value)) return declared
  const { host, port, database } = overrides
  const { listen } = value
  const flags = { ...(host !== undefined && { host }), ...(port !== undefined && { port }) }
  const isChanged = Object.keys(flags).length > 0
  return {
    ...declared,
    value: {
      ...value,
      ...(isChanged && { listen: { ...(typeof listen === 'object' ? listen : {}), ...flags } }),
      ...(database !== undefined && { database }),
    },
  }
}

/** Resolves a path against the working directory; `~` is the home folder. */
function absolute(path: string, { cwd, home }: Environment): string {
  if (path === '~') return home
  if (path.startsWith('~/')) return join(home, path.slice(2))
  return isAbsolute(path) ? path : resolve(cwd, path)
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

async function readText(path: string): Promise<string> {
  try {
    const { size } = await stat(path)
    if (size > MOST_BYTES) throw new GatewayError('CONFIG_INVALID', { reason: `${path} is larger than 10 MB` })
    return await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof GatewayError) throw error
    const reason = `${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`
    throw new GatewayError('CONFIG_INVALID', { reason }, { cause: error })
  }
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * The destination of traces: from the file, else from the standard variables of OpenTelemetry. Headers of the environment
 * are never sent to an address of the file.
 */
export function tracingConfig(telemetry: Config['telemetry'], variables: Variables): TracingConfig | undefined {
  const isOff = variables['OTEL_SDK_DISABLED']?.toLowerCase() === 'true' || variables['OTEL_TRACES_EXPORTER'] === 'none'
  if (isOff) return undefined
  const serviceName = setVariable(variables, 'OTEL_SERVICE_NAME') ?? 'tooldex'
  const { otlpEndpoint, otlpHeaders } = telemetry
  if (otlpEndpoint !== undefined) return { url: tracesUrl(otlpEndpoint), headers: otlpHeaders, serviceName }
  const base = setVariable(variables, 'OTEL_EXPORTER_OTLP_ENDPOINT')
  const url =
    setVariable(variables, 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') ?? (base === undefined ? undefined : tracesUrl(base))
  if (url === undefined) return undefined
  const headers =
    setVariable(variables, 'OTEL_EXPORTER_OTLP_TRACES_HEADERS') ?? setVariable(variables, 'OTEL_EXPORTER_OTLP_HEADERS')
  return { url, headers: headerList(headers ?? ''), serviceName }
}

/** The value of a variable; an empty one counts as unset. */
function setVariable(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim()
  return value === '' ? undefined : value
}

function tracesUrl(endpoint: string): string {
  const base = endpoint.replace(/\/+$/, '')
  return base.endsWith('/v1/traces') ? base : `${base}/v1/traces`
}

/** Parses `name=value,name=value` with percent-encoded values. */
function headerList(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, at)).trim()
    return name === '' ? [] : [[name, decoded(pair.slice(at + 1).trim())] as const]
  })
  return Object.fromEntries(pairs)
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
