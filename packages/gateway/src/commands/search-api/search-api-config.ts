import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { checkConfig, type EmbeddingsConfig, placeOf } from '@tooldex/contract'
import type { SearchApiToken } from '@tooldex/search-api'
import { z } from 'zod'
import { hashToken } from '../../access/tokens.ts'
import type { Environment } from '../../config/environment.ts'
import { GatewayError } from '../../errors.ts'

/** The secret of a token for all projects. */
const TOKEN_VARIABLE = 'TOOLDEX_SEARCH_API_TOKEN'
const SHORTEST_SECRET = 16

/** Entries in the format of `tooldex token create --print-only`. */
const fileSchema = z.array(
  z.strictObject({
    name: z.string(),
    sha256: z.string().regex(/^[0-9a-f]{64}$/i, 'must be 64 hexadecimal digits; `tooldex token create` prints it'),
    projects: z.array(z.string().min(1)).length(1, 'must name one project, or be omitted for all').optional(),
    expires: z.union([z.iso.date(), z.iso.datetime({ offset: true })]).optional(),
  }),
)

/** The accepted tokens: those of the file, and the one in the environment. @throws GatewayError CONFIG_INVALID */
export async function searchApiTokens(file: string | undefined, environment: Environment): Promise<SearchApiToken[]> {
  const { variables, cwd } = environment
  const secret = variables[TOKEN_VARIABLE]?.trim() ?? ''
  if (secret !== '' && secret.length < SHORTEST_SECRET) {
    throw invalid(`${TOKEN_VARIABLE} is too short to be a secret: at least ${SHORTEST_SECRET} characters`)
  }
  const fromVariable = secret === '' ? [] : [{ sha256: hashToken(secret), project: '*', name: 'environment' }]
  return [...(file === undefined ? [] : await tokensIn(resolve(cwd, file))), ...fromVariable]
}

async function tokensIn(path: string): Promise<SearchApiToken[]> {
  const { data, error } = fileSchema.safeParse(await readJson(path))
  if (error !== undefined) {
    const problems = error.issues.map((issue) => `${placeOf(issue.path as (string | number)[])}: ${issue.message}`)
    throw invalid(`${path} is not a list of tokens`, problems)
  }
  return data.map(({ name, sha256, projects, expires }) => ({
    name,
    sha256,
    project: projects?.[0] ?? '*',
    ...(expires !== undefined && { expiresAt: Date.parse(expires) }),
  }))
}

async function readJson(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    const { code = 'unknown reason' } = cause as NodeJS.ErrnoException
    throw invalid(`${path} cannot be read (${code})`)
  })
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(`${path} is not JSON`)
  }
}

function invalid(reason: string, problems?: readonly string[]): GatewayError {
  const remedy = '`tooldex token create --name laptop --project work` prints an entry for the list'
  return new GatewayError('CONFIG_INVALID', { reason, remedy, ...(problems !== undefined && { problems }) })
}

/** The embedding options of `tooldex search-api`. */
export interface SearchApiEmbeddingsOptions {
  readonly embeddings?: EmbeddingsConfig['provider']
  readonly embeddingsUrl?: string
  readonly embeddingsModel?: string
  readonly embeddingsDimensions?: number
}

/** Secrets come from the environment, because every user of the machine can see arguments. */
const KEY_VARIABLE = 'TOOLDEX_EMBEDDINGS_API_KEY'

/**
 * The options as the `embeddings` settings of a gateway, checked by the same rules. A URL implies the provider `http`.
 * @throws GatewayError INVALID_ARGUMENTS with every problem, named by option
 */
export function embeddingsConfig(
  options: SearchApiEmbeddingsOptions,
  variables: Readonly<Record<string, string | undefined>>,
): EmbeddingsConfig {
  const { embeddings, embeddingsUrl: url, embeddingsModel: model, embeddingsDimensions: dimensions } = options
  const provider = embeddings ?? (url === undefined && model === undefined ? 'static' : 'http')
  if (provider === 'http' && (url === undefined || model === undefined)) {
    throw usage('--embeddings http needs --embeddings-url and --embeddings-model')
  }
  const apiKey = variables[KEY_VARIABLE]?.trim() ?? ''
  const { config, problems } = checkConfig({
    embeddings: {
      provider,
      ...(url !== undefined && { url }),
      ...(model !== undefined && { model }),
      ...(dimensions !== undefined && { dimensions }),
      ...(provider === 'http' && apiKey !== '' && { apiKey }),
    },
  })
  if (config !== undefined) return config.embeddings
  throw usage(problems.map(({ path, message }) => `--${path.join('-')} ${message}`).join('; '))
}

/** The source of the vectors, for the start screen. */
export function embedderName({ provider, url, model }: EmbeddingsConfig): string {
  switch (provider) {
    case 'static':
      return 'built-in table'
    case 'http':
      return `${model} at ${new URL(url ?? '').host}`
  }
}

function usage(reason: string): GatewayError {
  return new GatewayError('INVALID_ARGUMENTS', { reason })
}
