import { resolve } from 'node:path'
import type { ListenOptions, SearchApiToken, SelectOptions } from '@tooldex/search-api'
import { createToken } from '../../access/tokens.ts'
import { Embedders } from '../../catalog/search-index/embedders.ts'
import { GatewayError } from '../../errors.ts'
import type { CommandContext } from '../gateway/context.ts'
import type { CommonOptions } from '../terminal/command-options.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { openCommandLogger } from '../gateway/open-gateway.ts'
import { lanceEngines } from './lance-engines.ts'
import {
  embedderName,
  embeddingsConfig,
  type SearchApiEmbeddingsOptions,
  searchApiTokens,
} from './search-api-config.ts'
import { paintFor } from '../terminal/terminal.ts'

/** Options of `tooldex search-api`. */
export interface SearchApiCommandOptions extends Pick<CommonOptions, 'json'>, SearchApiEmbeddingsOptions {
  readonly host?: string
  readonly port?: number
  /** Path of a file. */
  readonly tokens?: string
  readonly jwtIssuer?: string
  readonly jwtAudience?: string
  readonly jwtKeys?: string
  readonly select?: 'hybrid' | 'llm'
  readonly llmUrl?: string
  readonly llmModel?: string
  readonly llmApi?: 'openai' | 'anthropic'
  readonly database?: string
  readonly engine?: 'memory' | 'lance'
  /** A folder, or the URL of an object store. */
  readonly engineAt?: string
  readonly maxTools?: number
  readonly maxBodyMb?: number
  readonly maxCatalogTools?: number
  readonly maxCatalogMb?: number
}

/** Secrets come from the environment, because every user of the machine can see arguments. */
const LLM_KEY_VARIABLE = 'TOOLDEX_LLM_API_KEY'
const DATABASE_VARIABLE = 'TOOLDEX_SEARCH_API_DATABASE'

/** `tooldex search-api`: serves the Search API, which runs the `cloud` strategy, until a signal stops it. */
export async function searchApi(options: SearchApiCommandOptions, context: CommandContext): Promise<number> {
  const listen = listenOptions(options, context)
  const engineAt = enginePlace(options, context)
  const embeddings = embeddingsConfig(options, context.environment.variables)
  const configured = await searchApiTokens(options.tokens, context.environment)
  const made = configured.length === 0 && listen.jwt === undefined ? createToken() : undefined
  const tokens: SearchApiToken[] =
    made === undefined ? configured : [{ sha256: made.hash, project: '*', name: 'this run' }]
  const log = openCommandLogger('info', context)
  const onProblem = (error: unknown): void =>
    log.logger.warn({ error: error instanceof Error ? error.message : String(error) }, 'error in the Search API')
  const embedders = new Embedders({ config: embeddings, onProblem })
  const [{ listenSearchApi }, database] = await Promise.all([
    import('@tooldex/search-api'),
    openDatabase(options.database ?? context.environment.variables[DATABASE_VARIABLE], onProblem),
  ])
  const stopAsked = context.signals.stop()
  try {
    const api = await listening(async () =>
      listenSearchApi({
        ...listen,
        embedders: await embedders.open(),
        tokens,
        onProblem,
        processFigures: true,
        ...(database !== undefined && { vectors: database.vectors, catalogs: database.catalogs }),
        ...(engineAt !== undefined && {
          engine: lanceEngines({ at: engineAt, log: log.logger, alone: database?.alone }),
        }),
      }),
    )
    const shown = {
      url: api.url,
      ranking: rankingOf(listen.select),
      meaning: embedderName(embeddings),
      engine: engineAt === undefined ? 'memory' : `lance at ${engineAt}`,
      token: made?.secret,
    }
    show(shown, options, context)
    await stopAsked
    await api.close()
  } finally {
    await embedders.close()
    await database?.close()
    log.flush()
  }
  return EXIT.ok
}

function listenOptions(options: SearchApiCommandOptions, context: CommandContext): ListenOptions {
  const { host, port, maxTools, maxBodyMb, maxCatalogTools, maxCatalogMb } = options
  const select = selectOptions(options, context)
  const jwt = jwtOptions(options)
  return {
    ...(host !== undefined && { host }),
    ...(port !== undefined && { port }),
    ...(select !== undefined && { select }),
    ...(jwt !== undefined && { jwt }),
    limits: {
      ...(maxTools !== undefined && { tools: maxTools }),
      ...(maxBodyMb !== undefined && { bodyBytes: maxBodyMb * 1024 * 1024 }),
      ...(maxCatalogTools !== undefined && { catalogTools: maxCatalogTools }),
      ...(maxCatalogMb !== undefined && { catalogBytes: maxCatalogMb * 1024 * 1024 }),
    },
  }
}

