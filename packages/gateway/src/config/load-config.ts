import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import { checkConfig, type Config } from '@tooldex/contract'
import type { GatewayModel } from '../access/model.ts'
import { GatewayError } from '../errors.ts'
import type { Environment } from './environment.ts'
import type { GatewayConfig } from './gateway-config.ts'
import { invalid, parseConfig, problemLine } from './parse-config.ts'
import { toModel } from './to-model.ts'
import { tracingConfig } from './tracing-config.ts'

const FILE_NAME = 'tooldex.json'
const MOST_BYTES = 10 * 1024 * 1024

/** A configuration: what is fixed and what may change. */
export interface LoadedConfig {
  readonly config: GatewayConfig
  readonly model: GatewayModel
}

/** What the command line says over the file. */
export interface ConfigOverrides {
  readonly host?: string
  readonly port?: number
  readonly dataDir?: string
}

/**
 * The file to read: the one that is given, else `tooldex.json` here, else in `~/.tooldex`.
 * @throws GatewayError CONFIG_INVALID that names the places if there is none.
 */
export async function findConfigFile(given: string | undefined, environment: Environment): Promise<string> {
  const candidates =
    given === undefined
      ? [join(environment.cwd, FILE_NAME), join(environment.home, '.tooldex', FILE_NAME)]
      : [absolute(given, environment)]
  for (const path of candidates) {
    if (await isFile(path)) return path
  }
  throw new GatewayError('CONFIG_INVALID', {
    reason: `there is no ${candidates.join(' and no ')}`,
    remedy: 'Write one (docs/guide/getting-started.md), name one with --config, or try `tooldex serve --demo`',
  })
}

/** Reads, checks and resolves a file. @throws GatewayError CONFIG_INVALID with every problem. */
export async function loadConfig(
  path: string,
  environment: Environment,
  overrides: ConfigOverrides = {},
): Promise<LoadedConfig> {
  const config = parseConfig(await readText(path), path, environment.variables)
  return resolveConfig(config, environment, { ...overrides, path })
}

/** A configuration that is made by the program rather than read, such as the demo's. */
export function configFrom(value: unknown, environment: Environment, overrides: ConfigOverrides = {}): LoadedConfig {
  const { config, problems } = checkConfig(value)
  if (config === undefined) throw invalid('the configuration', problems.map(problemLine))
  return resolveConfig(config, environment, overrides)
}

function resolveConfig(
  config: Config,
  environment: Environment,
  overrides: ConfigOverrides & { readonly path?: string },
): LoadedConfig {
  const listen = {
    ...config.listen,
    ...(overrides.host !== undefined && { host: overrides.host }),
    ...(overrides.port !== undefined && { port: overrides.port }),
  }
  // The flag may open to the network what the file has on the loopback interface only.
  const { problems } = checkConfig({ ...config, listen })
  if (problems.length > 0) throw invalid(overrides.path ?? 'the configuration', problems.map(problemLine))
  const tracing = tracingConfig(config.telemetry, environment.variables)
  const { url: searchApiUrl, ...searchApi } = config.searchApi
  return Object.freeze({
    config: Object.freeze({
      ...(overrides.path !== undefined && { path: overrides.path }),
      listen: Object.freeze(listen),
      dataDir: absolute(overrides.dataDir ?? config.dataDir, environment),
      logLevel: config.logLevel,
      embeddings: Object.freeze({
        ...config.embeddings,
        ...(config.embeddings.table !== undefined && { table: absolute(config.embeddings.table, environment) }),
      }),
      ...(searchApiUrl !== undefined && { searchApi: Object.freeze({ ...searchApi, url: searchApiUrl }) }),
      ...(tracing !== undefined && { tracing: Object.freeze(tracing) }),
    }),
    model: toModel(config),
  })
}

/** From the folder that the program was started in; `~` is the home folder. */
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