/** Where the engine keeps catalogs; undefined for memory. */
function enginePlace({ engine, engineAt }: SearchApiCommandOptions, context: CommandContext): string | undefined {
  if (engine !== 'lance') {
    if (engineAt !== undefined) throw usage('--engine-at needs --engine lance')
    return undefined
  }
  if (engineAt === undefined) throw usage('--engine lance needs --engine-at, a folder or the URL of an object store')
  return engineAt.includes('://') ? engineAt : resolve(context.environment.cwd, engineAt)
}

function selectOptions(options: SearchApiCommandOptions, { environment }: CommandContext): SelectOptions | undefined {
  const { select, llmUrl, llmModel, llmApi } = options
  if (select !== 'llm') {
    if (llmUrl ?? llmModel ?? llmApi) throw usage('--llm-url, --llm-model and --llm-api need --select llm')
    return undefined
  }
  if (llmUrl === undefined || llmModel === undefined) throw usage('--select llm needs --llm-url and --llm-model')
  const apiKey = environment.variables[LLM_KEY_VARIABLE]?.trim() ?? ''
  return {
    url: llmUrl,
    model: llmModel,
    ...(llmApi !== undefined && { api: llmApi }),
    ...(apiKey !== '' && { apiKey }),
  }
}

function jwtOptions({ jwtIssuer, jwtAudience, jwtKeys }: SearchApiCommandOptions): ListenOptions['jwt'] {
  if (jwtIssuer === undefined && jwtAudience === undefined && jwtKeys === undefined) return undefined
  if (jwtIssuer === undefined || jwtAudience === undefined || jwtKeys === undefined) {
    throw usage('--jwt-issuer, --jwt-audience and --jwt-keys must be used together')
  }
  if (!URL.canParse(jwtKeys)) throw usage('--jwt-keys must be the URL of the JWKS of the issuer')
  return { issuer: jwtIssuer, audience: jwtAudience, jwksUrl: jwtKeys }
}

async function openDatabase(url: string | undefined, onProblem: (error: unknown) => void) {
  if (url === undefined || url.trim() === '') return undefined
  const { openSearchDatabase } = await import('@tooldex/search-api')
  return openSearchDatabase(url, onProblem).catch((cause: unknown) => {
    // The message leaves out the URL, because it may contain a password.
    const reason = 'the database cannot be opened'
    const remedy = 'Check the URL, and that the package pg is installed'
    throw new GatewayError('CONFIG_INVALID', { reason, remedy }, { cause })
  })
}

/** Turns invalid options of the service into usage errors. */
async function listening<Value>(listen: () => Promise<Value>): Promise<Value> {
  try {
    return await listen()
  } catch (error) {
    const { code, details } = error as { code?: unknown; details?: { reason?: unknown } }
    throw code === 'INVALID_ARGUMENTS' ? usage(String(details?.reason), error) : error
  }
}

function rankingOf(select: SelectOptions | undefined): string {
  return select === undefined ? 'hybrid' : `llm: ${select.model} at ${new URL(select.url).host}`
}

interface Shown {
  readonly url: string
  readonly ranking: string
  readonly meaning: string
  readonly engine: string
  readonly token: string | undefined
}

function show(shown: Shown, { json }: SearchApiCommandOptions, context: CommandContext): void {
  const { token, ...facts } = shown
  const { url, ranking, meaning, engine } = facts
  const { terminal, version } = context
  const config = { searchApi: { url, token: token ?? '${SEARCH_API_TOKEN}' } }
  if (json === true) {
    terminal.out(`${JSON.stringify({ version, ...facts, ...(token !== undefined && { token }), config })}\n`)
    return
  }
  const paint = paintFor(terminal)
  const line = (label: string, text: string): string => `  ${paint.dim(label.padEnd(10))} ${text}\n`
  terminal.out(`  ${paint.bold('Tooldex Search API')} ${version}\n\n`)
  terminal.out(line('url', url))
  terminal.out(line('ranking', ranking))
  terminal.out(line('meaning', meaning))
  terminal.out(line('engine', engine))
  if (token !== undefined) {
    const lasting = '(for this run and all projects; use --tokens for permanent ones)'
    terminal.out(line('token', `${token}   ${paint.dim(lasting)}`))
  }
  terminal.out(line('gateway', `in tooldex.json: ${JSON.stringify(config).slice(1, -1)}`))
  terminal.out(line('', `and for a project: "optimization": "cloud"`))
}

function usage(reason: string, cause?: unknown): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', { reason }, cause === undefined ? {} : { cause })
}
